#pragma once
// One run of wrk with bench/load.lua, and what it said.

#include <cstdint>
#include <filesystem>
#include <string>

namespace tapedeck::bench {

struct WrkOptions {
  std::string url;             ///< "http://127.0.0.1:PORT"
  std::filesystem::path plan;  ///< plan.lua
  bool files = false;          ///< ask for static files instead of API calls
  bool random = false;         ///< uniformly at random instead of in turn
  int sessions = 0;            ///< session ids in the calls
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
