#include "replay/weblogin/rsa_key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <algorithm>
#include <vector>

#include "api/json_spans.h"
#include "base/base64.h"
#include "base/digest.h"
#include "base/text.h"
#include "replay/weblogin/openssl_objects.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::replay::weblogin {
namespace {

constexpr unsigned factor_bits = 1024, factors = 4;
constexpr BN_ULONG public_exponent = 65'537;

using Number = std::unique_ptr<BIGNUM, FreedBy<BN_clear_free>>;
using NumberContext = std::unique_ptr<BN_CTX, FreedBy<BN_CTX_free>>;
using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, FreedBy<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, FreedBy<OSSL_PARAM_free>>;

/// Returns a number of factor_bits that depends only on the arguments. The three highest bits are set, so that the
/// product of all factors has its full length, and the lowest one, so that it is odd.
Number start_of_search(std::string_view seed, unsigned factor) {
  std::string bytes;
  for (unsigned block = 0; bytes.size() < factor_bits / 8; ++block) {
    const std::string label = "RSA factor " + std::to_string(factor) + " block " + std::to_string(block);
    const base::Sha256 digest = base::hmac_sha256(seed, label);
    bytes.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  }
  bytes.front() = static_cast<char>(bytes.front() | '\xe0');
  bytes.back() = static_cast<char>(bytes.back() | 1);
  Number number(BN_bin2bn(in(bytes), static_cast<int>(bytes.size()), nullptr));
  require(number != nullptr);
  return number;
}

/// Returns which of the numbers start, start + 2, … have no small factor.
std::vector<bool> sieved(const BIGNUM* start) {
  constexpr unsigned length = 16'384, largest = 32'768;
  std::vector<bool> stays(length, true), is_prime(largest, true);
  for (unsigned prime = 3; prime < largest; prime += 2) {
    if (!is_prime[prime]) continue;
    for (unsigned multiple = 3 * prime; multiple < largest; multiple += 2 * prime) is_prime[multiple] = false;
    const auto rest = static_cast<unsigned>(BN_mod_word(start, prime));
    // The first distance d with (rest + 2 * d) % prime == 0.
    const unsigned missing = (prime - rest) % prime;
    for (unsigned d = (missing % 2 == 0 ? missing : missing + prime) / 2; d < length; d += prime) stays[d] = false;
  }
  return stays;
}

/// Returns the first prime from the start on whose predecessor has no common factor with the exponent.
Number prime_of(std::string_view seed, unsigned factor, BN_CTX* context) {
  Number number = start_of_search(seed, factor);
  const std::vector<bool> stays = sieved(number.get());
  for (const bool may_be_prime : stays) {
    if (may_be_prime && BN_mod_word(number.get(), public_exponent) != 1) {
      const int is_prime = BN_check_prime(number.get(), context, nullptr);
      require(is_prime >= 0);
      if (is_prime == 1) return number;
    }
    require(BN_add_word(number.get(), 2) == 1);
  }
  // A gap of 32,768 between primes of this size does not occur.
  throw std::runtime_error("no prime number was found for the RSA key of the web login");
}

struct Numbers {
  Number modulus{BN_new()}, exponent{BN_new()}, secret;
};

Numbers numbers_of(std::string_view seed) {
  const NumberContext context(BN_CTX_new());
  Numbers made;
  const Number order(BN_new());
  require(context && made.modulus && made.exponent && order);
  require(BN_one(made.modulus.get()) == 1 && BN_one(order.get()) == 1 &&
          BN_set_word(made.exponent.get(), public_exponent) == 1);
  for (unsigned i = 0; i < factors; ++i) {
    const Number prime = prime_of(seed, i, context.get());
    require(BN_mul(made.modulus.get(), made.modulus.get(), prime.get(), context.get()) == 1);
    require(BN_sub_word(prime.get(), 1) == 1);
    require(BN_mul(order.get(), order.get(), prime.get(), context.get()) == 1);
  }
  made.secret.reset(BN_mod_inverse(nullptr, made.exponent.get(), order.get(), context.get()));
  require(made.secret != nullptr);
  return made;
}

Pkey key_of(const Numbers& numbers) {
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  require(builder && OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, numbers.modulus.get()) == 1 &&
          OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, numbers.exponent.get()) == 1 &&
          OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_D, numbers.secret.get()) == 1);
  const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
  const PkeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  EVP_PKEY* key = nullptr;
  require(params && context && EVP_PKEY_fromdata_init(context.get()) == 1 &&
          EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_KEYPAIR, params.get()) == 1);
  return Pkey(key);
}

std::string public_der(EVP_PKEY* key) {
  unsigned char* bytes = nullptr;
  const int size = i2d_PUBKEY(key, &bytes);
  require(size > 0);
  std::string der(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return der;
}

bool is_hex(std::string_view text, std::string_view letters) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [letters](char c) {
    return base::is_digit(c) || letters.find(c) != std::string_view::npos;
  });
}

