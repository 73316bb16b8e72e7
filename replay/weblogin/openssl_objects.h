#pragma once
// Helpers for the files of this folder that use OpenSSL.

#include <openssl/evp.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tapedeck::replay::weblogin {

template <auto Free>
struct FreedBy {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Pkey = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using PkeyContext = std::unique_ptr<EVP_PKEY_CTX, FreedBy<EVP_PKEY_CTX_free>>;
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, FreedBy<EVP_CIPHER_CTX_free>>;

/// Returns the bytes of an argument. An empty view may have a null pointer, which OpenSSL may take as "as before".
[[nodiscard]] inline const unsigned char* in(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.empty() ? "" : bytes.data());
}
/// Returns the bytes for a result.
[[nodiscard]] inline unsigned char* out(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

/// Throws if OpenSSL reports a failure that no input causes.
inline void require(bool is_fine) {
  if (!is_fine) throw std::runtime_error("a cipher of the web login failed in OpenSSL");
}

}  // namespace tapedeck::replay::weblogin
