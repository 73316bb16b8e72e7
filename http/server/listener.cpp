#include "http/server/listener.h"

#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/system.h"
#include "http/io/event_loop_impl.h"
#include "http/server/connection_group.h"

namespace tapedeck::http {
namespace {

namespace net = boost::asio;
using base::Descriptor;
using Acceptor = net::posix::stream_descriptor;

constexpr int backlog = 4096;
constexpr int accepts_at_once = 64;  // then other connections get their turn
constexpr std::chrono::milliseconds accept_pause{50};

/// On most systems, the soft limit for descriptors is 1,024 and the hard limit is much higher.
void raise_descriptor_limit() {
  constexpr rlim_t most_on_macos = 10'240;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
    limit.rlim_cur = most_on_macos;  // where the hard limit is endless and cannot be used
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

std::string error_text(int error) { return std::generic_category().message(error); }

Descriptor bind_and_listen(const Endpoint& endpoint) {
  const auto fail = [&endpoint](const std::string& why) {
    throw std::runtime_error("cannot listen on " + endpoint.to_string() + ": " + why);
  };
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int looked_up = ::getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  if (looked_up != 0) fail(::gai_strerror(looked_up));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  Descriptor fd(base::stream_socket(found->ai_family, base::Calls::never_wait));
  if (fd.number() < 0) fail(error_text(errno));
  // No SO_REUSEPORT, because a second server on the same port must fail instead of sharing it silently.
  const int on = 1;
  ::setsockopt(fd.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (found->ai_family == AF_INET6) ::setsockopt(fd.number(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (::bind(fd.number(), found->ai_addr, found->ai_addrlen) != 0) fail(error_text(errno));
  if (::listen(fd.number(), backlog) != 0) fail(error_text(errno));
  return fd;
}

/// Refuses a connection over the limit, with a message.
void turn_away(Descriptor client) {
  static constexpr std::string_view response =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 46\r\n"
      "Connection: close\r\n\r\n503 Service Unavailable: too many connections\n";
  (void)::send(client.number(), response.data(), response.size(), base::without_sigpipe | MSG_DONTWAIT);
  ::shutdown(client.number(), SHUT_WR);
  // Reads the received bytes. Otherwise, closing would reset the connection before the client reads the response.
  char rest[4096];
  while (::recv(client.number(), rest, sizeof rest, MSG_DONTWAIT) > 0) continue;
}

/// Closes a loop's connections on the loop, or drops them if the loop is destroyed before it runs again.
class Closer {
 public:
  explicit Closer(std::shared_ptr<ConnectionGroup> group) : group_(std::move(group)) {}
  ~Closer() { group_->drop_all(); }
  Closer(const Closer&) = delete;
  Closer& operator=(const Closer&) = delete;
  void close() { group_->close_all(); }

 private:
  std::shared_ptr<ConnectionGroup> group_;
};

}  // namespace

struct Listener::Impl : std::enable_shared_from_this<Listener::Impl> {
  Impl(std::span<const std::unique_ptr<EventLoop>> event_loops, ListenerOptions options, Handler& handler);
  void start();
  void wait();
  void accept_some();
  void accept_later();
  void take(Descriptor client);
  void shut_down(std::chrono::milliseconds grace, std::function<void()> done);
  void stop_accepting();

  EventLoop& first;
  std::shared_ptr<ServerShared> shared = std::make_shared<ServerShared>();
  std::vector<std::shared_ptr<ConnectionGroup>> groups;
  std::size_t next = 0;
  Endpoint bound;
  std::unique_ptr<Acceptor> acceptor;
};

Listener::Impl::Impl(std::span<const std::unique_ptr<EventLoop>> event_loops, ListenerOptions options, Handler& handler)
    : first(*event_loops.front()) {
  shared->limits = options.limits;
  shared->streams_bodies = options.streams_bodies;
  shared->head_limits = options.limits;
  if (options.streams_bodies) shared->head_limits.body_bytes = std::numeric_limits<std::size_t>::max();
  shared->added = std::move(options.added);
  shared->on_refused = std::move(options.on_refused);
  shared->on_failed = std::move(options.on_failed);
  shared->handler = &handler;
  if (options.tls) shared->tls = std::make_unique<TlsContext>(*options.tls);
  for (const auto& loop : event_loops) groups.push_back(std::make_shared<ConnectionGroup>(*loop, shared));
  raise_descriptor_limit();
  Descriptor fd = bind_and_listen(options.endpoint);
  bound = local_endpoint(fd.number());
  acceptor = std::make_unique<Acceptor>(first.impl().context, fd.release());
}

void Listener::Impl::start() {
  for (const auto& group : groups) group->start_sweeping();
  wait();
}

void Listener::Impl::wait() {
  if (!acceptor) return;
  acceptor->async_wait(Acceptor::wait_read, [weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (self && !error) self->accept_some();
  });
}

void Listener::Impl::accept_some() {
  for (int i = 0; i < accepts_at_once && acceptor; ++i) {
    Descriptor client(base::accept_connection(acceptor->native_handle()));
    if (client.number() >= 0) {
      take(std::move(client));
      continue;
    }
    if (errno == EAGAIN) break;
    // No descriptors or memory are left. Until other connections close, the kernel keeps this one waiting.
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) return accept_later();
  }
  wait();
}

void Listener::Impl::accept_later() {
  first.after(accept_pause, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->accept_some();
  });
}

void Listener::Impl::take(Descriptor client) {
  if (shared->open.load() >= shared->limits.connections) {
    shared->refused.fetch_add(1, std::memory_order_relaxed);
    return turn_away(std::move(client));
  }
  const int on = 1;
  ::setsockopt(client.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  shared->open.fetch_add(1);
  shared->connections.fetch_add(1, std::memory_order_relaxed);
  const std::shared_ptr<ConnectionGroup>& group = groups[next++ % groups.size()];
  if (group == groups.front()) return group->adopt(client.release());
  const auto carried = std::make_shared<Descriptor>(std::move(client));
  group->loop().post([group, carried] { group->adopt(carried->release()); });
}

void Listener::Impl::stop_accepting() {
  if (!acceptor) return;
  boost::system::error_code ignored;
  acceptor->close(ignored);
  acceptor.reset();
}

void Listener::Impl::shut_down(std::chrono::milliseconds grace, std::function<void()> done) {
  stop_accepting();
  if (shared->closing) return;
  const auto once = [this_loop = &first, done = std::move(done), told = std::make_shared<std::atomic<bool>>(false)] {
    if (!told->exchange(true)) this_loop->post(done);
  };
  shared->on_all_closed = once;
  shared->closing = true;
  if (shared->open == 0) once();
  for (const auto& group : groups) {
    group->loop().post([group, grace] {
      group->close_when_idle();
      group->loop().after(grace, [group] { group->close_all(); });
    });
  }
}

Listener::Listener(std::span<const std::unique_ptr<EventLoop>> loops, ListenerOptions options, Handler& handler)
    : impl_(std::make_shared<Impl>(loops, std::move(options), handler)) {
  impl_->start();
}

Listener::~Listener() {
  impl_->shared->closing = true;
  for (const auto& group : impl_->groups) {
    const auto closer = std::make_shared<Closer>(group);
    group->loop().post([closer] { closer->close(); });
  }
  // The acceptor belongs to the first loop's thread.
  impl_->first.post([impl = impl_] { impl->stop_accepting(); });
}

Endpoint Listener::local() const { return impl_->bound; }

ListenerStats Listener::stats() const {
  ListenerStats stats;
  stats.connections = impl_->shared->connections;
  stats.requests = impl_->shared->requests;
  stats.refused = impl_->shared->refused;
  return stats;
}

void Listener::shut_down(std::chrono::milliseconds grace, std::function<void()> done) {
  impl_->first.post([impl = impl_, grace, done = std::move(done)] { impl->shut_down(grace, done); });
}

}  // namespace tapedeck::http
