#pragma once
// A test device that has changed since it was recorded, and one whose responses always differ.

#include <string>

#include "tests/support/device_operations.h"

namespace tapedeck::tests {

enum class Drift {
  moved_on,  ///< twelve changes, each in one place, as by a later firmware
  noisy,  ///< a clock, a counter, a random text, and a list in another order in each response of Core.FileServ.SMB/get
};

/// Applies to all devices of this process during its lifetime.
class Drifting {
 public:
  explicit Drifting(Drift drift);
  ~Drifting();
  Drifting(const Drifting&) = delete;
  Drifting& operator=(const Drifting&) = delete;

 private:
  const Drift drift_;
};

/// Changes the response to "Core.Network/get" and the like.
void drift(const std::string& operation, DeviceAnswer& answer);
/// Returns the status of "/webapi/Template", which is not a call.
[[nodiscard]] int template_status();

}  // namespace tapedeck::tests
