#pragma once
// Calls that their path names: "…/entry.cgi/API/VERSION/METHOD", as OpenAPI needs it. Call::from() reads them as the
// call with these three parameters; parameters of these names go before. Devices know no such paths.

#include <string_view>

#include "http/message/message.h"

namespace tapedeck::api {

/// Returns the path of `target` without what stands behind the script of an API: "/webapi/entry.cgi".
[[nodiscard]] std::string_view script_path(std::string_view target);

/// Turns "…/entry.cgi/API/VERSION/METHOD?…" into the request that a device understands, which is the same call:
/// "…/entry.cgi?api=API&version=VERSION&method=METHOD&…". Leaves every other request alone.
void move_names_to_query(http::Request& request);

}  // namespace tapedeck::api
