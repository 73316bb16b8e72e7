#pragma once
// Writes an OpenAPI 3.1 document of the operations that were recorded.

#include <ostream>

#include "tools/shapes/operations.h"

namespace tapedeck::tools {

/// Requires settled `operations`. OpenAPI tells operations apart by path and verb, devices by parameters: an
/// operation's path is "/webapi/entry.cgi/API/VERSION/METHOD", which replay reads as the call (api/call.h). Parameters
/// whose value is a list or an object are JSON text, as devices expect it, whatever a client does with arrays. `server`
/// is the URL of the document's server.
void export_openapi(const Operations& operations, const std::string& server, std::ostream& out);

}  // namespace tapedeck::tools
