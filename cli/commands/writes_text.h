#pragma once

#include <string_view>

namespace tapedeck::cli {

/// The text of examples/nas/writes.toml.
extern const std::string_view writes_text;

}  // namespace tapedeck::cli
