#include "http/device/connect_race.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

namespace tapedeck::http {
namespace {

namespace net = boost::asio;
using tcp = net::ip::tcp;

constexpr std::chrono::milliseconds attempt_delay{250};

}  // namespace

std::vector<tcp::endpoint> interleaved(const tcp::resolver::results_type& found) {
  std::vector<tcp::endpoint> first, second, out;
  for (const auto& entry : found) {
    const tcp::endpoint address = entry.endpoint();
    const bool is_first = first.empty() || address.protocol() == first.front().protocol();
    (is_first ? first : second).push_back(address);
  }
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) out.push_back(first[i]);
    if (i < second.size()) out.push_back(second[i]);
  }
  return out;
}

void ConnectRace::start(Done done) {
  done_ = std::move(done);
  attempt();
}

void ConnectRace::attempt() {
  const std::size_t which = sockets_.size();
  if (!done_ || which == addresses_.size()) return;
  sockets_.push_back(std::make_unique<Socket>(context_));
  ++under_way_;
  sockets_.back()->async_connect(
      addresses_[which], [self = shared_from_this(), which](const Error& error) { self->attempted(which, error); });
  timer_.expires_after(attempt_delay);
  timer_.async_wait([self = shared_from_this()](const Error& error) {
    if (!error) self->attempt();
  });
}

void ConnectRace::attempted(std::size_t which, Error error) {
  if (!done_) return;
  if (!error) return end(error, std::move(*sockets_[which]));
  sockets_[which].reset();
  --under_way_;
  if (sockets_.size() < addresses_.size()) return attempt();
  if (under_way_ == 0) end(error, Socket(context_));
}

void ConnectRace::end(Error error, Socket socket) {
  if (!done_) return;
  timer_.cancel();
  sockets_.clear();
  // Posts the callback, so that it never runs within start() or cancel().
  net::post(context_, [done = std::exchange(done_, nullptr), error,
                       socket = std::make_shared<Socket>(std::move(socket))] { done(error, std::move(*socket)); });
}

}  // namespace tapedeck::http
