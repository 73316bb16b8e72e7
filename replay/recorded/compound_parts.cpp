#include "replay/recorded/compound_parts.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "api/request_key.h"
#include "cassettes/file/part_key.h"

namespace tapedeck::replay {
namespace {

constexpr std::size_t most_compounds = 2'000;
constexpr std::size_t most_parts = 10'000;
constexpr std::size_t most_scopes = 16;
constexpr const char* every_scope = "\n";  // not a valid scope name

std::vector<api::RequestKey> with_method(const std::vector<api::RequestKey>& keys, std::string_view api_rest,
                                         std::string_view method) {
  std::vector<api::RequestKey> found;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(found),
               [&](const api::RequestKey& key) { return key.api.rest == api_rest && key.method == method; });
  return found;
}

}  // namespace

const CompoundParts::Keys& CompoundParts::known(const std::string& name, const std::function<Keys()>& compounds) {
  if (const auto found = known_.find(name); found != known_.end()) return found->second;
  if (known_.size() >= most_scopes) known_.clear();
  Keys& keys = known_[name];
  std::unordered_set<std::string> seen;
  for (const api::RequestKey& compound : compounds()) {
    for (api::RequestKey& part : api::part_keys(compound, policy_)) {
      if (keys.size() < most_parts && seen.insert(cassettes::part_key(part)).second) keys.push_back(std::move(part));
    }
  }
  return keys;
}

const CompoundParts::Keys& CompoundParts::of_scope(const std::string& scope) {
  return known(scope, [&] { return reader_.keys_of("Entry.Request", "request", most_compounds, true, scope); });
}

const CompoundParts::Keys& CompoundParts::all_scopes() {
  return known(every_scope, [&] {
    Keys compounds;
    for (auto& scoped : reader_.scoped_keys_of("Entry.Request", "request", most_compounds)) {
      compounds.push_back(std::move(scoped.key));
    }
    return compounds;
  });
}

std::vector<api::RequestKey> CompoundParts::of(std::string_view api_rest, std::string_view method,
                                               const std::string& scope) {
  return with_method(of_scope(scope), api_rest, method);
}

std::vector<api::RequestKey> CompoundParts::in_scopes(std::string_view api_rest, std::string_view method) {
  return with_method(all_scopes(), api_rest, method);
}

bool CompoundParts::has_api(std::string_view api_rest) {
  const auto is_of_api = [&](const api::RequestKey& key) { return key.api.rest == api_rest; };
  const auto has = [&](const Keys& keys) { return std::any_of(keys.begin(), keys.end(), is_of_api); };
  return has(of_scope({})) || has(all_scopes());
}

}  // namespace tapedeck::replay
