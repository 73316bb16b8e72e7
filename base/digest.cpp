#include "base/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <memory>
#include <stdexcept>

#include "base/text.h"

namespace tapedeck::base {
namespace {

const unsigned char* octets(std::string_view bytes) {
  // An empty view may hold a null pointer, which HMAC() reads as "the key of the last call".
  return reinterpret_cast<const unsigned char*>(bytes.empty() ? "" : bytes.data());
}

}  // namespace

Sha256 sha256(std::string_view bytes) { return sha256(std::initializer_list<std::string_view>{bytes}); }

Sha256 sha256(std::initializer_list<std::string_view> pieces) {
  // By name, and with a context of its own each time, OpenSSL takes longer than hashing a short text does.
  static EVP_MD* const method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  Sha256 digest{};
  bool is_fine = EVP_DigestInit_ex2(context.get(), method, nullptr) == 1;
  for (const std::string_view piece : pieces) {
    is_fine = is_fine && EVP_DigestUpdate(context.get(), piece.data(), piece.size()) == 1;
  }
  if (!is_fine || EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1) {
    throw std::runtime_error("SHA-256 failed in OpenSSL");
  }
  return digest;
}

Sha256 hmac_sha256(std::string_view key, std::string_view bytes) {
  Sha256 digest{};
  unsigned length = 0;
  if (HMAC(EVP_sha256(), octets(key), static_cast<int>(key.size()), octets(bytes), bytes.size(), digest.data(),
           &length) == nullptr) {
    throw std::runtime_error("HMAC-SHA-256 failed in OpenSSL");
  }
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
