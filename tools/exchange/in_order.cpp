#include "tools/exchange/in_order.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "api/request_key.h"
#include "tools/content/stopped.h"

namespace tapedeck::tools {

namespace {

/// The interactions with one key in one scope.
struct Group {
  std::string scope, api, method, text;
  bool is_other = false;  ///< not an API call; sorted after the calls
  std::vector<std::string> ids;

  [[nodiscard]] auto place() const { return std::tie(scope, is_other, api, method, text); }
};

std::vector<Group> groups_of(const cassettes::CassetteReader& cassette, const ExportRange& range) {
  std::vector<Group> groups;
  cassette.list([&](const cassettes::ListedInteraction& line) {
    if (range.wanted && !range.wanted(line)) return true;
    if (groups.empty() || groups.back().text != line.key || groups.back().scope != line.scope) {
      const api::RequestKey key = api::RequestKey::parse(line.key);
      groups.push_back(
          {line.scope, key.is_call ? key.api.full() : "", key.is_call ? key.method : "", line.key, !key.is_call, {}});
    }
    groups.back().ids.push_back(line.id);
    return true;
  });
  std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.place() < b.place(); });
  return groups;
}

}  // namespace

void each_in_order(const cassettes::CassetteReader& cassette, const ExportRange& range,
                   const std::function<void(const cassettes::FullInteraction&)>& visit) {
  const std::vector<Group> groups = groups_of(cassette, range);
  const std::uint64_t total =
      std::accumulate(groups.begin(), groups.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const Group& group) { return sum + group.ids.size(); });
  std::uint64_t done = 0;
  for (const Group& group : groups) {
    for (const std::string& id : group.ids) {
      const auto full = cassette.get(id);
      if (!full) throw std::runtime_error("interaction " + id + " no longer exists");
      visit(*full);
      if (range.progress && !range.progress(++done, total)) throw Stopped();
    }
  }
}

}  // namespace tapedeck::tools
