#pragma once
// What the benchmarks ask for: calls of the catalog's reading operations and answers as a device might give them. All
// made up, and a pure function of (plan, number), so that the maker, the static files and wrk agree without a list.

#include <cstdint>
#include <string>
#include <vector>

#include "api/interaction.h"

namespace tapedeck::bench {

struct LoadPlan {
  std::uint64_t count = 288;        ///< of distinct calls
  std::size_t median_bytes = 1500;  ///< of a body; sizes are log-normal, from 100 bytes to 64 kB
  std::size_t exact_bytes = 0;      ///< not 0: every body has this size instead
};

/// Call `n` is operation n % 48 with variant (n / 48) % 6 of its parameters, and the parameter id=NNNNNN.
class Load {
 public:
  static constexpr std::size_t operations = 48;
  static constexpr std::size_t variants = 6;

  explicit Load(LoadPlan plan);

  [[nodiscard]] const LoadPlan& plan() const { return plan_; }
  [[nodiscard]] std::string target(std::uint64_t n) const;
  /// Compact JSON in the device's envelope. Answers of one operation have one shape.
  [[nodiscard]] std::string body(std::uint64_t n) const;
  [[nodiscard]] api::Interaction interaction(std::uint64_t n) const;
  /// Where the body stands among the static files, and how static servers name it: "/000/000123.json".
  [[nodiscard]] static std::string file(std::uint64_t n);
  /// The plan as a Lua table, for bench/load.lua.
  [[nodiscard]] std::string lua() const;

 private:
  [[nodiscard]] std::size_t body_size(std::uint64_t n) const;

  LoadPlan plan_;
  std::vector<std::string> prefixes_;  ///< "/webapi/entry.cgi?api=…&version=…&method=…", by operation
};

}  // namespace tapedeck::bench
