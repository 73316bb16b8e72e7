#include "base/json_library.h"

TAPEDECK_JSON(template, nlohmann::json)
TAPEDECK_JSON(template, nlohmann::ordered_json)
