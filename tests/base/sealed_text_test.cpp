#include "base/sealed_text.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <catch2/catch.hpp>
#include <memory>

using namespace tapedeck;

namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

unsigned char* octets(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

std::string modulus_of(EVP_PKEY* key) {
  BIGNUM* n = nullptr;
  EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &n);
  char* const hex = BN_bn2hex(n);
  std::string text = hex;
  OPENSSL_free(hex);
  BN_free(n);
  return text;
}

std::string from_base64(std::string text) {
  std::string bytes(text.size(), '\0');
  const int size = EVP_DecodeBlock(octets(bytes), octets(text), static_cast<int>(text.size()));
  const auto padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(size - padding));
  return bytes;
}

/// Decrypts a text like a device.
std::string opened(const base::SealedText& sealed, EVP_PKEY* key) {
  std::string rsa = from_base64(sealed.rsa), aes = from_base64(sealed.aes), passphrase(1024, '\0');
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(EVP_PKEY_CTX_new(key, nullptr),
                                                                            EVP_PKEY_CTX_free);
  std::size_t size = passphrase.size();
  EVP_PKEY_decrypt_init(context.get());
  EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_PADDING);
  REQUIRE(EVP_PKEY_decrypt(context.get(), octets(passphrase), &size, octets(rsa), rsa.size()) == 1);
  REQUIRE(aes.substr(0, 8) == "Salted__");
  std::string salt = aes.substr(8, 8), text = aes.substr(16), key_bytes(32, '\0'), iv(16, '\0'), out(aes.size(), '\0');
  EVP_BytesToKey(EVP_aes_256_cbc(), EVP_md5(), octets(salt), octets(passphrase), static_cast<int>(size), 1,
                 octets(key_bytes), octets(iv));
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> cipher(EVP_CIPHER_CTX_new(),
                                                                               EVP_CIPHER_CTX_free);
  int first = 0, last = 0;
  EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_cbc(), nullptr, octets(key_bytes), octets(iv));
  EVP_DecryptUpdate(cipher.get(), octets(out), &first, octets(text), static_cast<int>(text.size()));
  REQUIRE(EVP_DecryptFinal_ex(cipher.get(), octets(out) + first, &last) == 1);
  out.resize(static_cast<std::size_t>(first + last));
  return out;
}

}  // namespace

TEST_CASE("sealed text: only the owner of the key can decrypt it, and no two are equal") {
  const Key key(EVP_RSA_gen(2048), EVP_PKEY_free);
  const std::string modulus = modulus_of(key.get());
  for (const std::string& text : {std::string("account=ann&passwd=a%20b"), std::string(), std::string(5'000, 'x')}) {
    const auto sealed = base::seal(text, modulus);
    REQUIRE(sealed);
    CHECK(opened(*sealed, key.get()) == text);
    CHECK(sealed->aes.find("passwd") == std::string::npos);
    CHECK(base::seal(text, modulus)->aes != sealed->aes);
  }
}

TEST_CASE("sealed text: rejects an invalid modulus") {
  for (const std::string& modulus : {std::string(), std::string("00c0ffee"), std::string("no hex"),
                                    std::string(20'000, 'f'), std::string(512, '0')}) {
    CAPTURE(modulus.substr(0, 20));
    CHECK_FALSE(base::seal("text", modulus));
  }
}
