#include "replay/recorded/played_scopes.h"

#include <algorithm>

namespace tapedeck::replay {

void PlayedScopes::add(const cassettes::CassetteReader& reader, const ScopeNames* names) {
  if (names == nullptr) return;
  Cassette& cassette = cassettes_.emplace_back(Cassette{names, {}});
  reader.scopes([&cassette](const cassettes::ScopeTake& scope) {
    if (scope.complete) cassette.whole.insert(scope.name);
    return true;
  });
}

bool PlayedScopes::has(const std::string& name) const {
  return std::any_of(cassettes_.begin(), cassettes_.end(), [&](const Cassette& cassette) {
    const std::string stored = cassette.names->stored(name);
    return cassette.whole.contains(stored) && !is_rerecorded(name, stored);
  });
}

bool PlayedScopes::is_rerecorded(const std::string& name, const std::string& stored) const {
  return std::any_of(rerecord_.begin(), rerecord_.end(), [&](const api::ScopeName& one) {
    return one.name == name || one.text() == api::shown_scope(stored);
  });
}

}  // namespace tapedeck::replay
