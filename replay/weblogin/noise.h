#pragma once
// The parts of the Noise Protocol Framework (revision 34) that the device's web login uses: X25519, ChaCha20-Poly1305,
// and BLAKE2b, in the patterns IK and KK, as the responder (docs/device-notes.md, "The handshake of the web login").
// All texts are bytes. Only the .cpp file includes OpenSSL, whose failures throw std::runtime_error.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tapedeck::replay::weblogin {

inline constexpr std::size_t key_size = 32, tag_size = 16;

/// An X25519 key pair.
struct KeyPair {
  std::string private_key, public_key;
};
/// Returns the pair of a private key of key_size bytes.
[[nodiscard]] KeyPair key_pair(std::string private_key);
/// Returns the common secret of both keys, or nothing for a public key that no key pair has (all zeros or of low
/// order).
[[nodiscard]] std::optional<std::string> shared_secret(const KeyPair& own, std::string_view public_key);

/// Encrypts and authenticates with ChaCha20-Poly1305 and the nonce `counter`. The result is longer by tag_size.
[[nodiscard]] std::string seal(std::string_view key, std::uint64_t counter, std::string_view additional,
                               std::string_view text);
/// Decrypts the result of seal(), or returns nothing if it was made with anything else.
[[nodiscard]] std::optional<std::string> unseal(std::string_view key, std::uint64_t counter,
                                                std::string_view additional, std::string_view sealed);

/// The SymmetricState of the specification (section 5.2) with its CipherState.
class SymmetricState {
 public:
  explicit SymmetricState(std::string_view protocol);

  void mix_hash(std::string_view bytes);
  void mix_key(std::string_view secret);
  /// Requires a mix_key() before, as in all patterns here.
  [[nodiscard]] std::string encrypt_and_hash(std::string_view text);
  [[nodiscard]] std::optional<std::string> decrypt_and_hash(std::string_view sealed);
  /// Returns the keys for messages of the initiator and of the responder.
  [[nodiscard]] std::pair<std::string, std::string> split() const;
  [[nodiscard]] const std::string& hash() const { return hash_; }

 private:
  std::string hash_, chaining_key_, key_;
  std::uint64_t counter_ = 0;
};

enum class Pattern {
  ik,  ///< the client sends its static key
  kk,  ///< both sides know the static key of the other
};
/// Returns "Noise_IK_25519_ChaChaPoly_BLAKE2b" or the same with KK.
[[nodiscard]] std::string_view protocol_of(Pattern pattern);

/// What both sides share after a handshake.
struct Handshake {
  std::string message;               ///< message 2
  std::string payload;               ///< of message 1
  std::string client_key;            ///< the static public key of the client
  std::string hash;                  ///< identifies the handshake
  std::string client_cipher_key;     ///< encrypts messages of the client
  std::string responder_cipher_key;  ///< encrypts messages of the responder
};

/// The keys of the responder. `client_key` is the client's static public key for KK, and empty for IK.
struct ResponderKeys {
  KeyPair own, ephemeral;
  std::string client_key;
};

/// Reads message 1 and writes message 2 with an empty payload. Returns nothing if the message is damaged, or is for
/// another key, another pattern, or another prologue (the web login has an empty one).
[[nodiscard]] std::optional<Handshake> respond(Pattern pattern, const ResponderKeys& keys, std::string_view message,
                                               std::string_view prologue = {});

}  // namespace tapedeck::replay::weblogin
