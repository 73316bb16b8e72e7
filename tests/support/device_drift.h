#pragma once
// A test device that has changed since it was recorded, and one whose responses always differ.

#include <string>

#include "tests/support/device_operations.h"

namespace tapedeck::tests {

enum class Drift {
  moved_on,  ///< twelve changes, each in one place, as after an upgrade
  noisy,  ///< a clock, a counter, a random text, and a list in another order in each response of Core.FileServ.SMB/get
};

/// Changes all devices of this process while the object exists.
class Drifting {
 public:
  explicit Drifting(Drift drift);
  ~Drifting();
  Drifting(const Drifting&) = delete;
  Drifting& operator=(const Drifting&) = delete;

 private:
  const Drift drift_;
};

/// Changes the response to an operation such as "Core.Network/get".
void drift(const std::string& operation, DeviceAnswer& answer);
/// Returns the status of "/webapi/Template", which is not a call.
[[nodiscard]] int template_status();

}  // namespace tapedeck::tests
