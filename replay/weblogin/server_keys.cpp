#include "replay/weblogin/server_keys.h"

#include "base/digest.h"
#include "replay/weblogin/base64url.h"

namespace tapedeck::replay::weblogin {

std::string ServerKeys::derived(std::string_view label) const {
  const base::Sha256 key = base::hmac_sha256(seed_, label);
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

const KeyPair& ServerKeys::static_key() const {
  std::call_once(static_once_, [this] {
    static_key_ = key_pair(derived("static key"));
    ssid_ = to_base64url(static_key_.public_key);
  });
  return static_key_;
}

const std::string& ServerKeys::ssid() const {
  static_cast<void>(static_key());
  return ssid_;
}

const RsaKey& ServerKeys::rsa_key() const {
  std::call_once(rsa_once_, [this] { rsa_key_ = std::make_unique<RsaKey>(derived("RSA key")); });
  return *rsa_key_;
}

KeyPair ServerKeys::ephemeral_key(std::string_view message, std::string_view session) const {
  const std::string label = "ephemeral key " + std::to_string(session.size()) + ":";
  return key_pair(derived(label + std::string(session) + std::string(message)));
}

}  // namespace tapedeck::replay::weblogin
