#pragma once
// Refuses requests that return to their recorder, because its device is the recorder itself or leads to it.

#include <string>

#include "http/message/message.h"

namespace tapedeck::proxy {

/// Each recorder on the way adds its mark to a header of the request, so the first one recognizes its own again. The
/// header is not Via, because web servers send other responses to requests with that header. Thread-safe.
class LoopGuard {
 public:
  LoopGuard();
  /// Returns true if the request has this recorder's mark, or those of more recorders than a chain can need.
  [[nodiscard]] bool has_returned(const http::Headers& request) const;
  /// Adds the marks of `request` and that of this recorder to a request for the device.
  void mark(const http::Headers& request, http::Headers& outgoing) const;
  /// Returns the response to a request that has returned. No recorder stores it.
  [[nodiscard]] static http::Response refusal();
  /// Returns true for the headers of refusal().
  [[nodiscard]] static bool is_refusal(const http::Headers& response);
  /// Makes a response one that is_refusal() recognizes.
  static void set_refusal(http::Headers& response);

 private:
  std::string own_;
};

}  // namespace tapedeck::proxy
