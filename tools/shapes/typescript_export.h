#pragma once
// TypeScript types of the operations that were seen.

#include <ostream>

#include "tools/shapes/operations.h"

namespace tapedeck::tools {

/// `operations` are settled.
void export_typescript(const Operations& operations, std::ostream& out);

}  // namespace tapedeck::tools
