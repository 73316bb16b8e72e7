#pragma once
// Reads the parameters of any request, for calls and for the keys of other requests.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"

namespace tapedeck::api {

/// The parameters that name a call: the first ones with these names in one part of a request.
struct OwnNames {
  std::optional<std::string> api, version, method;
  /// Returns where the value of a parameter with this name is stored; null for other names.
  [[nodiscard]] std::optional<std::string>* place(std::string_view name);
};

/// Returns the parameters of the query in order, with the holes in their values. With `own`, the parameters that name
/// the call are stored there instead.
[[nodiscard]] std::vector<Param> target_params(const http::Request& request, const std::vector<Hole>& holes,
                                               OwnNames* own = nullptr);

/// Returns the parameters of a form or multipart body. Returns nothing for an empty body, another type, or broken
/// framing.
[[nodiscard]] std::optional<std::vector<Param>> body_params(const http::Request& request,
                                                            const std::vector<Hole>& holes, OwnNames* own = nullptr);

/// Returns the parameters of a call's body regardless of its Content-Type, which clients often omit. In addition to
/// body_params(), accepts a body of up to longest_sniffed bytes that is a JSON object or looks like a form.
[[nodiscard]] std::optional<std::vector<Param>> call_body_params(const http::Request& request,
                                                                 const std::vector<Hole>& holes,
                                                                 OwnNames* own = nullptr);
inline constexpr std::size_t longest_sniffed = 1u << 20;

/// Returns `path` without `base_path` ("" or "/dsm") if that is a prefix of whole segments.
[[nodiscard]] std::string_view path_without_base(std::string_view path, std::string_view base_path);

/// Returns the members of a request body that is a JSON object, or nothing if it is anything else. Strings lose their
/// quotes if their value means the same without them, as in forms. With `own`, the parameters that name the call are
/// stored there instead.
[[nodiscard]] std::optional<std::vector<Param>> json_params_of_body(std::string_view body,
                                                                    const std::vector<Hole>& holes, OwnNames* own);

}  // namespace tapedeck::api
