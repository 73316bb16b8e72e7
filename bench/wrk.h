#pragma once
// Runs wrk with bench/load.lua and reads its result.

#include <cstdint>
#include <string>

namespace tapedeck::bench {

struct WrkOptions {
  enum class Kind {
    calls,  ///< the calls of a plan (bench_make_load)
    files,  ///< the same calls as static files
    list,   ///< whole requests (bench/steps.h)
  };
  enum class Order { turn, random, once };

  std::string url;   ///< "http://127.0.0.1:PORT"
  std::string plan;  ///< the file with the plan or the list
  Kind kind = Kind::calls;
  Order order = Order::turn;  ///< for a plan; with `once`, the run ends when each was requested
  /// The session IDs for a list: a file of IDs that are used in turn, or "fresh" for a new one each time the list ends.
  std::string ids = {};
  int connections = 32;
  double seconds = 3;
};

struct WrkResult {
  std::uint64_t requests = 0;
  double per_second = 0;
  double p50_us = 0, p99_us = 0;
  std::uint64_t bytes = 0;
};

/// Throws std::runtime_error if a request failed, because fast errors must not count.
[[nodiscard]] WrkResult run_wrk(const WrkOptions& options);

}  // namespace tapedeck::bench
