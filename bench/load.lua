-- wrk's script: sends the requests of a plan or of a list, and prints one line of figures at the end.
--   wrk … -s load.lua URL -- plan PLAN api|file turn|random|once
--   wrk … -s load.lua URL -- list LIST [IDS|fresh:PREFIX]
-- PLAN is what bench_make_load wrote: the calls of a load, or its static files, in turn, uniformly at random, or each once.
-- LIST holds whole requests, each ended by a NUL, which are sent in turn. A byte 1 in one stands for a session's id: the
-- lines of the file IDS in turn, or PREFIX and a number that rises each time the list is over.

local ffi = require("ffi")
ffi.cdef("int getpid(void); int kill(int, int);")

--- Ends the run: wrk sleeps until its time is over, or SIGINT comes.
local function finish()
  ffi.C.kill(ffi.C.getpid(), 2)
end

local function planned(path, kind, order)
  local plan = dofile(path)
  local whole = wrk.format("GET", "/@")
  local place = whole:find("/@", 1, true)
  local before, after = whole:sub(1, place - 1), whole:sub(place + 2)
  local function bytes(n)
    if kind == "file" then
      return string.format("%s/%03d/%06d.json%s", before, math.floor(n / 1000), n, after)
    end
    local call = plan.operations[n % #plan.operations + 1]
    local variant = plan.variants[math.floor(n / #plan.operations) % #plan.variants + 1]
    return string.format("%s%s%s&id=%06d%s", before, call, variant, n, after)
  end
  if plan.count <= 10000 then
    local built = {}
    for n = 0, plan.count - 1 do built[n] = bytes(n) end
    bytes = function(n) return built[n] end
  end
  if order == "random" then
    math.randomseed(20261120)
    return function() return bytes(math.random(0, plan.count - 1)) end
  end
  local at = -1
  return function()
    at = at + 1
    if at == plan.count then
      if order == "once" then finish() end
      at = 0
    end
    return bytes(at)
  end
end

local function lines_of(path)
  local lines = {}
  for line in io.lines(path) do lines[#lines + 1] = line end
  return lines
end

local function listed(path, ids)
  local heads, tails = {}, {}
  local file = assert(io.open(path, "rb"))
  for request in file:read("*a"):gmatch("([^%z]+)%z") do
    local mark = request:find("\1", 1, true)
    heads[#heads + 1] = mark and request:sub(1, mark - 1) or request
    tails[#heads] = mark and request:sub(mark + 1)
  end
  file:close()
  local prefix = ids and ids:match("^fresh:(.*)$")
  local given = ids and not prefix and lines_of(ids)
  local at, asked, serial = 0, 0, 0
  return function()
    at, asked = at + 1, asked + 1
    if at > #heads then at, serial = 1, serial + 1 end
    if not tails[at] then return heads[at] end
    local id = prefix and string.format("%s%08d", prefix, serial) or given[asked % #given + 1]
    return heads[at] .. id .. tails[at]
  end
end

function init(args)
  request = (args[1] == "list" and listed or planned)(args[2], args[3], args[4])
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %d %d %f %f\n", summary.requests, summary.duration,
    summary.bytes, e.connect + e.read + e.write + e.timeout + e.status,
    latency:percentile(50), latency:percentile(99)))
end
