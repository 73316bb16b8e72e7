#pragma once
// Serves a built front end on the same origin as the API (--serve DIR).

#include <memory>
#include <optional>
#include <string>

#include "base/descriptor.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

/// Responds to GET and HEAD for files below a folder. "/" and folders are served by their index.html, and folders
/// without a trailing slash by a redirect. A browser's navigation (Accept, Sec-Fetch-Dest) to a path without a file
/// gets the folder's index.html, because a single-page application shows that path itself, unless the last name of the
/// path has a dot. Passes on everything else: other methods, paths below a "webapi" folder, names that begin with a
/// dot, and paths that are not regular files. No path can leave the folder, neither by ".." nor by a link. `next` must
/// outlive it.
class StaticFiles : public Handler {
 public:
  /// Throws std::invalid_argument if `folder` is not a folder.
  StaticFiles(const std::string& folder, Handler& next);
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
  Handler& next_;
};

}  // namespace tapedeck::http
