#pragma once
// The paths of this build and its sources. Only one file contains them, so that other objects are equal in every clone.

namespace tapedeck::tests {

extern const char* const source_folder;  ///< the project's folder, absolute
extern const char* const built_program;  ///< the tapedeck of this build
extern const char* const power_tracer;   ///< the shared library of tests/support/power

}  // namespace tapedeck::tests
