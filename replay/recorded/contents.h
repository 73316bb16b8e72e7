#pragma once
// Compares contents that a key represents by their hash with a recorded key that has redacted contents.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/request_key.h"

namespace tapedeck::replay {

/// The contents of one request: its files and its body. They are read when they are needed, so a plain hit costs
/// nothing. Request and policy must outlive the object.
class Contents {
 public:
  Contents(const http::Request& request, const api::KeyPolicy& policy) : request_(request), policy_(policy) {}
  Contents(const Contents&) = delete;

  /// Returns true if file number `nth` of the parameters with this name (as in a key) is the recorded one except for
  /// redacted places.
  [[nodiscard]] bool file_fits(std::string_view name, std::size_t nth, std::string_view recorded_value) const;
  /// Returns true if the body of a request that is not a call is the recorded one except for redacted places.
  [[nodiscard]] bool body_fits(std::string_view recorded_body) const;

 private:
  /// A parameter with its name as in a key.
  struct Named {
    std::string name;
    const api::Param* param;
  };
  /// Returns the parameters that a key has, sorted by name. Parameters with equal names keep their order.
  [[nodiscard]] const std::vector<Named>& by_name() const;
  [[nodiscard]] bool items_fit(std::string_view recorded_items) const;

  const http::Request& request_;
  const api::KeyPolicy& policy_;
  mutable std::vector<api::Param> params_;
  mutable std::optional<std::vector<Named>> by_name_;  ///< params_ by name
  mutable std::optional<std::string> items_;           ///< parameters of the body, as in a key
};

}  // namespace tapedeck::replay
