#pragma once
// The parameters of any request, wherever they stand: shared by calls and by the keys of what is no call.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"

namespace tapedeck::api {

/// What names a call: the first parameters with these names in one place of a request.
struct OwnNames {
  std::optional<std::string> api, version, method;
  /// Where the value of a parameter of that name belongs; null for other names.
  [[nodiscard]] std::optional<std::string>* place(std::string_view name);
};

/// The query's parameters in order, each with those of `holes` that lie in its value. With `own`, those that it has a
/// place for go there and are no part of the list.
[[nodiscard]] std::vector<Param> target_params(const http::Request& request, const std::vector<Hole>& holes,
                                               OwnNames* own = nullptr);

/// Those of a form or multipart body; nothing for an empty body, one of another type, or one with broken framing.
[[nodiscard]] std::optional<std::vector<Param>> body_params(const http::Request& request,
                                                            const std::vector<Hole>& holes, OwnNames* own = nullptr);

/// Those of the body of a call, whatever its Content-Type says: clients often forget it. As body_params(), and a body of
/// up to longest_sniffed bytes that is a JSON object or looks like a form in each of its pairs.
[[nodiscard]] std::optional<std::vector<Param>> call_body_params(const http::Request& request,
                                                                 const std::vector<Hole>& holes,
                                                                 OwnNames* own = nullptr);
inline constexpr std::size_t longest_sniffed = 1u << 20;

/// `path` without `base_path` ("" or "/dsm") when that leads it as whole segments.
[[nodiscard]] std::string_view path_without_base(std::string_view path, std::string_view base_path);

}  // namespace tapedeck::api
