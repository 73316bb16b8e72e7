#pragma once
// A text that only the owner of an RSA key can read: the form in which devices take an encrypted login (field notes,
// "Login and sessions"). Here because OpenSSL is included in this folder.

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::base {

/// Both in base64. `rsa`: a passphrase made for this text alone, under the key (PKCS #1 v1.5, which is what devices
/// read). `aes`: "Salted__", eight bytes of salt, and the text in AES-256-CBC whose key and IV are made of passphrase
/// and salt as `openssl enc -md md5` makes them.
struct SealedText {
  std::string rsa, aes;
};

/// `modulus`: the key's, in hex digits; its exponent is 65537. Nothing for what is no modulus of 1,024 to 8,192 bits.
[[nodiscard]] std::optional<SealedText> seal(std::string_view text, std::string_view modulus);

}  // namespace tapedeck::base
