#pragma once
// Encrypts a text for the owner of an RSA key, in the form that devices accept for logins (docs/device-notes.md, "Login
// and sessions"). It is here because this folder includes OpenSSL.

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::base {

/// Both in base64. `rsa`: a passphrase for this text, encrypted with the key (PKCS #1 v1.5, which devices read). `aes`:
/// "Salted__", eight bytes of salt, and the text in AES-256-CBC, with key and IV from passphrase and salt as in
/// `openssl enc -md md5`.
struct SealedText {
  std::string rsa, aes;
};

/// `modulus` is that of the key in hex; its exponent is 65537. Returns nothing if it is not a modulus of 1,024 to 8,192
/// bits.
[[nodiscard]] std::optional<SealedText> seal(std::string_view text, std::string_view modulus);

}  // namespace tapedeck::base
