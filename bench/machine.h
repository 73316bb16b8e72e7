#pragma once
// Describes the machine, and how much of it other programs used.

#include <cstdint>
#include <string>

namespace tapedeck::bench {

/// Returns "2 × Some CPU, Linux 6.1.0".
[[nodiscard]] std::string machine();
/// Returns the load of the last minute.
[[nodiscard]] double load_average();

/// Shares of the time of all processors, from 0 to 1.
struct Neighbours {
  double others = 0;  ///< processes that are not this program or its descendants
  double stolen = 0;  ///< the hypervisor, for other machines
};

/// Counts from its construction. Programs that this program started count as its own once it has waited for them, so
/// read it when no server runs.
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
