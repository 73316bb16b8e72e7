#pragma once
// The client's side of the web login, for tests: the initiator of both patterns, and the hashes of later requests.

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "replay/weblogin/base64url.h"
#include "replay/weblogin/noise.h"

namespace tapedeck::replay::weblogin {

class Initiator {
 public:
  Initiator(Pattern pattern, KeyPair own, KeyPair ephemeral, std::string server_key, std::string_view prologue = {})
      : pattern_(pattern),
        own_(std::move(own)),
        ephemeral_(std::move(ephemeral)),
        server_key_(std::move(server_key)),
        state_(protocol_of(pattern)) {
    state_.mix_hash(prologue);
    if (pattern == Pattern::kk) state_.mix_hash(own_.public_key);
    state_.mix_hash(server_key_);
  }

  [[nodiscard]] std::string write(std::string_view payload) {
    std::string message = ephemeral_.public_key;
    state_.mix_hash(message);
    state_.mix_key(shared_secret(ephemeral_, server_key_).value());
    if (pattern_ == Pattern::ik) message += state_.encrypt_and_hash(own_.public_key);
    state_.mix_key(shared_secret(own_, server_key_).value());
    return message + state_.encrypt_and_hash(payload);
  }

  /// Returns false if message 2 is not the response to message 1.
  [[nodiscard]] bool read(std::string_view message) {
    if (message.size() < key_size) return false;
    const std::string server_ephemeral(message.substr(0, key_size));
    state_.mix_hash(server_ephemeral);
    state_.mix_key(shared_secret(ephemeral_, server_ephemeral).value());
    state_.mix_key(shared_secret(own_, server_ephemeral).value());
    if (state_.decrypt_and_hash(message.substr(key_size)) != std::string()) return false;
    keys_ = state_.split();
    return true;
  }

  [[nodiscard]] const std::string& hash() const { return state_.hash(); }
  [[nodiscard]] const std::pair<std::string, std::string>& keys() const { return keys_; }
  /// Returns the value of X-SYNO-HASH.
  [[nodiscard]] std::string request_hash(std::uint64_t counter) const {
    return to_base64url(hash()).substr(0, 8) + to_base64url(seal(keys_.first, counter, {}, {})) + "." +
           to_base64url(std::to_string(counter));
  }

 private:
  Pattern pattern_;
  KeyPair own_, ephemeral_;
  std::string server_key_;
  SymmetricState state_;
  std::pair<std::string, std::string> keys_;
};

inline std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(base::whole_number<unsigned>(hex.substr(i, 2), 16).value());
  }
  return bytes;
}

/// Encrypts as clients do, with PKCS #1 v1.5, the modulus in hex, and the exponent 65,537.
inline std::string encrypt_for(const std::string& modulus, std::string_view text) {
  BIGNUM *n = nullptr, *e = nullptr;
  BN_hex2bn(&n, modulus.c_str());
  BN_hex2bn(&e, "10001");
  OSSL_PARAM_BLD* const builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n);
  OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e);
  OSSL_PARAM* const params = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY_CTX* const maker = EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr);
  EVP_PKEY* key = nullptr;
  EVP_PKEY_fromdata_init(maker);
  EVP_PKEY_fromdata(maker, &key, EVP_PKEY_PUBLIC_KEY, params);
  EVP_PKEY_CTX* const context = EVP_PKEY_CTX_new(key, nullptr);
  std::string encrypted(modulus.size() / 2, '\0');
  std::size_t size = encrypted.size();
  const bool is_fine = EVP_PKEY_encrypt_init(context) == 1 &&
                       EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1 &&
                       EVP_PKEY_encrypt(context, reinterpret_cast<unsigned char*>(encrypted.data()), &size,
                                        reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1;
  EVP_PKEY_CTX_free(context);
  EVP_PKEY_free(key);
  EVP_PKEY_CTX_free(maker);
  OSSL_PARAM_free(params);
  OSSL_PARAM_BLD_free(builder);
  BN_free(n);
  BN_free(e);
  if (!is_fine) throw std::runtime_error("the public key cannot encrypt " + std::to_string(text.size()) + " bytes");
  return encrypted;
}

/// Encrypts in the format of `openssl enc -aes-256-cbc -md md5`.
inline std::string salted(std::string_view text, std::string_view passphrase) {
  const std::string salt = "\1\2\3\4\5\6\7\x08";
  unsigned char key[EVP_MAX_KEY_LENGTH], vector[EVP_MAX_IV_LENGTH];
  EVP_BytesToKey(EVP_aes_256_cbc(), EVP_md5(), reinterpret_cast<const unsigned char*>(salt.data()),
                 reinterpret_cast<const unsigned char*>(passphrase.data()), static_cast<int>(passphrase.size()), 1, key,
                 vector);
  EVP_CIPHER_CTX* const context = EVP_CIPHER_CTX_new();
  std::string out(text.size() + 16, '\0');
  int first = 0, last = 0;
  auto* const to = reinterpret_cast<unsigned char*>(out.data());
  EVP_EncryptInit_ex(context, EVP_aes_256_cbc(), nullptr, key, vector);
  EVP_EncryptUpdate(context, to, &first, reinterpret_cast<const unsigned char*>(text.data()),
                    static_cast<int>(text.size()));
  EVP_EncryptFinal_ex(context, to + first, &last);
  EVP_CIPHER_CTX_free(context);
  return "Salted__" + salt + out.substr(0, static_cast<std::size_t>(first + last));
}

/// Returns the value of `__cIpHeRtExT` for a form, with a passphrase of 501 bytes as in browsers.
inline std::string encrypted_value(const std::string& modulus, std::string_view form) {
  const std::string passphrase(501, '~');
  return R"({"rsa":")" + base::base64_form(encrypt_for(modulus, passphrase)) + R"(","aes":")" +
         base::base64_form(salted(form, passphrase)) + "\"}";
}

}  // namespace tapedeck::replay::weblogin
