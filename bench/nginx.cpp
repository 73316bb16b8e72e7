#include "bench/nginx.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "bench/client.h"

namespace tapedeck::bench {
namespace {

// The fastest configuration for static files with one worker: descriptors stay open (unless the option disables it),
// nothing is logged, and connections stay open. A POST to a static file is normally 405; here it gets the file.
constexpr const char* common = R"(daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  sendfile {sendfile};
  tcp_nopush {sendfile};
  tcp_nodelay on;
  keepalive_timeout 600s;
  keepalive_requests 1000000000;
  {file_cache}
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  types {{ application/json json; }}
  charset utf-8;
  charset_types application/json;
{role}
}}
)";

/// Returns the lines that cache all descriptors of the process except those for connections.
std::string file_cache_lines(bool keeps_open) {
  constexpr rlim_t for_connections = 5000, most = 1'100'000;
  rlimit limit{};
  if (!keeps_open || getrlimit(RLIMIT_NOFILE, &limit) != 0) return "open_file_cache off;";
  const rlim_t files = std::clamp(limit.rlim_cur, 2 * for_connections, most) - for_connections;
  return fmt::format("open_file_cache max={} inactive=3600s; open_file_cache_valid 3600s;", files);
}

std::string listen_lines(const Nginx::Options& options, std::uint16_t port) {
  if (!options.tls) return fmt::format("listen 127.0.0.1:{} backlog=4096;", port);
  return fmt::format(
      "listen 127.0.0.1:{} ssl backlog=4096; ssl_certificate {}; ssl_certificate_key {}; "
      "ssl_protocols TLSv1.2 TLSv1.3;",
      port, options.tls->cert_file, options.tls->key_file);
}

std::string role_lines(const Nginx::Options& options, std::uint16_t port) {
  const std::string listen = listen_lines(options, port);
  switch (options.role) {
    case Nginx::Role::device:
      return fmt::format(
          "  map $arg_id $answer {{ \"~^(?<shard>\\d\\d\\d)\" /$shard/$arg_id.json; default /none; }}\n"
          "  server {{ {} root {}; location /webapi/ {{ try_files $answer =404; }} }}",
          listen, options.files.string());
    case Nginx::Role::proxy:
      return fmt::format(
          "  upstream device {{ server 127.0.0.1:{}; keepalive 64; keepalive_requests 1000000000; "
          "keepalive_timeout 600s; }}\n"
          "  server {{ {} location / {{ proxy_pass http://device; proxy_http_version 1.1; "
          "proxy_set_header Connection \"\"; proxy_buffers 32 8k; proxy_max_temp_file_size 0; }} }}",
          options.upstream, listen);
    case Nginx::Role::files:
      break;
  }
  return fmt::format("  server {{ {} root {}; error_page 405 =200 $uri; }}", listen, options.files.string());
}

}  // namespace

Nginx::Nginx(const Options& options) : port_(free_port()) {
  std::filesystem::remove_all(options.folder);
  std::filesystem::create_directories(options.folder);
  const std::filesystem::path configuration = options.folder / "nginx.conf";
  std::ofstream(configuration) << fmt::format(fmt::runtime(common), fmt::arg("folder", options.folder.string()),
                                              fmt::arg("file_cache", file_cache_lines(options.keeps_files_open)),
                                              fmt::arg("sendfile", options.sendfile ? "on" : "off"),
                                              fmt::arg("role", role_lines(options, port_)));
  child_ = Child({"nginx", "-p", options.folder.string(), "-c", configuration.string(), "-e",
                  (options.folder / "error.log").string()},
                 options.folder / "output.log");
  const Client ready(port_);
}

}  // namespace tapedeck::bench
