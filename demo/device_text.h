#pragma once
// examples/nas/device.json, compiled in.

#include <string_view>

namespace tapedeck::demo {

extern const std::string_view device_text;

}  // namespace tapedeck::demo
