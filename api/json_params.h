#pragma once
// Reads parameters from JSON objects: the parts of a compound request, and JSON request bodies.

#include <optional>
#include <vector>

#include "api/request_params.h"

namespace tapedeck::api {

struct JsonParams {
  OwnNames own;               ///< without the quotes of strings
  std::vector<Param> others;  ///< values are JSON text
};

/// Returns the members of each object in the JSON array `list`, or nothing if `list` is anything else. The `raw` of
/// each parameter is the place of `list`.
[[nodiscard]] std::optional<std::vector<JsonParams>> json_params_of_list(const Param& list);

/// Returns the members of a request body that is a JSON object, or nothing if it is anything else. Strings lose their
/// quotes if their value means the same without them, as in forms. With `own`, the parameters that name the call are
/// stored there instead.
[[nodiscard]] std::optional<std::vector<Param>> json_params_of_body(std::string_view body,
                                                                    const std::vector<Hole>& holes, OwnNames* own);

/// Returns the text of a JSON string, and any other text unchanged: `"abc"` becomes `abc`.
[[nodiscard]] std::string bare_text(std::string_view value);

}  // namespace tapedeck::api
