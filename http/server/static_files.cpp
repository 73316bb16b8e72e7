#include "http/server/static_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/linux.h"
#include "http/message/browser_request.h"
#include "http/message/content_type.h"
#include "http/message/urlencoded.h"

namespace tapedeck::http {
namespace {

constexpr std::size_t largest_file = 256u << 20;
const std::string start_page = "index.html";

std::optional<std::string> contents(int folder, const std::string& path) {
  const base::Descriptor file(base::open_beneath(folder, path));
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

/// Files that begin with a dot are not served, because they are rarely meant to be public.
bool has_dot_name(std::string_view path) { return path.starts_with('.') || path.find("/.") != std::string_view::npos; }

/// Returns the path below the folder that a request names: empty for the folder itself, nothing if the path is invalid.
std::optional<std::string> path_of(const Request& request) {
  if (request.method != "GET" && request.method != "HEAD") return std::nullopt;
  std::string path = percent_decode(split_target(request.target).path, false);
  if (!path.starts_with('/') || path.find('\0') != std::string::npos) return std::nullopt;
  if (is_below_webapi(path)) return std::nullopt;
  path.erase(0, std::min(path.find_first_not_of('/'), path.size()));
  return has_dot_name(path) ? std::nullopt : std::optional(std::move(path));
}

bool is_file(int folder, const std::string& path) {
  return base::Descriptor(base::open_beneath(folder, path)).is_regular_file();
}

/// Returns the target with a slash after its path. The result begins with one slash, because two would name a host.
std::string with_slash(std::string_view target) {
  const TargetParts parts = split_target(target);
  const std::size_t begin = std::min(parts.path.find_first_not_of("/\\"), parts.path.size());
  std::string location = "/" + std::string(parts.path.substr(begin)) + "/";
  if (parts.path.size() < target.size()) location += target.substr(parts.path.size());
  return location;
}

Response page_of(std::string_view path, std::string bytes) {
  Response response;
  response.headers.add("Content-Type", content_type_of(path));
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Cache-Control", "no-cache");
  response.body = std::move(bytes);
  return response;
}

Response redirect_to(const std::string& location) {
  Response response;
  response.status = 302;  // not cached, because the folder may be missing in the next build
  response.reason = reason_phrase(response.status);
  response.headers.add("Location", location);
  return response;
}

}  // namespace

StaticFiles::StaticFiles(const std::string& folder, Handler& next)
    : folder_(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), next_(next) {
  if (!folder_.open()) throw std::invalid_argument("--serve " + folder + ": cannot read this folder");
}

bool StaticFiles::falls_back(const Request& request, const std::string& path) const {
  const std::string_view last = std::string_view(path).substr(path.rfind('/') + 1);
  if (last.find('.') != std::string_view::npos) return false;
  if (request.headers.first("Accept").value_or("").find("text/html") == std::string_view::npos) return false;
  const std::string_view reader = request.headers.first("Sec-Fetch-Dest").value_or("document");
  return (reader == "document" || reader == "iframe" || reader == "frame") && is_file(folder_.number(), start_page);
}

std::optional<StaticFiles::Found> StaticFiles::find(const Request& request) const {
  const std::optional<std::string> path = path_of(request);
  if (!path) return std::nullopt;
  const bool is_folder = path->empty() || path->ends_with('/');
  const std::string file = is_folder ? *path + start_page : *path;
  if (is_file(folder_.number(), file)) return Found{file, false};
  if (!is_folder && is_file(folder_.number(), *path + "/" + start_page)) return Found{{}, true};
  return falls_back(request, *path) ? std::optional(Found{start_page, false}) : std::nullopt;
}

void StaticFiles::handle(std::shared_ptr<Exchange> exchange) {
  const Request& request = exchange->request();
  const std::optional<Found> found = find(request);
  if (found && found->needs_slash) return exchange->respond(redirect_to(with_slash(request.target)));
  std::optional<std::string> bytes = found ? contents(folder_.number(), found->file) : std::nullopt;
  if (!bytes) return next_.handle(std::move(exchange));
  exchange->respond(page_of(found->file, std::move(*bytes)));
}

}  // namespace tapedeck::http
