#include "tools/selection.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/request_key.h"
#include "base/text.h"
#include "tools/content/instant.h"

namespace tapedeck::tools {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 4> outcome_words = {
    {{Outcome::ok, "ok"}, {Outcome::error, "error"}, {Outcome::broken, "broken"}, {Outcome::withheld, "withheld"}}};
constexpr std::int64_t second_us = 1'000'000;

/// Returns true if an element fits, or if the list is empty.
template <class List, class Fits>
bool any_fits(const List& list, const Fits& fits) {
  return list.empty() || std::any_of(list.begin(), list.end(), fits);
}

std::optional<std::int64_t> ago(std::string_view text, std::int64_t now_us) {
  constexpr std::array<std::pair<char, std::int64_t>, 5> units = {
      {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86'400}, {'w', 7 * 86'400}}};
  constexpr std::int64_t longest = 1'000'000'000;
  if (text.size() < 2) return std::nullopt;
  const auto unit = std::find_if(units.begin(), units.end(), [&](const auto& one) { return one.first == text.back(); });
  const auto count = base::whole_number<std::int64_t>(text.substr(0, text.size() - 1));
  if (unit == units.end() || !count || *count < 0 || *count > longest / unit->second) return std::nullopt;
  return now_us - *count * unit->second * second_us;
}

/// Returns true if the key is that of a call and its API matches "Core.Share", "SVC.Core.Share", "Core.*", or "*".
bool has_api(std::string_view pattern, const api::RequestKey& key) {
  if (!key.is_call) return false;
  if (pattern == "*") return true;
  const std::string full = key.api.full();
  if (!pattern.ends_with(".*")) return pattern == key.api.rest || pattern == full;
  // Keeps the dot, so that "Core.*" does not match "Corex".
  pattern.remove_suffix(1);
  return key.api.rest.starts_with(pattern) || full.starts_with(pattern);
}

}  // namespace

Outcome outcome_of(const cassettes::ListedInteraction& line) {
  if (line.completeness == api::Completeness::broken) return Outcome::broken;
  if (line.completeness == api::Completeness::withheld) return Outcome::withheld;
  const bool succeeded = line.error_code ? *line.error_code == 0 : line.status < 400;
  return succeeded ? Outcome::ok : Outcome::error;
}

std::optional<Outcome> outcome_named(std::string_view word) {
  for (const auto& [outcome, name] : outcome_words) {
    if (name == word) return outcome;
  }
  return std::nullopt;
}

std::optional<StatusFilter> StatusFilter::parse(std::string_view text) {
  StatusFilter filter;
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    filter.code = base::whole_number<int>(text.substr(slash + 1));
    if (!filter.code) return std::nullopt;
    text = text.substr(0, slash);
    if (text.empty()) return filter;
  }
  if (text.size() != 3 || text[0] < '0' || text[0] > '9') return std::nullopt;
  if (text.substr(1) == "xx" || text.substr(1) == "XX") {
    filter.low = (text[0] - '0') * 100;
    filter.high = filter.low + 99;
    return filter;
  }
  const auto status = base::whole_number<int>(text);
  if (!status) return std::nullopt;
  filter.low = filter.high = *status;
  return filter;
}

bool StatusFilter::has(const cassettes::ListedInteraction& line) const {
  return line.status >= low && line.status <= high && (!code || line.error_code == code);
}

std::optional<std::int64_t> time_of(std::string_view text, std::int64_t now_us) {
  const auto back = ago(text, now_us);
  return back ? back : microseconds_of(text, true);
}

bool Selection::has(const cassettes::ListedInteraction& line) const {
  if (since_us && line.started_us < *since_us) return false;
  const auto is = [](const auto& value) { return [&value](const auto& wanted) { return wanted == value; }; };
  if (!any_fits(takes, is(line.take)) || !any_fits(scopes, is(line.scope))) return false;
  if (!outcomes.empty() && !any_fits(outcomes, is(outcome_of(line)))) return false;
  if (!any_fits(statuses, [&](const StatusFilter& filter) { return filter.has(line); })) return false;
  if (!any_fits(ids, [&](const std::string& id) { return line.id.starts_with(id); })) return false;
  if (apis.empty() && methods.empty()) return true;
  const api::RequestKey key = api::RequestKey::parse(line.key);
  return any_fits(apis, [&](const std::string& api) { return has_api(api, key); }) &&
         any_fits(methods, [&](const std::string& method) { return base::equal_no_case(method, key.method); });
}

bool Selection::is_all() const {
  return apis.empty() && methods.empty() && scopes.empty() && takes.empty() && outcomes.empty() && statuses.empty() &&
         !since_us && ids.empty();
}

}  // namespace tapedeck::tools
