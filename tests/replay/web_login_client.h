#pragma once
// The client's side of the web login, for tests: the initiator of both patterns, and the hashes of later requests.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "replay/web_login/base64url.h"
#include "replay/web_login/noise.h"

namespace tapedeck::replay::web_login {

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

}  // namespace tapedeck::replay::web_login
