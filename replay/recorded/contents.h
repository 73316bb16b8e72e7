#pragma once
// What a key names by its hash, for comparing it with a recorded key in whose content something was redacted.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/request_key.h"

namespace tapedeck::replay {

/// The contents of one request: its files and its body. Nothing is read before it is asked for, so that a plain hit
/// pays nothing. Request and policy must outlive this.
class Contents {
 public:
  Contents(const http::Request& request, const api::KeyPolicy& policy) : request_(request), policy_(policy) {}
  Contents(const Contents&) = delete;

  /// Whether the request's file number `nth` of the parameters with that name (as a key spells it) is the recorded one
  /// but for what was redacted in it.
  [[nodiscard]] bool file_fits(std::string_view name, std::size_t nth, std::string_view recorded_value) const;
  /// The same for the body of what is no call.
  [[nodiscard]] bool body_fits(std::string_view recorded_body) const;

 private:
  /// A parameter with its name as a key spells it.
  struct Named {
    std::string name;
    const api::Param* param;
  };
  /// Those that a key has: sorted by name, those of one name in their order.
  [[nodiscard]] const std::vector<Named>& by_name() const;
  [[nodiscard]] bool items_fit(std::string_view recorded_items) const;

  const http::Request& request_;
  const api::KeyPolicy& policy_;
  mutable std::vector<api::Param> params_;
  mutable std::optional<std::vector<Named>> by_name_;  ///< of params_
  mutable std::optional<std::string> items_;           ///< of the body, as a key spells them
};

}  // namespace tapedeck::replay
