#pragma once
// The keys of the replayed device's web login.

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "replay/weblogin/noise.h"
#include "replay/weblogin/rsa_key.h"

namespace tapedeck::replay::weblogin {

/// Keys that depend only on a seed, so that a client can keep them from one run to the next. They are no secret from
/// anyone with the cassette (docs/secrets.md). Each is computed when it is first used. Thread-safe.
class ServerKeys {
 public:
  /// `seed` is the random number of the first cassette's first take, or empty without a cassette.
  explicit ServerKeys(std::string_view seed) : seed_("tapedeck web login " + std::string(seed)) {}

  /// Returns the static key of both patterns.
  [[nodiscard]] const KeyPair& static_key() const;
  /// Returns the value of the cookie `_SSID`: the static public key in base64url.
  [[nodiscard]] const std::string& ssid() const;
  [[nodiscard]] const RsaKey& rsa_key() const;
  /// Returns the ephemeral key for the response to a message. It depends only on both texts; `session` differs for
  /// each login, so that a message that is sent twice gets two responses.
  [[nodiscard]] KeyPair ephemeral_key(std::string_view message, std::string_view session) const;

 private:
  [[nodiscard]] std::string derived(std::string_view label) const;

  const std::string seed_;
  mutable std::once_flag static_once_, rsa_once_;
  mutable KeyPair static_key_;
  mutable std::string ssid_;
  mutable std::unique_ptr<RsaKey> rsa_key_;
};

}  // namespace tapedeck::replay::weblogin
