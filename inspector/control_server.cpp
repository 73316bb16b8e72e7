#include "inspector/control_server.h"

#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <thread>

#include "base/descriptor.h"
#include "base/digest.h"
#include "base/system.h"
#include "base/text.h"
#include "http/io/limits.h"
#include "http/message/head_scanner.h"
#include "http/message/message.h"
#include "http/server/response_writer.h"
#include "inspector/client_waits.h"
#include "inspector/guard.h"
#include "inspector/page_files.h"
#include "inspector/routes.h"
#include "journal/journal.h"

namespace tapedeck::inspector {
/// Reads one request per connection, strictly (http/message/head_scanner.h) and within limits. The library receives a
/// request only if the judge accepts it; other requests are refused here. The library's limits for keep-alive, reading,
/// writing, and bodies have no effect.
class GuardedServer : public httplib::Server {
 public:
  /// Decides from a request's head, before its body is read. Called from several threads.
  using Judge = std::function<Refusal(const http::Request& head)>;

  /// Uses the limits for requests; `head_time` is for the whole request, with its body.
  GuardedServer(const http::Limits& limits, std::size_t threads, Judge judge)
      : limits_(limits), waits_(threads), judge_(std::move(judge)) {
    new_task_queue = [this, threads] { return new ClientThreads(waits_, threads); };
  }

  /// Lets more connections wait to be accepted than the five of httplib. Others would have to try again after a second.
  void take_more_connections() { ::listen(svr_sock_, SOMAXCONN); }

 private:
  bool process_and_close_socket(socket_t socket) override;

