#pragma once
// Generates the requests of the benchmarks: calls of the catalog's reading operations with invented responses.
// Everything depends only on (plan, number), so that the generator, the static files, and wrk agree without a list.

#include <cstdint>
#include <string>
#include <vector>

#include "api/interaction.h"

namespace tapedeck::bench {

struct LoadPlan {
  std::uint64_t count = 288;        ///< number of different calls
  std::size_t median_bytes = 1500;  ///< median size of a body; sizes are log-normal, from 100 bytes to 64 kB
  std::size_t exact_bytes = 0;      ///< size of every body, if it is not 0
};

/// Call `n` is operation n % 48 with variant (n / 48) % 6 of its parameters, and the parameter id=NNNNNN.
class Load {
 public:
  static constexpr std::size_t operations = 48;
  static constexpr std::size_t variants = 6;

  explicit Load(LoadPlan plan);

  [[nodiscard]] const LoadPlan& plan() const { return plan_; }
  [[nodiscard]] std::string target(std::uint64_t n) const;
  /// Returns compact JSON in the device's envelope. Responses of one operation have the same shape.
  [[nodiscard]] std::string body(std::uint64_t n) const;
  [[nodiscard]] api::Interaction interaction(std::uint64_t n) const;
  /// Returns the path of the body among the static files: "/000/000123.json".
  [[nodiscard]] static std::string file(std::uint64_t n);
  /// Returns the plan as a Lua table for bench/load.lua.
  [[nodiscard]] std::string lua() const;

 private:
  [[nodiscard]] std::size_t body_size(std::uint64_t n) const;

  LoadPlan plan_;
  std::vector<std::string> prefixes_;  ///< "/webapi/entry.cgi?api=…&version=…&method=…", by operation
};

}  // namespace tapedeck::bench
