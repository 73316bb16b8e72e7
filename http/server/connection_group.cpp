#include "http/server/connection_group.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

#include "http/server/connection.h"

namespace tapedeck::http {
namespace {

/// A client that sends nothing for this long does not block other clients.
constexpr std::chrono::seconds inactive_after{1};
constexpr std::size_t usual_piece = 256 * 1024;  // an estimate of how much more memory an upload will soon use

}  // namespace

Endpoint local_endpoint(int socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
  char text[INET6_ADDRSTRLEN] = "";
  Endpoint endpoint;
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    endpoint.port = ntohs(v6.sin6_port);
  } else {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    endpoint.port = ntohs(v4.sin_port);
  }
  endpoint.host = text;
  return endpoint;
}

bool UploadQueue::may_continue(const Upload& upload, Clock::time_point now, bool request_waits,
                               std::size_t total) const {
  if (total <= limit_ / 2) return true;
  if (request_waits) return false;
  if (total > limit_) return uploads_.front() == &upload && total <= BufferCharge::of_requests() + limit_ / 8;
  return std::none_of(uploads_.begin(), std::find(uploads_.begin(), uploads_.end(), &upload),
                      [now](const Upload* older) { return older->waits || now - older->moved < inactive_after; });
}

Connection* UploadQueue::next(Clock::time_point now, bool request_waits, std::size_t woken) {
  // Uploads after the first waiting one may only continue if that one may, too.
  const auto first = std::find_if(uploads_.begin(), uploads_.end(), [](const Upload* one) { return one->waits; });
  const std::size_t total = BufferCharge::total() + woken * usual_piece;
  if (first == uploads_.end() || !may_continue(**first, now, request_waits, total)) return nullptr;
  (*first)->waits = false;
  (*first)->moved = now;
  return &(*first)->connection;
}

void ConnectionGroup::adopt(int socket) {
  const std::shared_ptr<Connection> connection = make_connection(*this, socket);
  connection->slot = connections_.size();
  connections_.push_back(connection);
  if (shared_->closing) {
    connection->close();
  } else {
    connection->begin();
  }
}

void ConnectionGroup::go_on_together(std::shared_ptr<Connection> connection) {
  answered_.push_back(std::move(connection));
  if (answered_.size() > 1) return;
  loop_.post([self = shared_from_this()] {
    self->going_on_.swap(self->answered_);
    for (const auto& one : self->going_on_) one->go_on();
    self->going_on_.clear();
  });
}

void ConnectionGroup::start_sweeping() {
  const Limits& limits = shared_->limits;
  const auto period = sweep_period({limits.head_time, limits.body_time, limits.write_time, limits.idle_time});
  loop_.every(period, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return false;
    const auto now = self->loop_.now();
    self->give_room(now);
    // Goes backward, because a connection that closes is replaced by the last one.
    for (std::size_t i = self->connections_.size(); i-- > 0;) {
      if (i < self->connections_.size()) std::shared_ptr(self->connections_[i])->sweep(now);
    }
    self->take_room_from_slow_clients();
    return true;
  });
}

/// Gives room to complete requests first, because they free their memory.
void ConnectionGroup::give_room(EventLoop::Clock::time_point now) {
  while (!waiting_.empty() && std::shared_ptr(waiting_.front())->try_again()) waiting_.pop_front();
  for (std::size_t woken = 0;; ++woken) {
    const Connection* const next = uploads_.next(now, anyone_waits(), woken);
    if (!next) return;
    std::shared_ptr(connections_[next->slot])->read_on();
  }
}

void ConnectionGroup::note_waiting(bool waits) {
  if (waits && !has_waiting_) groups_with_waiting_.fetch_add(1, std::memory_order_relaxed);
  if (!waits && has_waiting_) groups_with_waiting_.fetch_sub(1, std::memory_order_relaxed);
  has_waiting_ = waits;
}

/// Starts with the connections that use the most memory, and stops when there is room.
void ConnectionGroup::take_room_from_slow_clients() {
  note_waiting(anyone_waits() || uploads_.anyone_waits());
  if (groups_with_waiting_.load(std::memory_order_relaxed) == 0 || shared_->has_room()) return;
  std::vector<std::pair<std::size_t, std::shared_ptr<Connection>>> slow;
  for (const auto& one : connections_) {
    if (const std::size_t held = one->held_by_slow_client(); held > 0) slow.emplace_back(held, one);
  }
  std::sort(slow.begin(), slow.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& one : slow) {
    one.second->give_way();
    if (shared_->has_room()) return give_room(loop_.now());
  }
}

void ConnectionGroup::close_when_idle() {
  for (const auto& connection : std::vector(connections_)) connection->close_when_idle();
}

void ConnectionGroup::drop_all() {
  answered_.clear();
  waiting_.clear();
  const auto connections = std::exchange(connections_, {});
}

void ConnectionGroup::close_all() {
  for (const auto& connection : std::vector(connections_)) connection->close();
}

void ConnectionGroup::remove(Connection& connection) {
  std::swap(connections_[connection.slot], connections_.back());
  connections_[connection.slot]->slot = connection.slot;
  connections_.pop_back();
  if (shared_->open.fetch_sub(1) == 1 && shared_->closing && shared_->on_all_closed) shared_->on_all_closed();
}

}  // namespace tapedeck::http
