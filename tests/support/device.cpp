#include "tests/support/device.h"

#include <httplib.h>
#include <sys/socket.h>
#include <zlib.h>

#include <algorithm>
#include <ctime>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "tests/support/device_drift.h"
#include "tests/support/device_state.h"

namespace tapedeck::tests {

namespace {

constexpr std::size_t threads = 24;

std::string cookie(const httplib::Request& request, const std::string& name) {
  const std::string all = "; " + request.get_header_value("Cookie");
  const auto at = all.find("; " + name + "=");
  if (at == std::string::npos) {
    return {};
  }
  const auto begin = at + name.size() + 3;
  return all.substr(begin, all.find(';', begin) - begin);
}

ApiRequest api_request(const httplib::Request& request, const std::string& behind_cgi) {
  ApiRequest call;
  call.params = request.params;
  call.path_api = behind_cgi;
  call.cookie_id = cookie(request, "id");
  for (const auto& [name, part] : request.files) {
    if (part.filename.empty()) {
      call.params.emplace(name, part.content);
    } else {
      call.file = UploadedFile{part.filename, part.content.size()};
    }
  }
  return call;
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// cpp-httplib compresses as well, but not a media type with a quoted charset, which devices send.
void compress_if_asked(const httplib::Request& request, DeviceAnswer& answer) {
  const bool asked = request.get_header_value("Accept-Encoding").find("gzip") != std::string::npos;
  if (asked && answer.body.size() > 200 && answer.content_type.find('"') != std::string::npos) {
    answer.body = gzip(answer.body);
    answer.headers.emplace_back("Content-Encoding", "gzip");
    answer.headers.emplace_back("Vary", "Accept-Encoding");
  }
}

void send(const DeviceAnswer& answer, httplib::Response& response) {
  response.status = answer.status;
  for (const auto& [name, value] : answer.headers) {
    response.headers.emplace(name, value);
  }
  if (!answer.chunked) {
    response.set_content(answer.body, answer.content_type);
    return;
  }
  response.set_chunked_content_provider(answer.content_type,
                                        [body = answer.body](std::size_t offset, httplib::DataSink& sink) {
                                          // The pieces have an odd size, so that no chunk ends at the end of a value.
                                          const std::size_t length = std::min<std::size_t>(777, body.size() - offset);
                                          if (length == 0) {
                                            sink.done();
                                            return true;
                                          }
                                          return sink.write(body.data() + offset, length);
                                        });
}

DeviceAnswer page(int status, const std::string& type, const std::string& body) {
  DeviceAnswer answer;
  answer.status = status;
  answer.content_type = type;
  answer.body = body;
  return answer;
}

}  // namespace

namespace {

std::string date(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[40] = "";
  std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return text;
}

}  // namespace

struct Device::Impl {
  explicit Impl(DeviceOptions given) : options(std::move(given)), state(options) {
    const bool tls = !options.certificate.empty();
    if (tls) {
      server = std::make_unique<httplib::SSLServer>(options.certificate.c_str(), options.private_key.c_str());
    } else {
      server = std::make_unique<httplib::Server>();
    }
    if (!server->is_valid()) {
      throw std::runtime_error("the tests' device: its certificate or key cannot be used");
    }
    configure();
    const int port = server->bind_to_any_port(options.host);
    if (port <= 0) {
      throw std::runtime_error("the tests' device: cannot listen on " + options.host);
    }
    const bool v6 = options.host.find(':') != std::string::npos;
    origin = std::string(tls ? "https://" : "http://") + (v6 ? "[" + options.host + "]" : options.host) + ":" +
             std::to_string(port);
    thread = std::thread([this] { server->listen_after_bind(); });
    // stop() has no effect before the accept loop runs.
    while (!server->is_running()) {
      std::this_thread::yield();
    }
  }

  ~Impl() {
    server->stop();
    thread.join();
  }

