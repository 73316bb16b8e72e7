#include "cli/reports/print_json.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace tapedeck::cli {

void print_json(const nlohmann::ordered_json& json) {
  std::cout << json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) << std::endl;
}

}  // namespace tapedeck::cli
