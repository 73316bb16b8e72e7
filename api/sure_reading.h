#pragma once
// Decides whether every server reads a request alike. The recorder reads it in one way; a device may be more lenient.

#include <string_view>

#include "http/message/message.h"

namespace tapedeck::api {

/// Returns true for a path that leads every server to the same script: up to there, it has no path parameters, control
/// characters, backslashes, and escapes that are escaped twice.
[[nodiscard]] bool is_sure_path(std::string_view path);

/// Returns true for a path that may lead to a script of the API, in any spelling.
[[nodiscard]] bool may_be_script(std::string_view path);

/// Returns true if the name of a parameter is spelled so that a lenient server may take it for one that names a call:
/// "Method", "method[]", "method ".
[[nodiscard]] bool resembles_own_name(std::string_view name);

/// Returns true for the name of an API or a method, as a catalog has them.
[[nodiscard]] bool is_plain_name(std::string_view name);

/// Returns true for a query or form in which no name of a call is behind `;`, at which some servers split.
[[nodiscard]] bool is_sure_query(std::string_view text);

/// Returns true for a body whose parameters every server reads alike, by its one Content-Type: a form, or a
/// multipart/form-data body that is exactly as RFC 7578 and RFC 2046 say; and for an empty one. Any other body is sure
/// if `reads_as_parameters`, because then it is a whole JSON object or a form without its type, and if it is a JSON
/// list that does not contain the names of a call.
[[nodiscard]] bool is_sure_body(const http::Request& request, bool reads_as_parameters);

}  // namespace tapedeck::api
