#include "replay/recorded/contents.h"

#include <algorithm>

#include "api/key_text.h"
#include "api/request_params.h"
#include "replay/recorded/match.h"

namespace tapedeck::replay {

const std::vector<Contents::Named>& Contents::by_name() const {
  if (by_name_) return *by_name_;
  params_ = api::body_params(request_, {}).value_or(std::vector<api::Param>());
  by_name_.emplace();
  for (const api::Param& param : params_) {
    if (policy_.leaves_out(param.name)) continue;
    api::append_escaped(by_name_->emplace_back(Named{{}, &param}).name, param.name);
  }
  std::stable_sort(by_name_->begin(), by_name_->end(), [](const Named& a, const Named& b) { return a.name < b.name; });
  return *by_name_;
}

bool Contents::file_fits(std::string_view name, std::size_t nth, std::string_view recorded_value) const {
  const std::vector<Named>& all = by_name();
  const auto first = std::lower_bound(all.begin(), all.end(), name,
                                      [](const Named& one, std::string_view wanted) { return one.name < wanted; });
  if (static_cast<std::size_t>(all.end() - first) <= nth) return false;
  const Named& found = *(first + static_cast<std::ptrdiff_t>(nth));
  return found.name == name && api::fits_file(*found.param, recorded_value);
}

bool Contents::body_fits(std::string_view recorded_body) const {
  return recorded_body.starts_with('?') ? items_fit(recorded_body) : api::fits_content(request_.body, recorded_body);
}

bool Contents::items_fit(std::string_view recorded_items) const {
  if (!items_) items_ = policy_.body_items(request_);
  std::string_view asked_rest = *items_;
  asked_rest.remove_prefix(std::min<std::size_t>(1, asked_rest.size()));
  std::string_view recorded_rest = recorded_items.substr(1);
  std::size_t nth = 0;
  std::optional<std::string_view> last;
  while (const auto recorded = api::RequestKey::next_item(recorded_rest)) {
    const auto asked = api::RequestKey::next_item(asked_rest);
    if (!asked || asked->name != recorded->name) return false;
    nth = asked->name == last ? nth + 1 : 0;
    last = asked->name;
    if (asked->value == recorded->value) continue;
    if (!recorded->has_hole) return false;
    if (!fits_pattern(asked->value, recorded->value) && !file_fits(asked->name, nth, recorded->value)) return false;
  }
  return asked_rest.empty();
}

}  // namespace tapedeck::replay
