#pragma once

#include <string>

#include "api/request_key.h"

namespace tapedeck::cassettes {

/// Returns the text under which parts of compounds with this key are stored: without the first label of the API's name.
[[nodiscard]] inline std::string part_key(const api::RequestKey& call) { return call.with_label({}); }

}  // namespace tapedeck::cassettes
