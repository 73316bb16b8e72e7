#pragma once
// nginx as the other side: its own configuration, prefix and port, one worker, run in the foreground.

#include <cstdint>
#include <filesystem>
#include <optional>

#include "bench/child.h"
#include "http/io/tls.h"

namespace tapedeck::bench {

class Nginx {
 public:
  enum class Role {
    files,   ///< the files under `files`, by their names, for GET and POST
    device,  ///< the same files as answers of API calls, by the parameter `id`
    proxy,   ///< passes everything to 127.0.0.1:`upstream`, with kept connections
  };
  struct Options {
    Role role = Role::files;
    std::filesystem::path folder;  ///< for its configuration, logs and temporary files; made anew
    std::filesystem::path files = {};
    std::uint16_t upstream = 0;
    std::optional<http::ServerTls> tls = {};
    bool sendfile = false;         ///< nginx is faster without for small files, with for large ones
    bool keeps_files_open = true;  ///< open_file_cache, for as many files as it may open
  };

  /// Starts it and waits until it accepts.
  explicit Nginx(const Options& options);
  [[nodiscard]] const Child& child() const { return child_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  std::uint16_t port_;
  Child child_;
};

}  // namespace tapedeck::bench
