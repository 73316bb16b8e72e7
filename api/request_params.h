#pragma once
// The parameters of any request, wherever they stand: shared by calls and by the keys of what is no call.

#include <optional>
#include <string_view>
#include <vector>

#include "api/call.h"

namespace tapedeck::api {

/// The query's parameters in order, each with those of `holes` that lie in its value.
[[nodiscard]] std::vector<Param> target_params(const http::Request& request, const std::vector<Hole>& holes);

/// Those of a form or multipart body; nothing for an empty body, one of another type, or one with broken framing.
[[nodiscard]] std::optional<std::vector<Param>> body_params(const http::Request& request,
                                                            const std::vector<Hole>& holes);

/// `path` without `base_path` ("" or "/dsm") when that leads it as whole segments.
[[nodiscard]] std::string_view path_without_base(std::string_view path, std::string_view base_path);

}  // namespace tapedeck::api
