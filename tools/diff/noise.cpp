#include "tools/diff/noise.h"

#include <time.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "api/key_text.h"
#include "base/decimal.h"
#include "base/text.h"
#include "tools/diff/json_diff.h"

namespace tapedeck::tools {

namespace {

/// A device's clock may be wrong or in another time zone.
constexpr std::int64_t near = 36 * 3600 * std::int64_t{1'000'000};  // microseconds

struct Known {
  std::string_view api;     ///< without its first label; if it ends in a dot, also all APIs below
  std::string_view method;  ///< empty: all
  std::string_view path;    ///< the place of the value or above it
  Noise noise;
};

// docs/device-notes.md, "What changes from poll to poll".
constexpr Known known_noise[] = {
    {"Core.System.Utilization", "", "/data", Noise::random},
    {"Core.System.Process", "", "/data", Noise::random},
    {"Core.System.ProcessGroup", "", "/data", Noise::random},
    {"Core.System", "info", "/data/time", Noise::clock},
    {"Core.System", "info", "/data/up_time", Noise::counter},
    {"Core.System", "info", "/data/uptime", Noise::counter},
    {"Core.System", "info", "/data/sys_temp", Noise::random},
    {"Core.System", "info", "/data/cpu_temp", Noise::random},
    {"DSM.Info", "getinfo", "/data/time", Noise::clock},
    {"DSM.Info", "getinfo", "/data/uptime", Noise::counter},
    {"DSM.Info", "getinfo", "/data/temperature", Noise::random},
    {"Core.CurrentConnection", "", "/data", Noise::random},
    {"Core.SecurityScan.Status", "system_get", "/data", Noise::random},
    {"Core.Upgrade.Server.Download", "", "/data", Noise::counter},
    {"Core.Upgrade.AutoUpgrade", "status", "/data", Noise::random},
    {"Backup.", "status", "/data", Noise::random},
    {"Core.Package.Installation", "get_queue", "/data", Noise::random},
    {"Core.Polling.Data", "", "/data", Noise::random},
    {"Core.BackgroundTask", "", "/data", Noise::random},
    {"API.Encryption", "getinfo", "/data/server_time", Noise::clock},
    {"API.Encryption", "getinfo", "/data/public_key", Noise::random},
    {"API.Encryption", "getinfo", "/data/ciphertoken", Noise::random},
    {"FileStation.", "status", "/data", Noise::random},
};

bool fits_api(std::string_view pattern, std::string_view api) {
  if (!pattern.ends_with('.')) return api == pattern;
  return api.starts_with(pattern) || api == pattern.substr(0, pattern.size() - 1);
}

/// Returns the value of a number, or of a string that contains only a number.
std::optional<double> number_of(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  const auto read = base::decimal_at_start(text, true);
  return read && read->size == text.size() ? std::optional(read->number) : std::nullopt;
}

bool is_near(double microseconds, std::int64_t at_us) {
  return std::abs(microseconds - static_cast<double>(at_us)) < static_cast<double>(near);
}

/// Returns true for a time of day, and for a time near `at_us`: seconds, milliseconds, or microseconds since 1970, or a
/// date in a format that devices use.
bool is_clock(const nlohmann::json& value, std::int64_t at_us) {
  if (const auto number = number_of(value)) {
    return is_near(*number * 1e6, at_us) || is_near(*number * 1e3, at_us) || is_near(*number, at_us);
  }
  if (!value.is_string()) return false;
  const std::string& text = value.get_ref<const std::string&>();
  for (const char* format : {"%Y-%m-%d", "%Y/%m/%d", "%a, %d %b %Y", "%a %b %d %H:%M:%S %Y", "%d %b %Y"}) {
    struct tm date {};
    if (strptime(text.c_str(), format, &date)) return is_near(static_cast<double>(timegm(&date)) * 1e6, at_us);
  }
  struct tm time_of_day {};
  const char* const end = strptime(text.c_str(), "%H:%M:%S", &time_of_day);
  return end && *end == '\0';
}

struct Seen {
  nlohmann::json value;
  std::int64_t at_us = 0;
};

Noise class_of(const std::vector<Seen>& values) {
  const auto tells_time = [](const Seen& one) { return is_clock(one.value, one.at_us); };
  if (std::all_of(values.begin(), values.end(), tells_time)) return Noise::clock;
  std::optional<double> last;
  for (const Seen& one : values) {
    const auto number = number_of(one.value);
    if (!number || (last && *number < *last)) return Noise::random;
    last = number;
  }
  return Noise::counter;
}

bool is_of_values(Change::Kind kind) { return kind == Change::Kind::value || kind == Change::Kind::header; }

bool is_of_list(const Change& change) {
  if (change.kind == Change::Kind::length || change.kind == Change::Kind::order) return true;
  const bool comes_or_goes = change.kind == Change::Kind::added || change.kind == Change::Kind::removed;
  return comes_or_goes && general_path(change.path).ends_with("/*");
}

nlohmann::json value_in(const std::string& shown) {
  auto value = nlohmann::json::parse(shown, nullptr, false);
  return value.is_discarded() ? nlohmann::json(shown) : value;
}

bool may_be_noise(Change::Kind kind) {
  return kind != Change::Kind::status && kind != Change::Kind::error_code && kind != Change::Kind::completeness &&
         kind != Change::Kind::version;
}

/// Returns the name in lower case and without underscores: `taskid` for task_id and taskId.
std::string plain_name(std::string_view name) {
  std::string plain = base::fold(name);
  std::erase(plain, '_');
  return plain;
}

bool is_task_name(std::string_view plain) { return plain == "taskid" || plain == "taskids"; }
bool is_id_name(std::string_view plain) { return plain.ends_with("id") || plain.ends_with("ids"); }

/// Returns true if the text looks like a generated ID, which is longer and has more digits than `volume_2` or `sda`.
bool looks_generated(std::string_view text) {
  return text.size() >= 8 && std::count_if(text.begin(), text.end(), base::is_digit) >= 3;
}

/// Returns a generated ID, escaped as in keys. Returns nothing for another value and for one that was shortened.
std::optional<std::string> generated_id(const std::string& shown, std::string_view plain) {
  const auto value = nlohmann::json::parse(shown, nullptr, false);
  if (!value.is_string() && !value.is_number_integer()) return std::nullopt;
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.empty() || !(is_task_name(plain) || looks_generated(text))) return std::nullopt;
  std::string escaped;
  api::append_escaped(escaped, text);
  return escaped;
}

/// The ID in the first cassette and the ID in its place in the second.
struct IdPair {
  std::string before, after;
  bool of_task = false;
};
std::optional<IdPair> ids_of(const Change& change) {
  if (change.kind != Change::Kind::value) return std::nullopt;
  const std::string plain = plain_name(std::string_view(change.path).substr(change.path.rfind('/') + 1));
  if (!is_id_name(plain)) return std::nullopt;
  auto before = generated_id(change.before, plain), after = generated_id(change.after, plain);
  if (!before || !after) return std::nullopt;
  return IdPair{std::move(*before), std::move(*after), is_task_name(plain)};
}

}  // namespace

