#pragma once
// Writes TypeScript types of the recorded operations.

#include <ostream>

#include "tools/shapes/operations.h"

namespace tapedeck::tools {

/// Requires that Operations::settle() was called.
void export_typescript(const Operations& operations, std::ostream& out);

}  // namespace tapedeck::tools
