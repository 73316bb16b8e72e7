#include "replay/sessions/poll_connections.h"

#include <algorithm>
#include <utility>

#include "api/transcript.h"
#include "http/message/urlencoded.h"
#include "scrubbers/redaction/redaction.h"

namespace tapedeck::replay {
namespace {

/// Returns the ID in a handshake, or an empty text.
std::string_view announced_id(std::string_view body) {
  constexpr std::string_view front = "0{\"sid\":\"";
  const std::size_t length = body.find_first_not_of("0123456789");
  if (length != std::string_view::npos && body[length] == ':') body.remove_prefix(length + 1);  // version 3
  if (!body.starts_with(front)) return {};
  const std::string_view rest = body.substr(front.size());
  return rest.substr(0, std::min(rest.size(), rest.find('"')));
}

}  // namespace

bool PollConnection::take_heartbeat(const http::Request& request) {
  if (request.method != "POST" || !api::is_polled_heartbeat(request.body)) return false;
  const std::lock_guard lock(mutex_);
  owes_heartbeat_ = true;
  return true;
}

std::string_view PollConnection::idle(int version, std::chrono::milliseconds interval) {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (version == 3) return std::exchange(owes_heartbeat_, false) ? "1:3" : "1:6";
  if (now - last_ < interval) return "6";
  last_ = now;
  return "2";
}

std::optional<std::string> PollConnections::open(std::string_view body) {
  const std::string_view recorded = announced_id(body);
  if (recorded.empty()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  std::uint32_t& opened = of_.try_emplace(std::string(recorded)).first->second;
  std::string id(recorded);
  while (by_id_.contains(id)) {
    const std::string seed = "connection " + std::to_string(++opened) + " " + std::string(recorded);
    id = scrubbers::make_of_shape(scrubbers::shape_of(recorded), seed);
  }
  by_id_.emplace(id, std::make_shared<PollConnection>(std::string(recorded)));
  ids_.push_back(id);
  if (ids_.size() > most) {
    const auto oldest = by_id_.find(ids_.front());
    of_.erase(oldest->second->recorded_id);
    by_id_.erase(oldest);
    ids_.pop_front();
  }
  std::string changed(body);
  return changed.replace(static_cast<std::size_t>(recorded.data() - body.data()), recorded.size(), id);
}

std::shared_ptr<PollConnection> PollConnections::exchange(http::Request& request) const {
  const std::string_view id = http::raw_parameter(request.target, "sid");
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  const auto at = static_cast<std::size_t>(id.data() - request.target.data());
  request.target.replace(at, id.size(), found->second->recorded_id);
  return found->second;
}

}  // namespace tapedeck::replay
