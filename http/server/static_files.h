#pragma once
// Serves a built front end beside the API on the same origin (--serve DIR).

#include <memory>
#include <string>

#include "base/descriptor.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

/// Responds to GET and HEAD for files below a folder ("/" and folders by their index.html, folders without a trailing
/// slash by a redirect) and passes on everything else: other methods, paths below /webapi, names that begin with a dot,
/// and paths that are not regular files. No path leaves the folder, neither by ".." nor by a link. `next` must outlive
/// it.
class StaticFiles : public Handler {
 public:
  /// `fallback`: the file of a single-page application, in `folder` or by a path into it. It is served for paths
  /// without a file if the request is from a browser's navigation (Accept, Sec-Fetch-Dest), the path is not below
  /// /webapi, and its last name has no dot. Empty: none. Throws std::invalid_argument if `folder` is not a folder or
  /// `fallback` is not a file in it.
  StaticFiles(const std::string& folder, const std::string& fallback, Handler& next);
  void handle(std::shared_ptr<Exchange> exchange) override;
  /// Returns true if handle() would respond itself. Thread-safe.
  [[nodiscard]] bool answers(const Request& request) const;

 private:
  [[nodiscard]] bool falls_back(const Request& request, const std::string& path) const;

  base::Descriptor folder_;
  std::string fallback_;
  Handler& next_;
};

}  // namespace tapedeck::http
