#pragma once
// A built front end beside the API on the same origin (--serve DIR).

#include <memory>
#include <string>

#include "base/descriptor.h"
#include "http/server/exchange.h"

namespace tapedeck::http {

/// Answers GET and HEAD for files under a folder ("/" and folders by their index.html) and passes on everything else:
/// other methods, paths under /webapi, and what is no regular file there. No path leaves the folder, neither by ".."
/// nor by a link. `next` must outlive it.
class StaticFiles : public Handler {
 public:
  /// Throws std::invalid_argument when `folder` is no folder.
  StaticFiles(const std::string& folder, Handler& next);
  void handle(std::shared_ptr<Exchange> exchange) override;

 private:
  base::Descriptor folder_;
  Handler& next_;
};

}  // namespace tapedeck::http
