#pragma once
// Where this build and its sources are. Compiled in one file, so that other objects are the same in every clone.

namespace tapedeck::tests {

extern const char* const source_folder;  ///< the project's folder, absolute
extern const char* const built_program;  ///< the tapedeck that this build made
extern const char* const power_tracer;   ///< the shared library of tests/support/power

}  // namespace tapedeck::tests
