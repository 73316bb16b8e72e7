#pragma once
// Which OpenSSL this program has, for `tapedeck --version`: a program that carries its libraries must say it.

#include <string>

namespace tapedeck::base {

/// "OpenSSL 3.0.17 1 Jul 2025".
[[nodiscard]] std::string tls_library();

}  // namespace tapedeck::base
