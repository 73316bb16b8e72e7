#pragma once
// Recognizes private keys in files that cannot be scrubbed in place.

#include <string_view>

namespace tapedeck::scrubbers {

/// Returns true for PKCS#12, a private key in DER (PKCS#1, PKCS#8, SEC 1), and a Java keystore, by the first bytes.
[[nodiscard]] bool is_key_file(std::string_view bytes);

/// Returns true if the text contains a private key in the format of PEM, PuTTY, OpenVPN, WireGuard, or age.
[[nodiscard]] bool mentions_private_key(std::string_view text);

}  // namespace tapedeck::scrubbers
