#pragma once
// Which calls change the device (semantics §8).

#include "api/call.h"

namespace tapedeck::api {

enum class Effect {
  read,     ///< by the catalog's mark, or a read verb outside the catalog
  session,  ///< login and logout
  write,    ///< everything else, and a compound call that cannot be parsed
};

class WriteGuard {
 public:
  /// A compound call is as its worst part. One without api, version or method, or with two of one, is a write.
  [[nodiscard]] static Effect effect(const Call& call);
  /// What is no API call reads with GET, HEAD and OPTIONS and writes otherwise. Where query and form name different
  /// calls, the worse one counts: devices may differ in which they take.
  [[nodiscard]] static Effect effect(const http::Request& request, std::string_view base_path);
  /// The same for a request whose call is known already.
  [[nodiscard]] static Effect effect(const http::Request& request, const std::optional<Call>& call,
                                     std::string_view base_path);
};

}  // namespace tapedeck::api
