#pragma once
// What every command that listens has in common: its options, and the chain in front of its own handler.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/io/event_loop.h"
#include "http/io/limits.h"
#include "http/server/gate.h"
#include "http/server/listener.h"
#include "http/server/static_files.h"

namespace CLI {
class App;
}

namespace tapedeck::cli {

struct ServerOptions {
  std::string listen = "127.0.0.1:8080";
  std::string ready_file;
  bool allow_remote = false;
  std::vector<std::string> allow_hosts;
  std::vector<std::string> cors;
  std::string serve;
  bool tls = false;
  std::string tls_cert, tls_key;
  http::Limits limits;
  /// Where they are not given, they are the default or the buffer, whichever is less.
  std::optional<std::size_t> body_limit, max_body;
};

void add_server_options(CLI::App& command, ServerOptions& options);
/// Only `record` talks to a device.
void add_device_limits(CLI::App& command, ServerOptions& options);
/// All limits, checked. Throws UsageError.
[[nodiscard]] http::Limits limits_of(const ServerOptions& options);

/// Written by rename, mode 0600: first line the base URL, then `name=value` lines; taken away when the command ends.
class ReadyFile {
 public:
  ReadyFile() = default;
  ~ReadyFile();
  ReadyFile(const ReadyFile&) = delete;
  ReadyFile& operator=(const ReadyFile&) = delete;
  /// Does nothing for an empty path. Throws std::runtime_error with one clear line.
  void write(const std::string& path, const std::string& url,
             const std::vector<std::pair<std::string, std::string>>& values);

 private:
  std::string path_;
};

/// A listener with the gate and the static files in front of a handler that is chosen later: nothing is opened or made
/// before the port is ours.
class Server {
 public:
  /// Throws UsageError for options that do not fit, std::runtime_error when it cannot listen.
  Server(const ServerOptions& options, unsigned threads);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void set_handler(http::Handler& handler);
  [[nodiscard]] http::EventLoop& main_loop() { return *loops_.front(); }
  [[nodiscard]] std::string url() const;  ///< "https://127.0.0.1:8443"
  [[nodiscard]] bool tls() const { return tls_.has_value(); }
  [[nodiscard]] const http::Listener& listener() const { return *listener_; }

  /// Runs every loop, the first on this thread, until shut_down() is through. What is thrown on any of them ends them
  /// all and leaves here.
  void run();
  /// Idle connections close at once, busy ones have a little less than a second; then `closed` runs and the loops end.
  /// For the main loop's thread. A second call does nothing.
  void shut_down(std::function<void()> closed = {});

 private:
  struct Late;
  std::vector<std::unique_ptr<http::EventLoop>> loops_;
  std::optional<http::ServerTls> tls_;
  std::unique_ptr<Late> late_;
  std::unique_ptr<http::StaticFiles> files_;
  std::unique_ptr<http::Gate> gate_;
  std::unique_ptr<http::Listener> listener_;
  bool closing_ = false;
};

}  // namespace tapedeck::cli
