#include "base/sealed_text.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <memory>

#include "base/base64.h"
#include "base/digest.h"
#include "base/freed_by.h"
#include "base/text.h"
#include "base/wipe.h"

namespace tapedeck::base {
namespace {

using Number = std::unique_ptr<BIGNUM, FreedBy<&BN_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreedBy<&EVP_PKEY_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, FreedBy<&EVP_PKEY_CTX_free>>;
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreedBy<&EVP_CIPHER_CTX_free>>;
using Builder = std::unique_ptr<OSSL_PARAM_BLD, FreedBy<&OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, FreedBy<&OSSL_PARAM_free>>;

unsigned char* octets(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }
const unsigned char* octets(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

Key public_key(const std::string& modulus) {
  constexpr unsigned long exponent = 65537;
  BIGNUM* read = nullptr;
  if (BN_hex2bn(&read, modulus.c_str()) == 0) return nullptr;
  const Number n(read), e(BN_new());
  const Builder builder(OSSL_PARAM_BLD_new());
  if (!e || !builder || BN_set_word(e.get(), exponent) != 1) return nullptr;
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get());
  const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  EVP_PKEY* key = nullptr;
  if (!params || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) != 1) {
    return nullptr;
  }
  return Key(key);
}

std::optional<std::string> under_key(std::string_view text, EVP_PKEY* key) {
  const KeyContext context(EVP_PKEY_CTX_new(key, nullptr));
  std::size_t size = 0;
  if (!context || EVP_PKEY_encrypt_init(context.get()) != 1 ||
      EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_PADDING) != 1 ||
      EVP_PKEY_encrypt(context.get(), nullptr, &size, octets(text), text.size()) != 1) {
    return std::nullopt;
  }
  std::string sealed(size, '\0');
  if (EVP_PKEY_encrypt(context.get(), octets(sealed), &size, octets(text), text.size()) != 1) return std::nullopt;
  sealed.resize(size);
  return sealed;
}

std::optional<std::string> under_passphrase(std::string_view text, std::string_view passphrase) {
  constexpr int salt_size = 8, key_size = 32, iv_size = 16;
  const std::string salt = random_bytes(salt_size);
  std::string key(key_size, '\0'), iv(iv_size, '\0');
  const Cipher cipher(EVP_CIPHER_CTX_new());
  const bool ready = cipher &&
                     EVP_BytesToKey(EVP_aes_256_cbc(), EVP_md5(), octets(salt), octets(passphrase),
                                    static_cast<int>(passphrase.size()), 1, octets(key), octets(iv)) != 0 &&
                     EVP_EncryptInit_ex2(cipher.get(), EVP_aes_256_cbc(), octets(key), octets(iv), nullptr) == 1;
  wipe(key);
  std::string sealed(text.size() + 2 * iv_size, '\0');
  int size = 0, rest = 0;
  if (!ready ||
      EVP_EncryptUpdate(cipher.get(), octets(sealed), &size, octets(text), static_cast<int>(text.size())) != 1 ||
      EVP_EncryptFinal_ex(cipher.get(), octets(sealed) + size, &rest) != 1) {
    return std::nullopt;
  }
  sealed.resize(static_cast<std::size_t>(size + rest));
  return "Salted__" + salt + sealed;
}

}  // namespace

std::optional<SealedText> seal(std::string_view text, std::string_view modulus) {
  constexpr std::size_t fewest_bits = 1'024, most_bits = 8'192;
  if (!is_hex(modulus) || modulus.size() > most_bits / 4 + 2) return std::nullopt;
  const Key key = public_key(std::string(modulus));
  if (!key || EVP_PKEY_get_bits(key.get()) < static_cast<int>(fewest_bits)) return std::nullopt;
  constexpr std::size_t passphrase_bytes = 24;
  std::string passphrase = to_hex(random_bytes(passphrase_bytes));
  const auto rsa = under_key(passphrase, key.get());
  const auto aes = under_passphrase(text, passphrase);
  wipe(passphrase);
  if (!rsa || !aes) return std::nullopt;
  return SealedText{base64_form(*rsa), base64_form(*aes)};
}

}  // namespace tapedeck::base
