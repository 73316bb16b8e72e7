#pragma once
// The pages of the program's and its libraries' code that are mapped into this process.

namespace tapedeck::base {

/// Unmaps them all: those that are run again are mapped again from the kernel's cache, some microseconds each, and
/// those that ran only once, at the start, no longer count as this process's memory. Nothing happens under a debugger.
/// Any thread, at any time.
void unmap_code();

}  // namespace tapedeck::base
