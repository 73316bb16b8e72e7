#pragma once
// The version of OpenSSL, for `tapedeck --version`, which must name contained libraries.

#include <string>

namespace tapedeck::base {

/// Returns "OpenSSL 3.0.17 1 Jul 2025".
[[nodiscard]] std::string tls_library();

}  // namespace tapedeck::base
