#include "replay/recorded/scope_names.h"

#include <algorithm>

#include "api/scope_name.h"

namespace tapedeck::replay {

std::unique_ptr<const ScopeNames> ScopeNames::of(const cassettes::CassetteReader& reader) {
  auto names = std::make_unique<ScopeNames>();
  bool has_any = false;
  std::string last;
  reader.scopes([&](const cassettes::ScopeTake& scope) {
    has_any = true;
    if (scope.name != last && api::has_redacted_place(scope.name)) names->redacted_.push_back(scope.name);
    last = scope.name;
    return true;
  });
  if (!has_any) return nullptr;
  if (names->redacted_.empty()) return names;
  reader.scopes([&](const cassettes::ScopeTake& scope) {
    if (!api::has_redacted_place(scope.name)) names->plain_.insert(scope.name);
    return true;
  });
  return names;
}

std::string ScopeNames::stored(const std::string& name) const {
  if (redacted_.empty() || plain_.contains(name)) return name;
  const auto fitting = std::find_if(redacted_.begin(), redacted_.end(),
                                    [&](const std::string& one) { return api::fits_redacted(name, one); });
  return fitting == redacted_.end() ? name : *fitting;
}

}  // namespace tapedeck::replay
