#include "tests/support/fault_device.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/support/bombs.h"

namespace tapedeck::tests {

namespace {

const std::string good_body = R"({"data":{"answer":"one whole body of a sound answer"},"success":true})";
const std::string json_type = "Content-Type: application/json; charset=\"UTF-8\"\r\n";

/// The first byte of a TLS handshake, which a plain port does not understand.
constexpr char tls_record = '\x16';

/// Returns a listening socket on a free loopback port.
std::pair<int, std::uint16_t> listen_on_loopback() {
  const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (listening < 0 || ::bind(listening, generic, length) != 0 || ::listen(listening, 1024) != 0 ||
      ::getsockname(listening, generic, &length) != 0) {
    throw std::runtime_error("the fault device cannot listen");
  }
  return {listening, ntohs(address.sin_port)};
}

/// One connection of a client. Sending ends silently once the client has disconnected.
class Peer {
 public:
  explicit Peer(int socket) : socket_(socket) {}

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// Waits at most `longest` ms (-1: forever) until the client closes. Returns false if it has not.
  [[nodiscard]] bool gone_within(int longest) const {
    pollfd waits{socket_, POLLRDHUP, 0};
    return ::poll(&waits, 1, longest) > 0;
  }
  /// Returns the next head after reading its body. Empty at the end.
  [[nodiscard]] std::string read_request() {
    for (;;) {
      const std::size_t end = kept_.find("\r\n\r\n");
      if (end != std::string::npos) return take_request(end + 4);
      if (!read_more()) return {};
      if (kept_.starts_with(tls_record)) {
        send("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        return {};
      }
    }
  }
  void reset() const {
    const linger now{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }
  unsigned served = 0;  ///< number of requests before this one

 private:
  bool read_more() {
    char buffer[65536];
    const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
    if (count > 0) kept_.append(buffer, static_cast<std::size_t>(count));
    return count > 0;
  }
  std::string take_request(std::size_t head_size) {
    std::string head = kept_.substr(0, head_size);
    const std::size_t at = head.find("Content-Length: ");
    const std::size_t whole = head_size + (at == std::string::npos ? 0 : std::stoul(head.substr(at + 16)));
    while (kept_.size() < whole && read_more()) continue;
    kept_.erase(0, std::min(whole, kept_.size()));
    return head;
  }

  int socket_;
  std::string kept_;
};

std::string head_of(std::string_view lines) { return "HTTP/1.1 200 OK\r\n" + json_type + std::string(lines) + "\r\n"; }
std::string with_length(std::string_view body, std::string_view lines = {}) {
  return head_of(std::string(lines) + "Content-Length: " + std::to_string(body.size()) + "\r\n") + std::string(body);
}
std::string chunk(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string size;
  for (std::size_t left = bytes.size(); left > 0; left /= 16) size.insert(size.begin(), digits[left % 16]);
  return size + "\r\n" + std::string(bytes) + "\r\n";
}
const std::string chunked = "Transfer-Encoding: chunked\r\n";

/// Responds to one request. Returns true if the connection accepts another one.
using Answer = bool (*)(Peer&);

/// Sends these bytes and ends the connection.
template <typename Make>
constexpr Answer then_close(Make) {
  return [](Peer& peer) {
    peer.send(Make()());
    return false;
  };
}
template <typename Make>
constexpr Answer then_stall(Make) {
  return [](Peer& peer) {
    peer.send(Make()());
    (void)peer.gone_within(-1);
    return false;
  };
}
/// Sends a beginning, and then a piece repeatedly up to this number of bytes.
template <typename Begin, typename Piece, std::size_t bytes>
bool flood(Peer& peer) {
  if (!peer.send(Begin()())) return false;
  const std::string piece = Piece()();
  for (std::size_t sent = 0; sent < bytes && peer.send(piece); sent += piece.size()) continue;
  return false;
}
template <std::size_t bytes, typename Begin, typename Piece>
constexpr Answer then_flood(Begin, Piece) {
  return flood<Begin, Piece, bytes>;
}

bool stale(Peer& peer) { return peer.served == 0 && peer.send(with_length(good_body)); }

bool reset_in_body(Peer& peer) {
  peer.send(head_of("Content-Length: 1000\r\n") + good_body);
  (void)peer.gone_within(50);  // so that the reset does not overtake the bytes
  peer.reset();
  return false;
}

const std::vector<std::pair<std::string, Answer>>& table() {
  static const std::vector<std::pair<std::string, Answer>> rows = {
      {"none", [](Peer& peer) { return peer.send(with_length(good_body)); }},
      // cut
      {"cut-length", then_close([] { return head_of("Content-Length: 1000\r\n") + good_body; })},
      {"no-last-chunk", then_close([] { return head_of(chunked) + chunk(good_body); })},
      {"cut-chunk", then_close([] { return head_of(chunked) + "400\r\n" + good_body; })},
      {"cut-head", then_close([] { return "HTTP/1.1 200 OK\r\n" + json_type + "X-Half: "; })},
      {"reset-before-head",
       [](Peer& peer) {
         peer.reset();
         return false;
       }},
      {"reset-in-body", reset_in_body},
      {"closed-at-once", then_close([] { return std::string(); })},
      {"only-100", then_close([] { return std::string("HTTP/1.1 100 Continue\r\n\r\n"); })},
      // framing
      {"bad-chunk-size", then_close([] { return head_of(chunked) + "zz\r\n" + good_body + "\r\n0\r\n\r\n"; })},
      {"huge-chunk-size", then_close([] { return head_of(chunked) + "fffffffffffffffff\r\n" + good_body; })},
      {"bad-chunk-ending", then_close([] { return head_of(chunked) + "5\r\nhelloworld\r\n0\r\n\r\n"; })},
      {"length-abc", then_close([] { return head_of("Content-Length: abc\r\n") + good_body; })},
      {"two-lengths", then_close([] { return head_of("Content-Length: 5\r\nContent-Length: 6\r\n") + good_body; })},
      {"negative-length", then_close([] { return head_of("Content-Length: -1\r\n") + good_body; })},
      {"chunked-and-length",
       then_close([] { return head_of(chunked + "Content-Length: 5\r\n") + chunk(good_body) + "0\r\n\r\n"; })},
      {"te-gzip", then_close([] { return head_of("Transfer-Encoding: gzip\r\n") + good_body; })},
      {"trailing-bytes", then_close([] { return with_length(good_body) + "HTTP/1.1 200 OK\r\n\r\nnever asked for"; })},
      // heads
      {"garbage", then_close([] { return std::string("\x16\x03\x01 no head at all\n\n\r\n\r\n"); })},
      {"http-0.9", then_close([] { return good_body; })},
      {"bare-line-feeds", then_close([] { return "HTTP/1.1 200 OK\nContent-Length: 69\n\n" + good_body; })},
      {"folded-header", then_close([] {
         return head_of("X-A: b\r\n c\r\nContent-Length: " + std::to_string(good_body.size()) + "\r\n") + good_body;
       })},
      {"switching-protocols", then_close([] { return std::string("HTTP/1.1 101 Switching Protocols\r\n\r\n"); })},
      {"continue-first",
       [](Peer& peer) { return peer.send("HTTP/1.1 100 Continue\r\n\r\n" + with_length(good_body)); }},
      {"long-reason",
       then_close([] { return "HTTP/1.1 200 " + std::string(1u << 20, 'r') + "\r\nContent-Length: 0\r\n\r\n"; })},
      {"long-header-line", then_flood<100u << 20>([] { return std::string("HTTP/1.1 200 OK\r\nX-Long: "); },
                                                  [] { return std::string(1u << 16, 'h'); })},
      {"million-headers", then_flood<12'000'000>([] { return std::string("HTTP/1.1 200 OK\r\n"); },
                                                 [] { return std::string("X-Many: yes\r\n"); })},
      {"endless-interim", then_flood<25'000'000>([] { return std::string(); },
                                                 [] { return std::string("HTTP/1.1 100 Continue\r\n\r\n"); })},
      // bodies with wrong metadata
      {"cut-gzip",
       [](Peer& peer) {
         const std::string packed = gzip_of(good_body);
         return peer.send(with_length(packed.substr(0, packed.size() - 9), "Content-Encoding: gzip\r\n"));
       }},
      {"garbage-gzip", [](Peer& peer) { return peer.send(with_length(good_body, "Content-Encoding: gzip\r\n")); }},
      {"bomb-gzip", [](Peer& peer) { return peer.send(with_length(gzip_bomb(), "Content-Encoding: gzip\r\n")); }},
      {"bomb-br", [](Peer& peer) { return peer.send(with_length(brotli_bomb(), "Content-Encoding: br\r\n")); }},
      {"bomb-zstd", [](Peer& peer) { return peer.send(with_length(zstd_bomb(), "Content-Encoding: zstd\r\n")); }},
      {"endless-body",
       then_flood<200u << 20>([] { return head_of(chunked); }, [] { return chunk(std::string(1u << 16, 'b')); })},
      // time
      {"no-answer", then_stall([] { return std::string(); })},
      {"stall-in-head", then_stall([] { return std::string("HTTP/1.1 200 OK\r\nX-Half: "); })},
      {"stall-in-body", then_stall([] { return head_of("Content-Length: 1000\r\n") + good_body; })},
      {"stale", stale},
  };
  return rows;
}

std::string fault_in(std::string_view head) {
  constexpr std::string_view lead = "fault=";
  const std::size_t line = head.find("\r\n"), at = head.find(lead);
  if (at >= line) return "none";
  const std::size_t end = head.find_first_of("& ", at);
  return std::string(head.substr(at + lead.size(), end - at - lead.size()));
}

}  // namespace

struct FaultDevice::Impl {
  Impl() {
    std::tie(listening, port) = listen_on_loopback();
    accepting = std::thread([this] { accept_all(); });
  }
  ~Impl() {
    ::shutdown(listening, SHUT_RDWR);
    accepting.join();
    {
      const std::lock_guard lock(mutex);
      for (const Connection& connection : open) ::shutdown(connection.socket, SHUT_RDWR);
    }
    for (Connection& connection : open) connection.thread.join();
    ::close(listening);
  }

