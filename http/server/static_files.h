#pragma once
// Serves a built front end on the same origin as the API (--serve DIR).

#include <memory>
#include <optional>
#include <string>

#include "base/descriptor.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

/// Responds to GET and HEAD for files below a folder. "/" and folders are served by their index.html, and folders
/// without a trailing slash by a redirect. Passes on everything else: other methods, paths below /webapi, names that
/// begin with a dot, and paths that are not regular files. No path can leave the folder, neither by ".." nor by a link.
/// `next` must outlive it.
class StaticFiles : public Handler {
 public:
  /// `fallback` is the file of a single-page application: a name in `folder`, or a path to a file in it. It is served
  /// for paths without a file if the request is a browser's navigation (Accept, Sec-Fetch-Dest), the path is not below
  /// /webapi, and its last name has no dot. Empty: no fallback. Throws std::invalid_argument if `folder` is not a
  /// folder or `fallback` is not a file in it.
  StaticFiles(const std::string& folder, const std::string& fallback, Handler& next);
  void handle(std::shared_ptr<Exchange> exchange) override;
  /// Returns true if handle() would respond itself. Thread-safe.
  [[nodiscard]] bool answers(const Request& request) const { return find(request).has_value(); }

 private:
  /// What a request gets.
  struct Found {
    std::string file;          ///< a path below the folder
    bool needs_slash = false;  ///< true for a folder without a slash at its end, which is redirected
  };
  [[nodiscard]] std::optional<Found> find(const Request& request) const;
  [[nodiscard]] bool falls_back(const Request& request, const std::string& path) const;

  base::Descriptor folder_;
  std::string fallback_;
  Handler& next_;
};

}  // namespace tapedeck::http
