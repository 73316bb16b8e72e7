#pragma once
// The machine that figures were taken on, and how much of it others took meanwhile.

#include <cstdint>
#include <string>

namespace tapedeck::bench {

/// "2 × Some CPU, Linux 6.1.0": what the figures depend on most.
[[nodiscard]] std::string machine();
/// Of the last minute.
[[nodiscard]] double load_average();

/// Shares of all processors' time, from 0 to 1.
struct Neighbours {
  double others = 0;  ///< processes that are neither this program nor descend from it
  double stolen = 0;  ///< the hypervisor, for other machines
};

/// Counts from when it is made. What this program started counts as its own once it has been waited for, so ask when no
/// server runs any more.
class NeighbourWatch {
 public:
  NeighbourWatch();
  [[nodiscard]] Neighbours seen() const;

 private:
  struct Sample {
    double busy = 0, stolen = 0, all = 0;  ///< of all processors, in seconds
    double own = 0;
  };
  static Sample sample();
  Sample before_;
};

}  // namespace tapedeck::bench