std::string NoiseModel::place_of(const Change& change) {
  if (change.kind == Change::Kind::header) return "header " + change.path;
  if (change.kind == Change::Kind::body) return "body";
  if (is_of_list(change)) {
    const std::string path = general_path(change.path);
    return "list " + (path.ends_with("/*") ? path.substr(0, path.size() - 2) : path);
  }
  return general_path(change.path);
}

void NoiseModel::learn(const std::vector<scrubbers::InteractionRecord>& responses) {
  std::map<std::string, std::vector<Seen>> values;
  for (std::size_t i = 1; i < responses.size(); ++i) {
    for (const Change& change : response_changes(responses[i - 1], responses[i])) {
      if (!may_be_noise(change.kind)) continue;
      if (is_of_list(change)) {
        learned_.emplace(place_of(change), Noise::list_order);
      } else if (is_of_values(change.kind)) {
        auto& seen = values[place_of(change)];
        seen.push_back({value_in(change.before), responses[i - 1].ended_us});
        seen.push_back({value_in(change.after), responses[i].ended_us});
      } else {
        learned_.emplace(place_of(change), Noise::random);
      }
    }
  }
  for (const auto& [place, seen] : values) learned_.emplace(place, class_of(seen));
}

std::optional<Noise> NoiseModel::known(const Change& change) const {
  if (!is_of_values(change.kind) && !is_of_list(change)) return std::nullopt;
  for (const Known& row : known_noise) {
    const bool is_its_call =
        key_.is_call && fits_api(row.api, key_.api.rest) && (row.method.empty() || row.method == key_.method);
    if (is_its_call && is_below(change.path, row.path)) return is_of_list(change) ? Noise::list_order : row.noise;
  }
  return std::nullopt;
}

