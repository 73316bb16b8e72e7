#pragma once
// A process that has secrets in its memory.

namespace tapedeck::cli {

/// No core dump, and nobody may look into it; a command that it starts is not concerned.
void keep_memory_private();

}  // namespace tapedeck::cli
