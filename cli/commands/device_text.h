#pragma once

#include <string_view>

namespace tapedeck::cli {

/// The text of examples/nas/device.json: the simulated device of `tapedeck demo`.
extern const std::string_view device_text;

}  // namespace tapedeck::cli
