#pragma once
// OpenAPI 3.1 of the operations that were seen.

#include <ostream>

#include "tools/shapes/operations.h"

namespace tapedeck::tools {

/// `operations` are settled. An operation stands at its path with the call behind a `#`, since OpenAPI tells operations
/// by path and verb alone; no client sends what is behind it.
void export_openapi(const Operations& operations, std::ostream& out);

}  // namespace tapedeck::tools
