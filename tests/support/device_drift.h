#pragma once
// A tests' device that has moved on since it was recorded, and one whose answers are never twice the same.

#include <string>

#include "tests/support/device_operations.h"

namespace tapedeck::tests {

enum class Drift {
  moved_on,  ///< twelve changes, each in one place: what a later firmware might answer
  noisy,     ///< a clock, a counter, a random text and a list in another order, in each answer of Core.FileServ.SMB/get
};

/// As long as it lives, all devices of this process are so.
class Drifting {
 public:
  explicit Drifting(Drift drift);
  ~Drifting();
  Drifting(const Drifting&) = delete;
  Drifting& operator=(const Drifting&) = delete;

 private:
  const Drift drift_;
};

/// The answer to "Core.Network/get" and the like, as devices are now.
void drift(const std::string& operation, DeviceAnswer& answer);
/// The same of "/webapi/Template", which is no call: its status.
[[nodiscard]] int template_status();

}  // namespace tapedeck::tests
