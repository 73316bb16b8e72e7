#pragma once
// The RSA key with which clients encrypt a login over plain http (docs/device-notes.md, "Login and sessions").

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::replay::weblogin {

/// An RSA key of 4,096 bits with the public exponent 65,537, which depends only on a seed. It has four prime factors of
/// 1,024 bits, because finding them takes a tenth of a second, while two of 2,048 bits take seconds. Thread-safe.
class RsaKey {
 public:
  explicit RsaKey(std::string_view seed);
  ~RsaKey();
  RsaKey(const RsaKey&) = delete;
  RsaKey& operator=(const RsaKey&) = delete;

  /// Returns the public key in the form of `like`, a public key of a device: the modulus in hex in the same case, or a
  /// SubjectPublicKeyInfo in base64 or PEM. Other texts get the modulus in lower-case hex.
  [[nodiscard]] std::string public_key(std::string_view like = {}) const;
  /// Decrypts a text of PKCS #1 v1.5, or returns nothing if it is for another key or damaged.
  [[nodiscard]] std::optional<std::string> decrypt(std::string_view encrypted) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Returns the form that the value of `__cIpHeRtExT` contains: JSON with the members `rsa` (a passphrase for the key)
/// and `aes` (the form, encrypted by AES-256-CBC with the passphrase in the format of `openssl enc`, MD5), both in
/// base64. Returns nothing for anything else, and for another key.
[[nodiscard]] std::optional<std::string> decrypted_form(std::string_view value, const RsaKey& key);
/// Returns true for JSON with both members.
[[nodiscard]] bool is_encrypted_form(std::string_view value);

}  // namespace tapedeck::replay::weblogin
