#include "inspector/control_server.h"

#include <sys/socket.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "base/digest.h"
#include "http/message/url.h"
#include "inspector/event_stream.h"
#include "inspector/guarded_server.h"
#include "inspector/input.h"
#include "inspector/page_files.h"

namespace tapedeck::inspector {
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
        server(limits(), [this](const http::Request& head) {
          return check(head, {this->listen.port, token, page});
        }) {}

  void configure() {
    server.new_task_queue = [] { return new httplib::ThreadPool(threads); };
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
  void add_routes() {
    for (const Route& route : routes()) {
      const auto handler = [this, &route](const httplib::Request& request, httplib::Response& response) {
        const std::size_t mark = request.target.find('?');
        const std::string query = mark == std::string::npos ? std::string() : request.target.substr(mark + 1);
        if (route.is_stream) return stream(query, response);
        const std::uint64_t number = route.is_numbered ? std::stoull(request.matches[1].str()) : 0;
        send(control.respond(route, {query, request.body, number}), response);
      };
      const std::string pattern = std::string(route.path) + (route.is_numbered ? "([0-9]{1,15})" : "");
      if (route.method == "GET") {
        server.Get(pattern, handler);
      } else {
        server.Post(pattern, handler);
      }
    }
  }
  void add_page() {
    if (!page) return;
    server.Get("/(?:page/.*)?", [](const httplib::Request& request, httplib::Response& response) {
      const PageFile* const file = find_page_file(request.target);
      if (file == nullptr) return send(control_error(404, "no such file"), response);
      response.set_content(file->bytes.data(), file->bytes.size(), std::string(file->type).c_str());
    });
  }
  void stream(const std::string& query, httplib::Response& response) {
    std::uint64_t from = 0;
    try {
      from = Query(query, {"from"}).number("from", journal.oldest(), 1, largest_number);
    } catch (const BadInput& error) {
      return send(control_error(400, error.what()), response);
    }
    if (++streams > most_streams) {
      --streams;
      return send(control_error(503, "the limit of eight open streams is reached"), response);
    }
    constexpr std::chrono::milliseconds look_up{500};
    const auto events = std::make_shared<EventStream>(journal, from);
    response.set_chunked_content_provider(
        "text/event-stream",
        [events](std::size_t, httplib::DataSink& sink) {
          const std::string text = events->next(look_up);
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
    if (listen.port == 0) throw std::runtime_error("cannot listen for the control API; the port may be in use");
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
  impl_->add_page();
  impl_->add_routes();
  impl_->start();
}

ControlServer::~ControlServer() { impl_->stop(); }

std::string ControlServer::url() const { return "http://" + impl_->listen.to_string(); }
std::uint16_t ControlServer::port() const { return impl_->listen.port; }
const std::string& ControlServer::token() const { return impl_->token; }
std::string ControlServer::page_link() const { return impl_->page ? url() + "/#token=" + impl_->token : std::string(); }

}  // namespace tapedeck::inspector
