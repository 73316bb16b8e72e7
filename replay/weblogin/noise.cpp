#include "replay/weblogin/noise.h"

#include <tuple>

#include "replay/weblogin/openssl_objects.h"

namespace tapedeck::replay::weblogin {
namespace {

constexpr std::size_t hash_size = 64, block_size = 128, nonce_size = 12;

using DigestContext = std::unique_ptr<EVP_MD_CTX, FreedBy<EVP_MD_CTX_free>>;

std::string blake2b(std::initializer_list<std::string_view> pieces) {
  const DigestContext context(EVP_MD_CTX_new());
  require(context && EVP_DigestInit_ex(context.get(), EVP_blake2b512(), nullptr) == 1);
  for (const std::string_view piece : pieces) {
    require(EVP_DigestUpdate(context.get(), in(piece), piece.size()) == 1);
  }
  std::string digest(hash_size, '\0');
  require(EVP_DigestFinal_ex(context.get(), out(digest), nullptr) == 1);
  return digest;
}

/// HMAC (RFC 2104) with a key of at most block_size bytes.
std::string hmac(std::string_view key, std::initializer_list<std::string_view> pieces) {
  std::string inner(block_size, '\x36'), outer(block_size, '\x5c'), text;
  for (std::size_t i = 0; i < key.size(); ++i) {
    inner[i] = static_cast<char>(inner[i] ^ key[i]);
    outer[i] = static_cast<char>(outer[i] ^ key[i]);
  }
  for (const std::string_view piece : pieces) text += piece;
  return blake2b({outer, blake2b({inner, text})});
}

/// The HKDF of the specification (section 4.3) with two results.
std::pair<std::string, std::string> hkdf(std::string_view chaining_key, std::string_view secret) {
  using namespace std::string_view_literals;
  const std::string key = hmac(chaining_key, {secret});
  std::string first = hmac(key, {"\x01"sv});
  std::string second = hmac(key, {first, "\x02"sv});
  return {std::move(first), std::move(second)};
}

std::string nonce_of(std::uint64_t counter) {
  std::string nonce(nonce_size, '\0');
  for (std::size_t i = 4; i < nonce_size; ++i, counter >>= 8) nonce[i] = static_cast<char>(counter & 0xff);
  return nonce;
}

/// Runs ChaCha20-Poly1305 over the texts and leaves the context before the end.
CipherContext cipher(std::string_view key, std::uint64_t counter, std::string_view additional, std::string_view text,
                     std::string& result, bool encrypts) {
  CipherContext context(EVP_CIPHER_CTX_new());
  const std::string nonce = nonce_of(counter);
  int length = 0;
  require(key.size() == key_size && context &&
          EVP_CipherInit_ex(context.get(), EVP_chacha20_poly1305(), nullptr, in(key), in(nonce), encrypts ? 1 : 0) ==
              1);
  require(additional.empty() ||
          EVP_CipherUpdate(context.get(), nullptr, &length, in(additional), static_cast<int>(additional.size())) == 1);
  result.resize(text.size());
  require(text.empty() ||
          EVP_CipherUpdate(context.get(), out(result), &length, in(text), static_cast<int>(text.size())) == 1);
  return context;
}

}  // namespace

KeyPair key_pair(std::string private_key) {
  const Pkey key(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, in(private_key), private_key.size()));
  std::string public_key(key_size, '\0');
  std::size_t size = public_key.size();
  require(key && EVP_PKEY_get_raw_public_key(key.get(), out(public_key), &size) == 1);
  return {std::move(private_key), std::move(public_key)};
}

std::optional<std::string> shared_secret(const KeyPair& own, std::string_view public_key) {
  const Pkey key(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, in(own.private_key), own.private_key.size()));
  const Pkey peer(EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, in(public_key), public_key.size()));
  const PkeyContext context(key ? EVP_PKEY_CTX_new(key.get(), nullptr) : nullptr);
  require(context && EVP_PKEY_derive_init(context.get()) == 1);
  std::string secret(key_size, '\0');
  std::size_t size = secret.size();
  if (!peer || EVP_PKEY_derive_set_peer(context.get(), peer.get()) != 1) return std::nullopt;
  if (EVP_PKEY_derive(context.get(), out(secret), &size) != 1) return std::nullopt;
  return secret;
}

std::string seal(std::string_view key, std::uint64_t counter, std::string_view additional, std::string_view text) {
  std::string sealed, tag(tag_size, '\0');
  const CipherContext context = cipher(key, counter, additional, text, sealed, true);
  int length = 0;
  require(EVP_CipherFinal_ex(context.get(), out(tag), &length) == 1);
  require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, tag_size, tag.data()) == 1);
  return sealed + tag;
}