  http::Limits limits_;
  ClientWaits waits_;
  Judge judge_;
};

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds write_time{5'000};  // for a client to receive a response
constexpr milliseconds end_time{500};      // for a client to close
constexpr std::size_t most_unread = 256u << 10;

/// Returns true if the socket is ready or has failed. The next call on the socket reports the failure.
bool is_ready(int socket, short event, Clock::time_point deadline) {
  pollfd waits{socket, event, 0};
  int found = 0;
  do {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    found = poll(&waits, 1, static_cast<int>(std::max(left, milliseconds(0)).count()));
  } while (found < 0 && errno == EINTR);
  return found > 0;
}

/// One client. To httplib, it is a stream that contains one whole request and then ends.
class Connection : public httplib::Stream {
 public:
  /// `listening` becomes INVALID_SOCKET when the server stops.
  Connection(int socket, const std::atomic<socket_t>& listening, const http::Limits& limits, ClientWaits& waits)
      : socket_(socket),
        listening_(listening),
        limits_(limits),
        waits_(waits),
        number_(waits.next_number()),
        deadline_(Clock::now() + limits.head_time) {}

  /// Reads the request. Returns status 0 if it is complete and allowed.
  [[nodiscard]] Refusal receive(const GuardedServer::Judge& judge) {
    http::HeadScanner scanner(http::HeadScanner::Kind::request);
    if (Refusal refusal = receive_head(scanner); refusal.status != 0) return refusal;
    if (Refusal refusal = judge(head_); refusal.status != 0) return refusal;
    const std::size_t whole = scanner.end() + scanner.facts().content_length.value_or(0);
    while (bytes_.size() < whole) {
      if (Refusal refusal = receive_some(); refusal.status != 0) return refusal;
    }
    bytes_.resize(whole);  // ignores bytes after the request
    // The library would compress responses with the slowest level of Brotli: seconds for a page of the journal.
    head_.headers.erase("Accept-Encoding");
    // Passes exactly the checked head to httplib.
    bytes_.replace(0, scanner.end(), http::head_text(head_));
    return {};
  }
  void refuse(const Refusal& refusal) {
    http::Response response;
    response.status = refusal.status;
    response.reason = http::reason_phrase(refusal.status);
    response.headers.add("Content-Type", "application/json");
    for (const auto& [name, value] : security_headers()) response.headers.add(std::string(name), std::string(value));
    if (!refusal.allow.empty()) response.headers.add("Allow", refusal.allow);
    if (refusal.status == 401) response.headers.add("WWW-Authenticate", "Bearer");
    response.body = control_error(refusal.status, refusal.text).body;
    http::ResponseWriter writer;
    http::OutQueue out;
    writer.begin(head_, false);
    writer.respond(out, std::move(response));
    for (const std::string_view piece : out.front()) (void)write(piece.data(), piece.size());
  }
  /// Waits until the client has read the response. Closing with unread bytes would reset the connection.
  void end() {
    ::shutdown(socket_.number(), SHUT_WR);
    const auto deadline = Clock::now() + end_time;
    char piece[16u << 10];
    for (std::size_t unread = 0; unread < most_unread && wait(POLLIN, deadline);) {
      const ssize_t got = recv(socket_.number(), piece, sizeof piece, MSG_DONTWAIT);
      if (got <= 0) return;
      unread += static_cast<std::size_t>(got);
    }
  }

  using httplib::Stream::write;
  [[nodiscard]] bool is_readable() const override { return given_ < bytes_.size(); }
  /// Returns false if the client has disconnected, so that a stream without events ends.
  [[nodiscard]] bool is_writable() const override {
    char next = 0;
    const ssize_t got = recv(socket_.number(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
  }
  ssize_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, bytes_.size() - given_);
    std::memcpy(to, bytes_.data() + given_, count);
    given_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, std::size_t size) override {
    const auto deadline = Clock::now() + write_time;
    for (std::size_t done = 0; done < size;) {
      if (!wait(POLLOUT, deadline)) return -1;
      const ssize_t sent = ::send(socket_.number(), from + done, size - done, base::without_sigpipe | MSG_DONTWAIT);
      if (sent < 0) return -1;
      done += static_cast<std::size_t>(sent);
    }
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  [[nodiscard]] socket_t socket() const override { return socket_.number(); }

 private:
  /// Waits for the client, and gives way to others if they need the thread.
  [[nodiscard]] bool wait(short event, Clock::time_point deadline) {
    if (is_ready(socket_.number(), event, Clock::time_point())) return true;
    const ClientWaits::Wait waiting(waits_, number_, socket_.number());
    return is_ready(socket_.number(), event, deadline);
  }
  [[nodiscard]] Refusal receive_head(http::HeadScanner& scanner) {
    auto state = http::HeadScanner::State::need_more;
    while (state == http::HeadScanner::State::need_more) {
      if (Refusal refusal = receive_some(); refusal.status != 0) return refusal;
      state = scanner.feed(bytes_, limits_);
    }
    if (state == http::HeadScanner::State::refused) {
      return {scanner.refusal().status, std::string(scanner.refusal().why), {}};
    }
    scanner.read(bytes_, head_);
    if (scanner.facts().expects_continue) return {417, "send the body without waiting for 100 Continue", {}};
    return {};
  }
  [[nodiscard]] Refusal receive_some() {
    constexpr milliseconds look_up{100};
    while (!wait(POLLIN, std::min(deadline_, Clock::now() + look_up))) {
      if (listening_ == INVALID_SOCKET) return {503, "the server is stopping", {}};
      if (Clock::now() >= deadline_) return {408, "timeout while receiving the request", {}};
    }
    char piece[16u << 10];
    const ssize_t got = recv(socket_.number(), piece, sizeof piece, MSG_DONTWAIT);
    if (got <= 0) return {400, "the request ended too early", {}};
    bytes_.append(piece, static_cast<std::size_t>(got));
    return {};
  }

  const base::Descriptor socket_;
  const std::atomic<socket_t>& listening_;
  const http::Limits& limits_;
  ClientWaits& waits_;
  const std::uint64_t number_;
  const Clock::time_point deadline_;
  http::Request head_;
  std::string bytes_;      ///< the whole request
  std::size_t given_ = 0;  ///< bytes that httplib has received
};

}  // namespace

bool GuardedServer::process_and_close_socket(socket_t socket) {
  Connection connection(socket, svr_sock_, limits_, waits_);
  const Refusal refusal = connection.receive(judge_);
  bool served = false;
  if (refusal.status == 0) {
    bool says_close = false;
    served = process_request(connection, true, says_close, nullptr);
  } else {
    connection.refuse(refusal);
  }
  connection.end();
  return served;
}

namespace {

// More threads than waits and streams at the same time, so that one is always free. Browsers open connections in
// advance, and each one occupies a thread.
constexpr std::size_t most_streams = 8;
constexpr std::size_t spare = 16;
constexpr std::size_t threads = Control::most_waits + most_streams + spare;

http::Limits limits() {
  http::Limits limits;
  limits.target_bytes = 4u << 10;
  limits.body_bytes = ControlServer::largest_body;
  limits.head_time = std::chrono::seconds(10);
  return limits;
}

void send(const ControlResponse& from, httplib::Response& response) {
  response.status = from.status;
  response.set_content(from.body, from.type);
}

void set_reuse_address(socket_t socket) {
  // httplib sets SO_REUSEPORT, which would silently let two servers share a port.
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

}  // namespace

struct ControlServer::Impl {
  Impl(const http::Endpoint& endpoint, Subject subject, bool has_page)
      : listen(endpoint),
        journal(*subject.journal),
        control(std::move(subject)),
        token(base::to_hex(base::random_bytes(32))),
        page(has_page),
        server(limits(), threads, [this](const http::Request& head) {
          return check(head, {this->listen.port, token, page});
        }) {}

  void configure() {
    server.set_tcp_nodelay(true);
    server.set_socket_options(set_reuse_address);
    server.set_exception_handler([](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
      send(control_error(500, "cannot create the response"), response);
    });
    httplib::Headers headers;
    for (const auto& [name, value] : security_headers()) headers.emplace(name, value);
    server.set_default_headers(std::move(headers));
    server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) send(control_error(response.status, "cannot read the request"), response);
    });
  }
  /// Serves the requests that the guard has accepted, so that each has a file of the page or a route.
  void add_handlers() {
    const auto handler = [this](const httplib::Request& request, httplib::Response& response) {
      respond(request, response);
    };
    server.Get(".*", handler);
    server.Post(".*", handler);
  }
  void respond(const httplib::Request& request, httplib::Response& response) {
    if (const PageFile* const file = page ? find_page_file(request.target) : nullptr) {
      response.set_content(file->bytes.data(), file->bytes.size(), std::string(file->type).c_str());
      return;
    }
    std::string_view query = request.target;
    const std::string_view path = base::take_until(query, '?');
    const Route& route = *find_route(path, request.method);
    const std::uint64_t number =
        route.is_numbered() ? base::whole_number<std::uint64_t>(path.substr(route.path.size())).value() : 0;
    const ControlResponse found = control.respond(route, query, request.body, number);
    found.stream ? stream(found, response) : send(found, response);
  }
  void stream(const ControlResponse& from, httplib::Response& response) {
    if (++streams > most_streams) {
      --streams;
      return send(control_error(503, "the limit of eight open streams is reached"), response);
    }
    response.set_chunked_content_provider(
        from.type,
        [next = from.stream](std::size_t, httplib::DataSink& sink) {
          const std::string text = next();
          return sink.is_writable() && (text.empty() || sink.write(text.data(), text.size()));
        },
        [this](bool) { --streams; });
  }
  void start() {
    if (listen.port == 0) {
      const int port = server.bind_to_any_port(listen.host);
      listen.port = static_cast<std::uint16_t>(std::max(port, 0));
    } else if (!server.bind_to_port(listen.host, listen.port)) {
      listen.port = 0;
    }
    if (listen.port == 0)
      throw std::runtime_error(
          "cannot listen for the control API; the port may be in use\nhint: --control chooses another address");
    server.take_more_connections();
    thread = std::thread([this] { server.listen_after_bind(); });
    // stop() has no effect before the server runs.
    while (!server.is_running()) std::this_thread::yield();
  }
  void stop() {
    journal.stop_waiting();
    server.stop();
    thread.join();
  }

  http::Endpoint listen;
  journal::Journal& journal;
  Control control;
  const std::string token;
  const bool page;
  std::atomic<std::size_t> streams = 0;
  GuardedServer server;
  std::thread thread;
};

ControlServer::ControlServer(const http::Endpoint& listen, Subject subject, bool page)
    : impl_(std::make_unique<Impl>(listen, std::move(subject), page)) {
  if (!listen.is_loopback()) throw std::invalid_argument("the control API must use a loopback address");
  impl_->configure();
  impl_->add_handlers();
  impl_->start();
}

ControlServer::~ControlServer() { impl_->stop(); }

std::string ControlServer::url() const { return "http://" + impl_->listen.to_string(); }
std::uint16_t ControlServer::port() const { return impl_->listen.port; }
const std::string& ControlServer::token() const { return impl_->token; }
std::string ControlServer::page_link() const { return impl_->page ? url() + "/#token=" + impl_->token : std::string(); }

}  // namespace tapedeck::inspector
