#pragma once
// Runs nginx for comparison: with its own configuration, prefix, and port, and one worker, in the foreground.

#include <cstdint>
#include <filesystem>
#include <optional>

#include "bench/child.h"
#include "http/io/tls.h"

namespace tapedeck::bench {

class Nginx {
 public:
  enum class Role {
    files,   ///< serves the files below `files` by name, for GET and POST
    device,  ///< serves the same files as responses to API calls, by the parameter `id`
    proxy,   ///< forwards everything to 127.0.0.1:`upstream` over kept connections
  };
  struct Options {
    Role role = Role::files;
    std::filesystem::path folder;  ///< for its configuration, logs, and temporary files; created anew
    std::filesystem::path files = {};
    std::uint16_t upstream = 0;
    std::optional<http::ServerTls> tls = {};
    bool sendfile = false;         ///< faster for large files, slower for small ones
    bool keeps_files_open = true;  ///< open_file_cache, for as many files as the process may open
  };

  /// Starts nginx and waits until it accepts connections.
  explicit Nginx(const Options& options);
  [[nodiscard]] const Child& child() const { return child_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  std::uint16_t port_;
  Child child_;
};

}  // namespace tapedeck::bench