  void configure() {
    server->new_task_queue = [] { return new httplib::ThreadPool(threads); };
    server->set_tcp_nodelay(true);
    server->set_keep_alive_timeout(1);  // stop() waits for idle connections
    server->set_keep_alive_max_count(1000);
    server->set_socket_options([](int socket) {
      const int on = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    server->set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
      response.status = 500;
      response.set_content("the tests' device failed", "text/plain");
    });
    server->set_pre_routing_handler([this](const httplib::Request& request, httplib::Response&) {
      const std::lock_guard lock(mutex);
      targets.push_back(request.target);
      peers.insert(request.remote_addr + " " + std::to_string(request.remote_port));
      return httplib::Server::HandlerResponse::Unhandled;
    });
    const auto handle = [this](const httplib::Request& request, httplib::Response& response) {
      respond(request, response);
    };
    server->Get(".*", handle).Post(".*", handle).Put(".*", handle).Delete(".*", handle).Options(".*", handle);
  }

  void respond(const httplib::Request& request, httplib::Response& response) {
    std::string path = request.path;
    if (options.clock_off != 0) response.set_header("Date", date(std::time(nullptr) + options.clock_off));
    if (options.is_stranger) return send(page(404, "text/html", "<html>It works!</html>"), response);
    if (!options.redirects_to.empty()) {
      DeviceAnswer answer = page(302, "text/html", "");
      answer.headers.emplace_back("Location", options.redirects_to + request.target);
      return send(answer, response);
    }
    if (!options.base_path.empty()) {
      if (!path.starts_with(options.base_path + "/")) {
        send(page(404, "text/html", "<html>outside the base path</html>"), response);
        return;
      }
      path.erase(0, options.base_path.size());
    }
    const auto cgi = path.find(".cgi");
    if (path.starts_with("/webapi/") && cgi != std::string::npos) {
      const std::string behind = path.size() > cgi + 5 ? path.substr(cgi + 5) : "";
      DeviceAnswer answer = state.answer(api_request(request, behind));
      compress_if_asked(request, answer);
      send(answer, response);
      return;
    }
    other(path, request, response);
  }

  void other(const std::string& path, const httplib::Request& request, httplib::Response& response) const {
    if (path == "/webapi/Template") {
      send(page(template_status(), "application/json",
                "{\"data\": {\"template\" : [ 1.50, 2e3 ]},\n \"success\": true}\n"),
           response);
    } else if (path == "/webapi/bad-gateway") {
      send(page(502, "text/html", "<html><body>502 Bad Gateway</body></html>\r\n"), response);
    } else if (path == "/webapi/bad-request") {
      send(page(400, "text/plain", "Bad Request: it is text"), response);
    } else if (path == "/go") {
      DeviceAnswer answer = page(302, "text/html", "");
      answer.headers.emplace_back("Location", origin + options.base_path + "/webapi/entry.cgi?_sid=" +
                                                  request.get_param_value("_sid") + "&launch=1");
      send(answer, response);
    } else if (path == "/static/app.js") {
      response.set_header("ETag", "\"fixture-1\"");
      if (request.get_header_value("If-None-Match") == "\"fixture-1\"") {
        response.status = 304;
        return;
      }
      send(page(200, "application/javascript", "var fixture = 1;\n"), response);
    } else {
      send(page(404, "text/html", "<html><body>404 Not Found</body></html>\n"), response);
    }
  }

  DeviceOptions options;
  DeviceState state;
  std::unique_ptr<httplib::Server> server;
  std::string origin;
  std::thread thread;
  mutable std::mutex mutex;
  std::vector<std::string> targets;
  std::set<std::string> peers;
};

Device::Device(DeviceOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Device::~Device() = default;

std::string Device::url() const { return impl_->origin + impl_->options.base_path; }
std::string Device::origin() const { return impl_->origin; }
const DeviceOptions& Device::options() const { return impl_->options; }

std::uint64_t Device::requests() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->targets.size();
}

std::vector<std::string> Device::targets() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->targets;
}

std::map<std::string, unsigned> Device::operations() const { return impl_->state.counts(); }

std::size_t Device::connections() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->peers.size();
}

DeviceSecrets Device::secrets() const { return impl_->state.secrets(); }

}  // namespace tapedeck::tests
