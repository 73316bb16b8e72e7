#include "base/digest.h"

// OpenSSL recommends EVP, but EVP initializes all algorithms at the first hash, which takes a tenth of the instructions
// of a server's start (docs/decisions.md).
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <stdexcept>

#include "base/text.h"

namespace tapedeck::base {
namespace {

const unsigned char* bytes_of(std::string_view bytes) {
  // An empty view may have a null pointer, which HMAC() interprets as "the key of the last call".
  return reinterpret_cast<const unsigned char*>(bytes.empty() ? "" : bytes.data());
}

}  // namespace

Sha256 sha256(std::string_view bytes) { return sha256(std::initializer_list<std::string_view>{bytes}); }

Sha256 sha256(std::initializer_list<std::string_view> pieces) {
  SHA256_CTX context;
  bool is_fine = SHA256_Init(&context) == 1;
  for (const std::string_view piece : pieces) {
    is_fine = is_fine && SHA256_Update(&context, piece.data(), piece.size()) == 1;
  }
  Sha256 digest{};
  if (!is_fine || SHA256_Final(digest.data(), &context) != 1) throw std::runtime_error("SHA-256 failed in OpenSSL");
  return digest;
}

Sha256 hmac_sha256(std::string_view key, std::string_view bytes) {
  Sha256 digest{};
  unsigned length = 0;
  if (HMAC(EVP_sha256(), bytes_of(key), static_cast<int>(key.size()), bytes_of(bytes), bytes.size(), digest.data(),
           &length) == nullptr) {
    throw std::runtime_error("HMAC-SHA-256 failed in OpenSSL");
  }
  return digest;
}

std::string sha1(std::string_view bytes) {
  std::string digest(SHA_DIGEST_LENGTH, '\0');
  static_cast<void>(SHA1(bytes_of(bytes), bytes.size(), reinterpret_cast<unsigned char*>(digest.data())));
  return digest;
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) append_hex(text, c);
  return text;
}

std::string to_hex(const Sha256& digest) {
  return to_hex(std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  if (count != 0 && RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1) {
    throw std::runtime_error("the system's random generator failed");
  }
  return bytes;
}

}  // namespace tapedeck::base
