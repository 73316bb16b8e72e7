#pragma once
// Private keys in files that cannot be changed without breaking them: containers and archives.

#include <string_view>

namespace tapedeck::scrubbers {

/// True for PKCS#12, a private key as DER (PKCS#1, PKCS#8, SEC 1) and a Java keystore, by their first bytes.
[[nodiscard]] bool is_key_file(std::string_view bytes);

/// True when a private key stands in the text as PEM, PuTTY, OpenVPN, WireGuard or age write one.
[[nodiscard]] bool mentions_private_key(std::string_view text);

}  // namespace tapedeck::scrubbers
