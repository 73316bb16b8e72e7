#pragma once
// The handshake of a session, with which its later requests are checked.

#include <bitset>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "replay/weblogin/noise.h"

namespace tapedeck::replay::weblogin {

/// The result of a session's last handshake. Thread-safe.
class Channel {
 public:
  /// Replaces an earlier handshake, whose hashes are no longer accepted.
  void open(Handshake handshake);
  [[nodiscard]] bool is_open() const { return handshakes() > 0; }
  /// Returns the number of handshakes so far.
  [[nodiscard]] std::uint64_t handshakes() const;
  /// Returns the client's static public key, or an empty text if there was no handshake.
  [[nodiscard]] std::string client_key() const;
  /// Checks a value of the header X-SYNO-HASH: the first 8 characters of the handshake's hash in base64url, the tag of
  /// an empty text in base64url, a dot, and the counter in decimal in base64url. Accepts each counter once, and in any
  /// order, because a browser sends requests in parallel; one that is more than `window` behind counts as used.
  /// Requires is_open().
  [[nodiscard]] bool accepts(std::string_view hash);

  static constexpr std::size_t window = 1024;

 private:
  [[nodiscard]] bool use(std::uint64_t counter);

  mutable std::mutex mutex_;  ///< guards the members below
  std::uint64_t handshakes_ = 0;
  std::string client_key_, prefix_, cipher_key_;
  std::uint64_t next_ = 0;    ///< one more than the largest counter that was used
  std::bitset<window> used_;  ///< bit i: the counter next_ - 1 - i
};

}  // namespace tapedeck::replay::weblogin
