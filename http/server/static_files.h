#pragma once
// A built front end beside the API on the same origin (--serve DIR).

#include <memory>
#include <string>

#include "base/descriptor.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

/// Answers GET and HEAD for files under a folder ("/" and folders by their index.html, folders without their last slash
/// by a redirect) and passes on everything else: other methods, paths under /webapi, names that begin with a dot, and
/// what is no regular file there. No path leaves the folder, neither by ".." nor by a link. `next` must outlive it.
class StaticFiles : public Handler {
 public:
  /// `fallback`: the file of a single-page application, in `folder` or by a path that leads into it, which is what a
  /// browser gets that goes to a path which is none: not below /webapi, without a dot in its last name, and of a
  /// request that takes HTML and is no script's (Accept, Sec-Fetch-Dest). Empty: none. Throws std::invalid_argument
  /// when `folder` is no folder or `fallback` no file in it.
  StaticFiles(const std::string& folder, const std::string& fallback, Handler& next);
  void handle(std::shared_ptr<Exchange> exchange) override;
  /// Returns true if handle() would answer it here. Thread-safe.
  [[nodiscard]] bool answers(const Request& request) const;

 private:
  [[nodiscard]] bool falls_back(const Request& request, const std::string& path) const;

  base::Descriptor folder_;
  std::string fallback_;
  Handler& next_;
};

}  // namespace tapedeck::http
