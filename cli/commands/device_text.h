#pragma once

#include <string_view>

namespace tapedeck::cli {

/// The text of examples/nas/device.json.
extern const std::string_view device_text;

}  // namespace tapedeck::cli
