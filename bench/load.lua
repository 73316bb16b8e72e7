-- wrk's script: asks for the calls of a plan that bench_make_load wrote, and prints one line of figures at the end.
--   wrk … -s load.lua URL -- PLAN api|file turn|random [SESSIONS]
-- With SESSIONS, calls carry one of so many session ids, in turn.

local plan, kind, sessions
local before, after  -- a request's bytes around its target
local at = -1
local pick
local built

local function target(n)
  if kind == "file" then
    return string.format("/%03d/%06d.json", math.floor(n / 1000), n)
  end
  local call = plan.operations[n % #plan.operations + 1]
  local variant = plan.variants[math.floor(n / #plan.operations) % #plan.variants + 1]
  local text = string.format("%s%s&id=%06d", call, variant, n)
  if sessions > 0 then
    text = text .. string.format("&_sid=bench%02dMadeUpSession0", at % sessions)
  end
  return text
end

function init(args)
  plan = dofile(args[1])
  kind = args[2]
  sessions = tonumber(args[4] or "0")
  local whole = wrk.format("GET", "/@")
  local place = whole:find("/@", 1, true)
  before, after = whole:sub(1, place - 1), whole:sub(place + 2)
  if args[3] == "random" then
    math.randomseed(20261120)
    pick = function() return math.random(0, plan.count - 1) end
  else
    pick = function() at = (at + 1) % plan.count; return at end
  end
  if plan.count <= 10000 then
    built = {}
    for n = 0, plan.count - 1 do
      at = n
      built[n] = before .. target(n) .. after
    end
    at = -1
  end
end

function request()
  local n = pick()
  if built then return built[n] end
  return before .. target(n) .. after
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %d %d %f %f\n", summary.requests, summary.duration,
    summary.bytes, e.connect + e.read + e.write + e.timeout + e.status,
    latency:percentile(50), latency:percentile(99)))
end
