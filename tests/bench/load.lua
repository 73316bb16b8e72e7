-- wrk's script: requests number 0 to COUNT-1 in turn, or uniformly at random. `%06d` in PATH is the number.
--   wrk … -s load.lua URL -- PATH COUNT turn|random
-- At the end, prints: RESULT requests microseconds errors p50 p99 (in microseconds)

function init(arguments)
  local path, count, order = arguments[1], tonumber(arguments[2]), arguments[3]
  local built = {}
  for n = 0, count - 1 do built[n] = wrk.format("GET", (path:gsub("%%06d", string.format("%06d", n)))) end
  math.randomseed(20261120)
  local at = -1
  function request()
    at = order == "random" and math.random(0, count - 1) or (at + 1) % count
    return built[at]
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("RESULT %d %d %d %f %f\n", summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.timeout + errors.status, latency:percentile(50), latency:percentile(99)))
end
