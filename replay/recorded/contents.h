#pragma once
// What a key names by its hash, for comparing it with a recorded key in whose content something was redacted.

#include <optional>
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

  /// Whether the request's file number `nth` of the parameters with that name (as a key spells it) is the recorded one
  /// but for what was redacted in it.
  [[nodiscard]] bool file_fits(std::string_view name, std::size_t nth, std::string_view recorded_value) const;
  /// The same for the body of what is no call.
  [[nodiscard]] bool body_fits(std::string_view recorded_body) const;

 private:
  [[nodiscard]] const std::vector<api::Param>& params() const;
  [[nodiscard]] bool items_fit(std::string_view recorded_items) const;

  const http::Request& request_;
  const api::KeyPolicy& policy_;
  mutable std::optional<std::vector<api::Param>> params_;
};

}  // namespace tapedeck::replay
