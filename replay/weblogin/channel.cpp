#include "replay/weblogin/channel.h"

#include <limits>

#include "base/text.h"
#include "replay/weblogin/base64url.h"

namespace tapedeck::replay::weblogin {
namespace {

constexpr std::size_t prefix_size = 8;

}  // namespace

void Channel::open(Handshake handshake) {
  const std::lock_guard lock(mutex_);
  ++handshakes_;
  client_key_ = std::move(handshake.client_key);
  cipher_key_ = std::move(handshake.client_cipher_key);
  prefix_ = to_base64url(handshake.hash).substr(0, prefix_size);
  next_ = 0;
  used_.reset();
}

std::uint64_t Channel::handshakes() const {
  const std::lock_guard lock(mutex_);
  return handshakes_;
}

std::string Channel::client_key() const {
  const std::lock_guard lock(mutex_);
  return client_key_;
}

bool Channel::accepts(std::string_view hash) {
  const std::lock_guard lock(mutex_);
  const std::size_t dot = hash.find('.');
  if (!hash.starts_with(prefix_) || dot == std::string_view::npos || dot < prefix_size) return false;
  const auto tag = from_base64url(hash.substr(prefix_size, dot - prefix_size));
  const auto digits = from_base64url(hash.substr(dot + 1));
  const auto counter = digits ? base::whole_number<std::uint64_t>(*digits) : std::nullopt;
  // Noise reserves the largest nonce.
  if (!tag || !counter || *counter == std::numeric_limits<std::uint64_t>::max()) return false;
  return unseal(cipher_key_, *counter, {}, *tag) == std::string() && use(*counter);
}

bool Channel::use(std::uint64_t counter) {
  if (counter >= next_) {
    const std::uint64_t steps = counter + 1 - next_;
    used_ = steps < window ? used_ << static_cast<std::size_t>(steps) : std::bitset<window>();
    next_ = counter + 1;
    used_.set(0);
    return true;
  }
  const std::uint64_t behind = next_ - 1 - counter;
  if (behind >= window || used_.test(static_cast<std::size_t>(behind))) return false;
  used_.set(static_cast<std::size_t>(behind));
  return true;
}

}  // namespace tapedeck::replay::weblogin
