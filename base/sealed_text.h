#pragma once
// Encrypts a text for the owner of an RSA key, in the format that devices accept for logins (docs/device-notes.md,
// "Login and sessions"). It is in this folder because only this folder includes OpenSSL.

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::base {

/// The encrypted text in two parts, both in base64. `rsa` is a passphrase for this text, encrypted with the key (PKCS
/// #1 v1.5, which devices accept). `aes` is "Salted__", eight bytes of salt, and the text in AES-256-CBC. Key and IV
/// are derived from passphrase and salt as in `openssl enc -md md5`.
struct SealedText {
  std::string rsa, aes;
};

/// Encrypts with a key whose modulus is `modulus` in hex and whose exponent is 65537. Returns nothing if the modulus
/// does not have 1,024 to 8,192 bits.
[[nodiscard]] std::optional<SealedText> seal(std::string_view text, std::string_view modulus);

}  // namespace tapedeck::base