std::optional<std::string> unseal(std::string_view key, std::uint64_t counter, std::string_view additional,
                                  std::string_view sealed) {
  if (sealed.size() < tag_size) return std::nullopt;
  std::string text, tag(sealed.substr(sealed.size() - tag_size)), rest(tag_size, '\0');
  const CipherContext context =
      cipher(key, counter, additional, sealed.substr(0, sealed.size() - tag_size), text, false);
  int length = 0;
  require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, tag_size, tag.data()) == 1);
  if (EVP_CipherFinal_ex(context.get(), out(rest), &length) != 1) return std::nullopt;
  return text;
}

SymmetricState::SymmetricState(std::string_view protocol) : hash_(protocol) {
  hash_.resize(hash_size);  // all protocol names here are shorter
  chaining_key_ = hash_;
}

void SymmetricState::mix_hash(std::string_view bytes) { hash_ = blake2b({hash_, bytes}); }

void SymmetricState::mix_key(std::string_view secret) {
  std::tie(chaining_key_, key_) = hkdf(chaining_key_, secret);
  key_.resize(key_size);
  counter_ = 0;
}

std::string SymmetricState::encrypt_and_hash(std::string_view text) {
  std::string sealed = seal(key_, counter_++, hash_, text);
  mix_hash(sealed);
  return sealed;
}

std::optional<std::string> SymmetricState::decrypt_and_hash(std::string_view sealed) {
  auto text = unseal(key_, counter_, hash_, sealed);
  if (!text) return std::nullopt;
  ++counter_;
  mix_hash(sealed);
  return text;
}

std::pair<std::string, std::string> SymmetricState::split() const {
  auto keys = hkdf(chaining_key_, {});
  keys.first.resize(key_size);
  keys.second.resize(key_size);
  return keys;
}

std::string_view protocol_of(Pattern pattern) {
  return pattern == Pattern::ik ? "Noise_IK_25519_ChaChaPoly_BLAKE2b" : "Noise_KK_25519_ChaChaPoly_BLAKE2b";
}

namespace {

/// One handshake in the role of the responder.
class Responder {
 public:
  Responder(Pattern pattern, const ResponderKeys& keys, std::string_view prologue)
      : pattern_(pattern), keys_(keys), state_(protocol_of(pattern)) {
    done_.client_key = keys.client_key;
    state_.mix_hash(prologue);
    if (pattern == Pattern::kk) state_.mix_hash(keys.client_key);
    state_.mix_hash(keys.own.public_key);
  }

  /// Reads "e, es, s, ss" of IK or "e, es, ss" of KK.
  [[nodiscard]] bool read(std::string_view message) {
    if (message.size() < key_size) return false;
    client_ephemeral_ = message.substr(0, key_size);
    message.remove_prefix(key_size);
    state_.mix_hash(client_ephemeral_);
    if (!mix(keys_.own, client_ephemeral_)) return false;
    if (pattern_ == Pattern::ik) {
      constexpr std::size_t sealed_key = key_size + tag_size;
      const auto client_key = state_.decrypt_and_hash(message.substr(0, sealed_key));
      if (!client_key || client_key->size() != key_size) return false;
      done_.client_key = *client_key;
      message.remove_prefix(sealed_key);
    }
    if (!mix(keys_.own, done_.client_key)) return false;
    auto payload = state_.decrypt_and_hash(message);
    if (!payload) return false;
    done_.payload = std::move(*payload);
    return true;
  }

  /// Writes "e, ee, se", which both patterns have.
  [[nodiscard]] std::optional<Handshake> write() {
    const KeyPair& ephemeral = keys_.ephemeral;
    state_.mix_hash(ephemeral.public_key);
    if (!mix(ephemeral, client_ephemeral_) || !mix(ephemeral, done_.client_key)) return std::nullopt;
    done_.message = ephemeral.public_key + state_.encrypt_and_hash({});
    done_.hash = state_.hash();
    std::tie(done_.client_cipher_key, done_.responder_cipher_key) = state_.split();
    return std::move(done_);
  }

 private:
  [[nodiscard]] bool mix(const KeyPair& own, std::string_view other) {
    const auto secret = shared_secret(own, other);
    if (secret) state_.mix_key(*secret);
    return secret.has_value();
  }

  const Pattern pattern_;
  const ResponderKeys& keys_;
  SymmetricState state_;
  std::string client_ephemeral_;
  Handshake done_;
};

}  // namespace

std::optional<Handshake> respond(Pattern pattern, const ResponderKeys& keys, std::string_view message,
                                 std::string_view prologue) {
  Responder responder(pattern, keys, prologue);
  return responder.read(message) ? responder.write() : std::nullopt;
}

}  // namespace tapedeck::replay::weblogin
