#pragma once
// Reads calls whose names are in the path: "…/entry.cgi/API/VERSION/METHOD", as OpenAPI needs them. Call::from() reads
// such a path as a call with these three parameters, unless the request has parameters of these names. Devices do not
// accept such paths.

#include <string_view>

#include "http/message/message.h"

namespace tapedeck::api {

/// Returns the path of `target` up to the script of an API: "/webapi/entry.cgi".
[[nodiscard]] std::string_view script_path(std::string_view target);

/// Turns "…/entry.cgi/API/VERSION/METHOD?…" into the equivalent request that a device accepts:
/// "…/entry.cgi?api=API&version=VERSION&method=METHOD&…". Leaves every other request unchanged.
void move_names_to_query(http::Request& request);

}  // namespace tapedeck::api
