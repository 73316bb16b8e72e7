#include "replay/recorded/contents.h"

#include "api/key_text.h"
#include "api/request_params.h"
#include "replay/recorded/match.h"

namespace tapedeck::replay {

const std::vector<api::Param>& Contents::params() const {
  if (!params_) params_ = api::body_params(request_, {}).value_or(std::vector<api::Param>());
  return *params_;
}

bool Contents::file_fits(std::string_view name, std::size_t nth, std::string_view recorded_value) const {
  for (const api::Param& param : params()) {
    if (policy_.leaves_out(param.name)) continue;
    std::string written;
    api::append_escaped(written, param.name);
    if (written == name && nth-- == 0) return api::fits_file(param, recorded_value);
  }
  return false;
}

bool Contents::body_fits(std::string_view recorded_body) const {
  return recorded_body.starts_with('?') ? items_fit(recorded_body) : api::fits_content(request_.body, recorded_body);
}

bool Contents::items_fit(std::string_view recorded_items) const {
  const std::string written = policy_.body_items(request_);
  const auto asked = api::RequestKey::items_of(written);
  const auto recorded = api::RequestKey::items_of(recorded_items);
  if (asked.size() != recorded.size()) return false;
  std::size_t nth = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    nth = i > 0 && asked[i].name == asked[i - 1].name ? nth + 1 : 0;
    if (asked[i].name != recorded[i].name) return false;
    if (asked[i].value == recorded[i].value) continue;
    if (!recorded[i].has_hole) return false;
    if (!fits_pattern(asked[i].value, recorded[i].value) && !file_fits(asked[i].name, nth, recorded[i].value)) {
      return false;
    }
  }
  return true;
}

}  // namespace tapedeck::replay