  struct Connection {
    int socket;
    std::atomic<bool> over{false};
    std::thread thread;
    explicit Connection(int fd) : socket(fd) {}
  };

  void accept_all() {
    for (;;) {
      const int socket = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      const int on = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      const std::lock_guard lock(mutex);
      reap();
      Connection& connection = open.emplace_back(socket);
      most = std::max(most, static_cast<unsigned>(open.size()));
      connection.thread = std::thread([this, &connection] { serve(connection); });
    }
  }
  void reap() {
    for (auto at = open.begin(); at != open.end();) {
      if (!at->over) {
        ++at;
        continue;
      }
      at->thread.join();
      at = open.erase(at);
    }
  }
  void serve(Connection& connection) {
    Peer peer(connection.socket);
    for (std::string head = peer.read_request(); !head.empty(); head = peer.read_request()) {
      if (!answer(peer, fault_in(head))) break;
      ++peer.served;
    }
    const std::lock_guard lock(mutex);  // the destructor may be shutting this socket down
    ::close(connection.socket);
    connection.socket = -1;
    connection.over = true;
  }
  bool answer(Peer& peer, const std::string& fault) {
    {
      const std::lock_guard lock(mutex);
      ++counts[fault];
      ++total;
    }
    const auto row = std::find_if(table().begin(), table().end(), [&](const auto& one) { return one.first == fault; });
    return row != table().end() && row->second(peer);
  }

  int listening = -1;
  std::uint16_t port = 0;
  mutable std::mutex mutex;  ///< guards the members below
  std::list<Connection> open;
  std::map<std::string, unsigned> counts;
  unsigned total = 0;
  unsigned most = 0;
  std::thread accepting;
};

FaultDevice::FaultDevice() : impl_(std::make_unique<Impl>()) {}
FaultDevice::~FaultDevice() = default;

std::string FaultDevice::url() const { return "http://127.0.0.1:" + std::to_string(impl_->port); }

unsigned FaultDevice::asked(const std::string& fault) const {
  const std::lock_guard lock(impl_->mutex);
  const auto row = impl_->counts.find(fault);
  return row == impl_->counts.end() ? 0 : row->second;
}

unsigned FaultDevice::requests() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->total;
}

unsigned FaultDevice::connections() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->most;
}

const std::vector<std::string>& FaultDevice::faults() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& row : table()) list.push_back(row.first);
    return list;
  }();
  return names;
}

std::string FaultDevice::body() { return good_body; }

unsigned closed_port() {
  const auto [listening, port] = listen_on_loopback();
  ::close(listening);
  return port;
}

}  // namespace tapedeck::tests
