#pragma once
// What `doctor` prints.

#include <string>

#include "proxy/examination.h"

namespace tapedeck::cli {

/// A line for each finding, with what to do, and at the end the command that records.
[[nodiscard]] std::string doctor_text(const proxy::Examination& examination);
/// {"device":…,"works":…,"findings":[{"grade":…,"check":…,"what":…,"do":…}],"command":…}
[[nodiscard]] std::string doctor_json(const proxy::Examination& examination);

}  // namespace tapedeck::cli
