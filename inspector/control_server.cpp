#include "inspector/control_server.h"

#include <sys/socket.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "base/digest.h"
#include "base/text.h"
#include "inspector/guarded_server.h"
#include "inspector/page_files.h"
#include "journal/journal.h"

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
    if (listen.port == 0) throw std::runtime_error("cannot listen for the control API; the port may be in use\nhint: --control chooses another address");
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