constexpr std::string_view pem_begin = "-----BEGIN PUBLIC KEY-----\n", pem_end = "-----END PUBLIC KEY-----\n";

std::string pem_of(std::string_view der) {
  constexpr std::size_t line = 64;
  const std::string text = base::base64_form(der);
  std::string pem(pem_begin);
  for (std::size_t at = 0; at < text.size(); at += line) pem.append(text, at, line).append("\n");
  return pem.append(pem_end);
}

/// Returns the text of a JSON string without its escapes; empty for other values.
std::string string_member(std::string_view object, std::string_view name) {
  const auto value = api::json_member(object, name);
  if (!value || value->size() < 2 || value->front() != '"') return {};
  return scrubbers::decode_text(scrubbers::Codec::json, value->substr(1, value->size() - 2));
}

/// Decrypts the format of `openssl enc -aes-256-cbc -md md5`.
std::optional<std::string> decrypt_salted(std::string_view encrypted, std::string_view passphrase) {
  constexpr std::string_view magic = "Salted__";
  constexpr std::size_t salt_size = 8, block = 16;
  if (!encrypted.starts_with(magic) || encrypted.size() < magic.size() + salt_size) return std::nullopt;
  const std::string_view salt = encrypted.substr(magic.size(), salt_size);
  encrypted.remove_prefix(magic.size() + salt_size);
  std::string key(EVP_MAX_KEY_LENGTH, '\0'), vector(EVP_MAX_IV_LENGTH, '\0'), text(encrypted.size() + block, '\0');
  require(EVP_BytesToKey(EVP_aes_256_cbc(), EVP_md5(), in(salt), in(passphrase), static_cast<int>(passphrase.size()), 1,
                         out(key), out(vector)) > 0);
  const CipherContext context(EVP_CIPHER_CTX_new());
  int first = 0, last = 0;
  require(context && EVP_DecryptInit_ex(context.get(), EVP_aes_256_cbc(), nullptr, in(key), in(vector)) == 1);
  require(EVP_DecryptUpdate(context.get(), out(text), &first, in(encrypted), static_cast<int>(encrypted.size())) == 1);
  if (EVP_DecryptFinal_ex(context.get(), out(text) + first, &last) != 1) return std::nullopt;
  text.resize(static_cast<std::size_t>(first) + static_cast<std::size_t>(last));
  return text;
}

}  // namespace

struct RsaKey::Impl {
  Pkey key;
  std::string modulus;  ///< bytes
};

RsaKey::RsaKey(std::string_view seed) : impl_(std::make_unique<Impl>()) {
  const Numbers numbers = numbers_of(seed);
  impl_->key = key_of(numbers);
  impl_->modulus.resize(static_cast<std::size_t>(BN_num_bytes(numbers.modulus.get())));
  BN_bn2bin(numbers.modulus.get(), out(impl_->modulus));
}

RsaKey::~RsaKey() = default;

std::string RsaKey::public_key(std::string_view like) const {
  if (like.starts_with("-----BEGIN")) return pem_of(public_der(impl_->key.get()));
  std::string hex = base::to_hex(impl_->modulus);
  if (like.empty() || is_hex(like, "abcdef")) return hex;
  if (is_hex(like, "ABCDEF")) {
    std::transform(hex.begin(), hex.end(), hex.begin(), base::upper);
    return hex;
  }
  const bool is_base64 =
      std::all_of(like.begin(), like.end(), [](char c) { return base::base64_value(c) >= 0 || c == '='; });
  return is_base64 && !is_hex(like, "abcdefABCDEF") ? base::base64_form(public_der(impl_->key.get())) : hex;
}

std::optional<std::string> RsaKey::decrypt(std::string_view encrypted) const {
  if (encrypted.size() != impl_->modulus.size()) return std::nullopt;
  const PkeyContext context(EVP_PKEY_CTX_new(impl_->key.get(), nullptr));
  require(context && EVP_PKEY_decrypt_init(context.get()) == 1 &&
          EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_PADDING) == 1);
  std::string text(impl_->modulus.size(), '\0');
  std::size_t size = text.size();
  if (EVP_PKEY_decrypt(context.get(), out(text), &size, in(encrypted), encrypted.size()) != 1) return std::nullopt;
  text.resize(size);
  return text;
}

bool is_encrypted_form(std::string_view value) {
  return !string_member(value, "rsa").empty() && !string_member(value, "aes").empty();
}

std::optional<std::string> decrypted_form(std::string_view value, const RsaKey& key) {
  const auto passphrase = key.decrypt(base::from_base64(string_member(value, "rsa")));
  return passphrase ? decrypt_salted(base::from_base64(string_member(value, "aes")), *passphrase) : std::nullopt;
}

}  // namespace tapedeck::replay::weblogin
