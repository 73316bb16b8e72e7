#pragma once
// Decides which calls change the device (docs/recording.md, "Which calls change the device").

#include "api/call.h"

namespace tapedeck::api {

enum class Effect {
  read,     ///< marked as a read in the catalog, or outside of the catalog a method that reads
  session,  ///< login and logout
  write,    ///< everything else, and what cannot be read for sure
};

class WriteGuard {
 public:
  /// Returns the effect of a call; for a compound, the worst effect of its parts. A call in which api, version, or
  /// method is missing or occurs twice is a write.
  [[nodiscard]] static Effect effect(const Call& call);
  /// Returns the effect of a request. One that is not a call reads with GET, HEAD, and OPTIONS, and writes otherwise.
  /// If query and form name different calls, the worse effect counts, because devices may use either. A request that a
  /// device may read in another way (sure_reading.h) writes.
  [[nodiscard]] static Effect effect(const http::Request& request, std::string_view base_path);
  /// Does the same for a request whose call is known.
  [[nodiscard]] static Effect effect(const http::Request& request, const std::optional<Call>& call,
                                     std::string_view base_path);
};

}  // namespace tapedeck::api
