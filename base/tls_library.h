#pragma once
// The version of OpenSSL, because `tapedeck --version` lists the libraries in the program.

#include <string>

namespace tapedeck::base {

/// Returns "OpenSSL 3.0.17 1 Jul 2025".
[[nodiscard]] std::string tls_library();

}  // namespace tapedeck::base
