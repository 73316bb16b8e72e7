#pragma once
// One run of wrk with bench/load.lua, and what it said.

#include <cstdint>
#include <string>

namespace tapedeck::bench {

struct WrkOptions {
  enum class Kind {
    calls,  ///< of a plan (bench_make_load)
    files,  ///< the same as static files
    list,   ///< whole requests (bench/steps.h)
  };
  enum class Order { turn, random, once };

  std::string url;   ///< "http://127.0.0.1:PORT"
  std::string plan;  ///< the file of the plan or the list
  Kind kind = Kind::calls;
  Order order = Order::turn;  ///< of a plan; with `once` the run ends when each was asked for
  /// Of a list, what stands for its marks: a file of ids, which are taken in turn; or "fresh", a new one each time the
  /// list is over, which no other run has.
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

/// Throws std::runtime_error when any request failed: a fast error is no answer.
[[nodiscard]] WrkResult run_wrk(const WrkOptions& options);

}  // namespace tapedeck::bench
