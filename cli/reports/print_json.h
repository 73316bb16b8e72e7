#pragma once

#include <nlohmann/json_fwd.hpp>

namespace tapedeck::cli {

/// Prints indented JSON in ASCII and a line feed on standard output. Bytes that are not UTF-8 become U+FFFD.
void print_json(const nlohmann::ordered_json& json);

}  // namespace tapedeck::cli
