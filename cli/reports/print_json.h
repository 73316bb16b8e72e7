#pragma once

#include <nlohmann/json_fwd.hpp>

namespace tapedeck::cli {

/// On standard output, indented, in ASCII, and a line end; bytes that are no UTF-8 as U+FFFD.
void print_json(const nlohmann::ordered_json& json);

}  // namespace tapedeck::cli
