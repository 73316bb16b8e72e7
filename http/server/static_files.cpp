#include "http/server/static_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/system.h"
#include "http/message/browser_request.h"
#include "http/message/content_type.h"
#include "http/message/urlencoded.h"

namespace tapedeck::http {
namespace {

const std::string start_page = "index.html";
constexpr std::size_t piece_size = 64u << 10;

/// Sends a file piece by piece, each after the client has received the one before. So a client that reads slowly takes
/// little memory, and no time of others. The connection keeps it alive.
class FileSender : public std::enable_shared_from_this<FileSender> {
 public:
  FileSender(std::shared_ptr<Exchange> exchange, base::Descriptor file)
      : exchange_(std::move(exchange)), file_(std::move(file)), size_(file_.size()) {}

  void begin(Response head) {
    if (size_ <= piece_size) {
      std::optional<std::string> bytes = next_piece();
      if (!bytes) return exchange_->abort();
      head.body = std::move(*bytes);
      return exchange_->respond(std::move(head));
    }
    head.headers.set("Content-Length", std::to_string(size_));
    if (exchange_->request().method == "HEAD") return exchange_->respond(std::move(head));
    exchange_->start(std::move(head));
    exchange_->on_drained([self = shared_from_this()] { self->go_on(); });
    go_on();
  }

 private:
  /// A loop, because writing may call back immediately. Lets others have a turn after some pieces.
  void go_on() {
    constexpr std::size_t most_pieces = 16;
    if (std::exchange(is_going_on_, true)) return;
    std::size_t pieces = 0;
    for (; sent_ < size_ && pieces < most_pieces && !exchange_->gone() && exchange_->unsent() == 0; ++pieces) {
      std::optional<std::string> bytes = next_piece();
      if (!bytes) return exchange_->abort();
      exchange_->write(std::move(*bytes));
    }
    is_going_on_ = false;
    if (sent_ == size_) {
      is_going_on_ = true;
      exchange_->finish();
    } else if (pieces == most_pieces) {
      exchange_->post([self = shared_from_this()] { self->go_on(); });
    }
  }

  /// Returns nothing if the file has become shorter.
  std::optional<std::string> next_piece() {
    std::string bytes(std::min<std::uint64_t>(piece_size, size_ - sent_), '\0');
    if (base::read_at(file_.number(), sent_, bytes) < bytes.size()) return std::nullopt;
    sent_ += bytes.size();
    return bytes;
  }

  const std::shared_ptr<Exchange> exchange_;
  const base::Descriptor file_;
  const std::uint64_t size_;
  std::uint64_t sent_ = 0;
  bool is_going_on_ = false;
};

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

Response head_of(std::string_view path) {
  Response response;
  response.headers.add("Content-Type", content_type_of(path));
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Cache-Control", "no-cache");
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

StaticFiles::StaticFiles(const std::string& folder, Handler& next) : folder_(base::open_folder(folder)), next_(next) {
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
  base::Descriptor file(found ? base::open_beneath(folder_.number(), found->file) : -1);
  if (!file.is_regular_file()) return next_.handle(std::move(exchange));
  std::make_shared<FileSender>(std::move(exchange), std::move(file))->begin(head_of(found->file));
}

}  // namespace tapedeck::http