std::optional<Noise> NoiseModel::of(const Change& change, const scrubbers::InteractionRecord& a,
                                    const scrubbers::InteractionRecord& b) const {
  if (!may_be_noise(change.kind)) return std::nullopt;
  if (const auto found = learned_.find(place_of(change)); found != learned_.end()) return found->second;
  if (const auto noise = known(change)) return noise;
  const bool tells_time = change.kind == Change::Kind::value && is_clock(value_in(change.before), a.ended_us) &&
                          is_clock(value_in(change.after), b.ended_us);
  return tells_time ? std::optional(Noise::clock) : std::nullopt;
}

bool is_generated_id(std::string_view name, std::string_view value) {
  const std::string plain = plain_name(name);
  return is_task_name(plain) || (is_id_name(plain) && looks_generated(value));
}

void GeneratedIds::learn(const Change& change) {
  const auto ids = ids_of(change);
  if (!ids || firsts_.contains(ids->after) || seconds_.contains(ids->before)) return;
  firsts_.emplace(ids->after, ids->before);
  seconds_.emplace(ids->before, ids->after);
}

bool GeneratedIds::contains(const Change& change) {
  const auto ids = ids_of(change);
  if (!ids) return false;
  learn(change);
  const auto found = firsts_.find(ids->after);
  return found != firsts_.end() && found->second == ids->before && (ids->of_task || confirmed_.contains(ids->before));
}

std::string GeneratedIds::renamed(const std::string& key_text, std::set<std::string>& used) const {
  if (firsts_.empty()) return key_text;
  const api::RequestKey key = api::RequestKey::parse(key_text);
  const auto items = key.items();
  std::string text = key_text;
  for (auto item = items.rbegin(); item != items.rend(); ++item) {  // the last first: the others stay in place
    const auto begin = static_cast<std::size_t>(item->value.data() - key.text.data());
    const bool is_named = is_id_name(plain_name(item->name));
    text.replace(begin, item->value.size(), renamed_value(std::string(item->value), is_named, used));
  }
  return text;
}

/// Replaces the IDs in `value`, which is one ID or JSON that contains some. A plain value is an ID if its parameter is
/// named like one or it looks generated.
std::string GeneratedIds::renamed_value(std::string value, bool is_named, std::set<std::string>& used) const {
  const auto first_of = [&](const std::string& id) {
    const auto found = firsts_.find(id);
    if (found == firsts_.end()) return id;
    used.insert(found->second);
    return found->second;
  };
  if (value.find('"') == std::string::npos) return is_named || looks_generated(value) ? first_of(value) : value;
  for (std::size_t open = value.find('"'); open != std::string::npos; open = value.find('"', open)) {
    const std::size_t close = value.find('"', ++open);
    if (close == std::string::npos) break;
    const std::string first = first_of(value.substr(open, close - open));
    value.replace(open, close - open, first);
    open += first.size() + 1;
  }
  return value;
}

}  // namespace tapedeck::tools
