#include "http/server/static_files.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "http/message/content_type.h"
#include "http/message/urlencoded.h"

namespace tapedeck::http {
namespace {

constexpr std::size_t largest_file = 256u << 20;

// The kernel itself keeps the lookup under the folder, links included.
int open_beneath(int folder, const std::string& path) {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how));
}

std::optional<std::string> contents(int folder, const std::string& path) {
  const base::Descriptor file(open_beneath(folder, path));
  const std::uint64_t size = file.size();
  if (!file.is_regular_file() || size > largest_file) return std::nullopt;
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = read(file.number(), bytes.data() + done, size - done);
    if (got <= 0) return std::nullopt;
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

/// The path under the folder that a target asks for, or nothing when it cannot be one.
std::optional<std::string> path_of(std::string_view target) {
  std::string path = percent_decode(split_target(target).path, false);
  if (!path.starts_with('/') || path.find('\0') != std::string::npos) return std::nullopt;
  if (path.starts_with("/webapi/")) return std::nullopt;
  path.erase(0, path.find_first_not_of('/'));
  if (path.empty() || path.ends_with('/')) path += "index.html";
  return path;
}

}  // namespace

StaticFiles::StaticFiles(const std::string& folder, Handler& next)
    : folder_(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), next_(next) {
  if (!folder_.open()) throw std::invalid_argument("--serve " + folder + " is no folder that can be read");
}

void StaticFiles::handle(std::shared_ptr<Exchange> exchange) {
  const Request& request = exchange->request();
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const std::optional<std::string> path = reads ? path_of(request.target) : std::nullopt;
  std::optional<std::string> bytes = path ? contents(folder_.number(), *path) : std::nullopt;
  if (!bytes) return next_.handle(std::move(exchange));
  Response answer;
  answer.headers.add("Content-Type", content_type_of(*path));
  answer.headers.add("X-Content-Type-Options", "nosniff");
  answer.headers.add("Cache-Control", "no-cache");
  answer.body = std::move(*bytes);
  exchange->respond(std::move(answer));
}

}  // namespace tapedeck::http
