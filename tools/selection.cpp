#include "tools/selection.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/request_key.h"
#include "base/duration.h"
#include "base/text.h"
#include "tools/content/instant.h"

namespace tapedeck::tools {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 4> outcome_words = {
    {{Outcome::ok, "ok"}, {Outcome::error, "error"}, {Outcome::broken, "broken"}, {Outcome::withheld, "withheld"}}};

/// Returns true if an element fits, or if the list is empty.
template <class List, class Fits>
bool any_fits(const List& list, const Fits& fits) {
  return list.empty() || std::any_of(list.begin(), list.end(), fits);
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
  const auto age = base::duration_of(text);
  return age ? now_us - age->count() : microseconds_of(text, true);
}

bool Selection::has(const cassettes::ListedInteraction& line) const {
  if (since_us && line.started_us < *since_us) return false;
  const auto is = [](const auto& value) { return [&value](const auto& wanted) { return wanted == value; }; };
  if (!any_fits(takes, is(line.take)) || !any_fits(scopes, is(line.scope))) return false;
  if (!outcomes.empty() && !any_fits(outcomes, is(outcome_of(line)))) return false;
  if (!any_fits(statuses, [&](const StatusFilter& filter) { return filter.has(line); })) return false;
  if (!any_fits(ids, [&](const std::string& id) { return line.id.starts_with(id); })) return false;
  if (calls.empty()) return true;
  const api::RequestKey key = api::RequestKey::parse(line.key);
  if (!key.is_call) return false;
  const api::Call call(key.api.full(), key.version, key.method, {}, key.prefix);
  return any_fits(calls, [&](const CallFilter& filter) { return filter(call); });
}

bool Selection::is_all() const {
  return calls.empty() && scopes.empty() && takes.empty() && outcomes.empty() && statuses.empty() && !since_us &&
         ids.empty();
}

}  // namespace tapedeck::tools
