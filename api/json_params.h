#pragma once
// Parameters that are members of JSON objects: the parts of a compound request, and JSON request bodies.

#include <optional>
#include <vector>

#include "api/request_params.h"

namespace tapedeck::api {

struct JsonParams {
  OwnNames own;               ///< strings without their quotes
  std::vector<Param> others;  ///< values are JSON text
};

/// Returns the members of each object of the JSON array that `list` holds, or nothing if it holds anything else. The
/// `raw` of each parameter is that of `list`.
[[nodiscard]] std::optional<std::vector<JsonParams>> json_params_of_list(const Param& list);

/// Returns the members of the JSON object that a request's body is, or nothing if it is anything else. A string whose
/// value means the same without its quotes has none: clients that send forms send most values so.
/// With `own`, what names the call goes there.
[[nodiscard]] std::optional<std::vector<Param>> json_params_of_body(std::string_view body,
                                                                    const std::vector<Hole>& holes, OwnNames* own);

/// Returns the text of a JSON string, and any other text as it is: `"abc"` is `abc`.
[[nodiscard]] std::string bare_text(std::string_view value);

}  // namespace tapedeck::api
