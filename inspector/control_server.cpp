#include "inspector/control_server.h"

#include <chrono>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "http/io/event_loop.h"
#include "http/server/listener.h"
#include "inspector/guard.h"
#include "inspector/page_files.h"
#include "inspector/routes.h"

namespace tapedeck::inspector {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds between_looks{10};    // for a response that is not known yet
constexpr milliseconds between_pieces{100};  // of a stream
constexpr milliseconds closing_grace{100};

http::ListenerOptions listener_options(const http::Endpoint& endpoint) {
  http::ListenerOptions options{endpoint, {}, {}};
  http::Limits& limits = options.limits;
  limits.target_bytes = 4u << 10;
  limits.head_time = limits.body_time = std::chrono::seconds(10);
  limits.buffer_bytes = std::numeric_limits<std::size_t>::max();  // control requests never wait for data
  // Each request reaches the handler before its body is read.
  limits.body_bytes = 0;
  options.streams_bodies = true;
  return options;
}

http::Response head_of(int status, std::string_view type) {
  http::Response response;
  response.status = status;
  response.reason = http::reason_phrase(status);
  response.headers.add("Content-Type", std::string(type));
  response.headers.add("Connection", "close");
  for (const auto& [name, value] : security_headers()) response.headers.add(std::string(name), std::string(value));
  return response;
}

void send(http::Exchange& exchange, const ControlResponse& from) {
  http::Response response = head_of(from.status, from.type);
  response.body = from.body;
  exchange.respond(std::move(response));
}

void refuse(http::Exchange& exchange, const Refusal& refusal) {
  ControlResponse error = control_error(refusal.status, refusal.text);
  http::Response response = head_of(error.status, error.type);
  response.body = std::move(error.body);
  if (!refusal.allow.empty()) response.headers.add("Allow", refusal.allow);
  if (refusal.status == 401) response.headers.add("WWW-Authenticate", "Bearer");
  exchange.respond(std::move(response));
}

}  // namespace

struct ControlServer::Impl : http::Handler {
  Impl(const http::Endpoint& endpoint, Subject subject, bool has_page)
      : control(std::move(subject)), token(base::to_hex(base::random_bytes(32))), page(has_page) {
    if (!endpoint.is_loopback()) throw std::invalid_argument("the control API must use a loopback address");
    loops.push_back(std::make_unique<http::EventLoop>());
    listener = std::make_unique<http::Listener>(loops, listener_options(endpoint), *this);
    thread = std::thread([this] { loop().run(); });
  }
  ~Impl() override {
    listener->shut_down(closing_grace, [this] { loop().stop(); });
    thread.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] http::EventLoop& loop() const { return *loops.front(); }

  void handle(std::shared_ptr<http::Exchange> exchange) override {
    http::Request request = exchange->take_request();
    const Refusal refusal = check(request, {listener->local().port, token, page});
    if (refusal.status != 0) return refuse(*exchange, refusal);
    if (const PageFile* const file = page ? find_page_file(request.target) : nullptr) {
      return send(*exchange, {200, std::string(file->bytes), std::string(file->type)});
    }
    if (request.method == "POST" && exchange->body_is_open()) {
      receive(std::move(exchange), std::move(request));
    } else {
      respond(std::move(exchange), request);
    }
  }

  /// Reads the rest of the body, whose length the guard has checked.
  void receive(std::shared_ptr<http::Exchange> exchange, http::Request request) {
    http::Exchange& open = *exchange;
    open.read_body([this, exchange = std::move(exchange), request = std::move(request)](const std::string& bytes,
                                                                                        bool last) mutable {
      request.body += bytes;
      if (exchange->gone()) return;
      if (!last) return receive(std::move(exchange), std::move(request));
      respond(std::move(exchange), request);
    });
  }

  void respond(std::shared_ptr<http::Exchange> exchange, const http::Request& request) {
    std::string_view query = request.target;
    const std::string_view path = base::take_until(query, '?');
    const Route& route = *find_route(path, request.method);
    const std::uint64_t number =
        route.is_numbered ? base::whole_number<std::uint64_t>(path.substr(route.path.size())).value() : 0;
    const ControlResponse response = control.respond(route, query, request.body, number);
    if (response.later) return respond_later(std::move(exchange), response.later);
    if (response.stream) return stream(std::move(exchange), response);
    send(*exchange, response);
  }

  void respond_later(std::shared_ptr<http::Exchange> exchange, decltype(ControlResponse::later) later) {
    loop().every(between_looks, [exchange = std::move(exchange), later = std::move(later)] {
      if (exchange->gone()) return false;
      const auto response = later();
      if (response) send(*exchange, *response);
      return !response;
    });
  }

  void stream(std::shared_ptr<http::Exchange> exchange, const ControlResponse& response) {
    exchange->start(head_of(response.status, response.type));
    loop().every(between_pieces, [exchange = std::move(exchange), next = response.stream] {
      if (exchange->gone() || exchange->input_ended()) return false;
      if (exchange->unsent() == 0) exchange->write(next());
      return true;
    });
  }

  Control control;
  const std::string token;
  const bool page;
  std::vector<std::unique_ptr<http::EventLoop>> loops;
  std::unique_ptr<http::Listener> listener;
  std::thread thread;
};

ControlServer::ControlServer(const http::Endpoint& listen, Subject subject, bool page)
    : impl_(std::make_unique<Impl>(listen, std::move(subject), page)) {}

ControlServer::~ControlServer() = default;

std::string ControlServer::url() const { return "http://" + impl_->listener->local().to_string(); }
std::uint16_t ControlServer::port() const { return impl_->listener->local().port; }
const std::string& ControlServer::token() const { return impl_->token; }
std::string ControlServer::page_link() const { return impl_->page ? url() + "/#token=" + impl_->token : std::string(); }

}  // namespace tapedeck::inspector
