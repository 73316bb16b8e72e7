#pragma once
// Writes an OpenAPI 3.1 document of the operations that were recorded.

#include <ostream>

#include "tools/shapes/operations.h"

namespace tapedeck::tools {

/// Requires that Operations::settle() was called. OpenAPI distinguishes operations by path and verb, but devices use
/// parameters, so the path of an operation is "/webapi/entry.cgi/API/VERSION/METHOD", which replay reads as the call
/// (api/call.h). List and object parameters are described as JSON text, because devices require it and generated
/// clients serialize arrays in other ways. `server` is the URL of the document's server.
void export_openapi(const Operations& operations, const std::string& server, std::ostream& out);

}  // namespace tapedeck::tools
