#include "tools/forecast/firmware_changes.h"

#include <algorithm>
#include <optional>
#include <set>

#include "api/envelope.h"
#include "base/text.h"
#include "base/utf8.h"
#include "tools/diff/json_diff.h"

namespace tapedeck::tools {
namespace {

using nlohmann::json;
using Kind = FirmwareChange::Kind;

constexpr std::size_t longest_summary = 60;

bool says_gone(int code) {
  return code == static_cast<int>(api::ErrorCode::no_such_api) ||
         code == static_cast<int>(api::ErrorCode::no_such_method) ||
         code == static_cast<int>(api::ErrorCode::version_not_supported);
}

std::set<std::string> types_of(const Shape& shape) {
  std::set<std::string> types;
  if (shape.is_boolean) types.insert("boolean");
  if (shape.is_integer || shape.is_number) types.insert("number");
  if (shape.is_string) types.insert("string");
  if (shape.objects > 0) types.insert("object");
  if (shape.arrays > 0) types.insert("array");
  return types;
}

bool share_one(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& one) { return b.contains(one); });
}

std::string joined(const std::set<std::string>& types) {
  if (types.empty()) return "null";
  std::string text;
  for (const std::string& type : types) text.append(text.empty() ? "" : " or ").append(type);
  return text;
}

std::string summary_of(const json& value) { return shown_value(value, longest_summary); }

/// Returns the letters and digits in lower case, which are equal for "quotaMb" and "quota_mb".
std::string letters_of(const std::string& name) {
  std::string letters;
  for (const char c : name) {
    if (base::is_alnum(c)) letters += base::fold(c);
  }
  return letters;
}

bool are_similar(const std::string& a, const std::string& b) {
  constexpr std::size_t shortest = 3;
  const std::string left = letters_of(a), right = letters_of(b);
  if (std::min(left.size(), right.size()) < shortest) return false;
  return left.find(right) != std::string::npos || right.find(left) != std::string::npos;
}

/// The values of one place in the responses of an operation.
struct PlaceValues {
  std::vector<json> values;  ///< at most 200
  bool is_redacted = false;  ///< true if at least one of them is redacted
};

PlaceValues values_at(const OperationResponses& operation, const std::vector<std::string>& tokens) {
  constexpr std::size_t enough = 200;
  PlaceValues found;
  for (const auto& [text, key] : operation.keys) {
    for (const auto& body : key.successes) {
      each_place(body->json, tokens, [&](const std::vector<std::string>& place, const json& value) {
        if (found.values.size() == enough) return;
        found.values.push_back(value);
        found.is_redacted = found.is_redacted || body->is_redacted(place);
      });
    }
  }
  return found;
}

/// Compares the members in the responses of one operation before and after the upgrade.
class ShapeComparison {
 public:
  ShapeComparison(const OperationResponses& before, const OperationResponses& after,
                  std::vector<FirmwareChange>& changes)
      : before_(before), after_(after), changes_(changes) {}

  void run() { compare({}, before_.shape, after_.shape); }

 private:
  using Tokens = std::vector<std::string>;

  static Tokens with(Tokens tokens, const std::string& token) {
    tokens.push_back(token);
    return tokens;
  }

  void compare(const Tokens& tokens, const Shape& a, const Shape& b) {
    if (!a.is_seen() || !b.is_seen()) return;
    const auto old_types = types_of(a), new_types = types_of(b);
    if (old_types.empty() && new_types.empty()) return;
    if (!share_one(old_types, new_types)) return add_type(tokens, old_types, new_types);
    if (a.objects > 0 && b.objects > 0) compare_objects(tokens, a, b);
    if (a.items.empty() || b.items.empty()) return;
    compare(with(tokens, any_place), a.items.front(), b.items.front());
  }

  void compare_objects(const Tokens& tokens, const Shape& a, const Shape& b) {
    if (a.is_map() && b.is_map()) return compare(with(tokens, any_place), a.map_value(), b.map_value());
    std::vector<std::string> removed, added;
    for (const auto& [name, member] : a.members) {
      if (!b.members.contains(name)) removed.push_back(name);
    }
    for (const auto& [name, member] : b.members) {
      if (!a.members.contains(name)) added.push_back(name);
    }
    for (const std::string& name : removed) {
      if (!add_renamed(tokens, a, b, name, added)) add_removed(with(tokens, name));
    }
    for (const std::string& name : added) add_added(with(tokens, name));
    for (const auto& [name, member] : a.members) {
      const auto other = b.members.find(name);
      if (other != b.members.end()) compare(with(tokens, name), member.shape, other->second.shape);
    }
  }

  bool add_renamed(const Tokens& tokens, const Shape& a, const Shape& b, const std::string& name,
                   std::vector<std::string>& added) {
    const auto types = types_of(a.members.at(name).shape);
    const PlaceValues old_values = values_at(before_, with(tokens, name));
    const auto has_value_of = [&](const std::string& other) {
      const PlaceValues new_values = values_at(after_, with(tokens, other));
      return std::any_of(old_values.values.begin(), old_values.values.end(), [&](const json& value) {
        return tells_apart(value) &&
               std::find(new_values.values.begin(), new_values.values.end(), value) != new_values.values.end();
      });
    };
    const auto fits = [&](const std::string& other) { return share_one(types, types_of(b.members.at(other).shape)); };
    auto found = std::find_if(added.begin(), added.end(),
                              [&](const std::string& other) { return fits(other) && are_similar(name, other); });
    if (found == added.end()) {
      found = std::find_if(added.begin(), added.end(),
                           [&](const std::string& other) { return fits(other) && has_value_of(other); });
    }
    if (found == added.end()) return false;
    FirmwareChange& change = add(Kind::renamed, with(tokens, name));
    change.before = name;
    change.after = *found;
    added.erase(found);
    return true;
  }

  void add_removed(const Tokens& tokens) {
    FirmwareChange& change = add(Kind::removed, tokens);
    const PlaceValues old_values = values_at(before_, tokens);
    if (!old_values.is_redacted && !old_values.values.empty()) change.values = summary_of(old_values.values.front());
  }

  void add_added(const Tokens& tokens) {
    const PlaceValues new_values = values_at(after_, tokens);
    if (new_values.values.empty()) return;
    FirmwareChange& change = add(Kind::added, tokens);
    change.new_value = new_values.values.front();
    if (!new_values.is_redacted) change.values = summary_of(change.new_value);
  }

  void add_type(const Tokens& tokens, const std::set<std::string>& old_types, const std::set<std::string>& new_types) {
    const PlaceValues old_values = values_at(before_, tokens), new_values = values_at(after_, tokens);
    FirmwareChange& change = add(Kind::type, tokens);
    change.before = joined(old_types);
    change.after = joined(new_types);
    if (old_values.values.empty() || new_values.values.empty()) return;
    const auto is_of_new_type = [&](const json& value) {
      return new_types.empty() || new_types.contains(type_name(value));
    };
    const auto found = std::find_if(new_values.values.begin(), new_values.values.end(), is_of_new_type);
    change.new_value = found == new_values.values.end() ? new_values.values.front() : *found;
    if (old_values.is_redacted || new_values.is_redacted) return;
    change.values = summary_of(old_values.values.front()) + " -> " + summary_of(change.new_value);
  }

  FirmwareChange& add(Kind kind, const Tokens& tokens) {
    FirmwareChange& change = changes_.emplace_back();
    change.kind = kind;
    change.call = before_.name;
    change.tokens = tokens;
    change.path = pointer_text(tokens);
    return change;
  }

  const OperationResponses& before_;
  const OperationResponses& after_;
  std::vector<FirmwareChange>& changes_;
};

class Comparison {
 public:
  Comparison(const FirmwareResponses& before, const FirmwareResponses& after) : before_(before), after_(after) {}

  FirmwareComparison run() {
    compare_apis();
    for (const auto& [name, operation] : before_.operations) compare_operation(name, operation);
    std::stable_sort(found_.changes.begin(), found_.changes.end(),
                     [](const FirmwareChange& a, const FirmwareChange& b) {
                       return std::tie(a.call, a.path) < std::tie(b.call, b.path);
                     });
    return std::move(found_);
  }

 private:
  static std::string rest_of(const std::string& api) { return api::ApiName::split(api).rest; }

  void compare_apis() {
    if (after_.apis.empty()) return;
    std::set<std::string> used;
    for (const auto& [name, operation] : before_.operations) used.insert(rest_of(operation.api));
    for (const auto& [rest, facts] : before_.apis) used.insert(rest);
    for (const std::string& rest : used) {
      if (rest == "API.Info") continue;
      if (after_.apis.contains(rest)) {
        compare_facts(rest);
      } else if (after_.has_all_apis) {
        add_gone_api(rest);
      }
    }
    if (!before_.has_all_apis) return;
    for (const auto& [rest, facts] : after_.apis) {
      if (!before_.apis.contains(rest)) add_new_api(facts);
    }
  }

  FirmwareChange& add_api(Kind kind, const std::string& rest, const std::string& name) {
    FirmwareChange& change = found_.changes.emplace_back();
    change.kind = kind;
    change.call = name;
    change.api = rest;
    return change;
  }

  [[nodiscard]] std::string name_of_api(const std::string& rest) const {
    if (const auto facts = before_.apis.find(rest); facts != before_.apis.end()) return facts->second.name;
    for (const auto& [name, operation] : before_.operations) {
      if (rest_of(operation.api) == rest) return operation.api;
    }
    return rest;
  }

  void add_gone_api(const std::string& rest) {
    FirmwareChange& change = add_api(Kind::gone, rest, name_of_api(rest));
    change.error_calls[rest + "/*/*"] = static_cast<int>(api::ErrorCode::no_such_api);
    covered_.insert(rest);
  }

  void add_new_api(const ApiFacts& facts) {
    FirmwareChange& change = add_api(Kind::added, rest_of(facts.name), facts.name);
    change.facts = facts.object;
  }

  static std::string versions_text(const ApiFacts& facts) {
    return "versions " + std::to_string(facts.min()) + "-" + std::to_string(facts.max());
  }

  void compare_facts(const std::string& rest) {
    const ApiFacts& facts = after_.apis.at(rest);
    const auto known = before_.apis.find(rest);
    std::map<std::string, int> errors;
    for (const auto& [name, operation] : before_.operations) {
      const auto version = base::whole_number<int>(operation.version);
      if (rest_of(operation.api) != rest || !version || facts.max() == 0) continue;
      if (*version >= facts.min() && *version <= facts.max()) continue;
      errors[rest + "/" + operation.version + "/*"] = static_cast<int>(api::ErrorCode::version_not_supported);
      covered_.insert(rest + "/" + operation.version);
    }
    const bool is_same = known == before_.apis.end() || known->second.object == facts.object;
    if (is_same && errors.empty()) return;
    FirmwareChange& change = add_api(Kind::versions, rest, name_of_api(rest));
    change.error_calls = std::move(errors);
    change.facts = facts.object;
    change.after = versions_text(facts);
    if (known == before_.apis.end()) return;
    change.before = versions_text(known->second);
    if (change.before != change.after) return;
    change.before = "";
    change.after = "other facts in API.Info";
  }

  [[nodiscard]] bool is_covered(const OperationResponses& operation) const {
    const std::string rest = rest_of(operation.api);
    return covered_.contains(rest) || covered_.contains(rest + "/" + operation.version);
  }

  void compare_operation(const std::string& name, const OperationResponses& operation) {
    if (is_covered(operation)) return;
    const auto other = after_.operations.find(name);
    if (other == after_.operations.end()) {
      if (rest_of(operation.api) != "API.Info") found_.unknown.push_back(operation.name);
      return;
    }
    compare_outcomes(operation, other->second);
    if (rest_of(operation.api) == "API.Info") return;  // compare_apis() has compared it
    if (operation.has_success() && other->second.has_success()) {
      ShapeComparison(operation, other->second, found_.changes).run();
    }
  }

  /// Adds a change for keys that now get an error. Keys with the same earlier outcome and code are one change.
  void compare_outcomes(const OperationResponses& before, const OperationResponses& after) {
    std::map<std::pair<std::string, int>, std::map<std::string, int>> keys;
    for (const auto& [text, key] : before.keys) {
      const auto code = error_of(text, after);
      if (!code || key.errors.contains(*code) || key.has_other) continue;
      if (key.successes.empty() && key.errors.empty()) continue;
      keys[{key.successes.empty() ? std::to_string(*key.errors.begin()) : "success", *code}][key.key] = *code;
    }
    for (auto& [outcome, errors] : keys) {
      FirmwareChange& change = found_.changes.emplace_back();
      change.kind = says_gone(outcome.second) ? Kind::gone : Kind::error;
      change.call = before.name;
      change.before = outcome.first;
      change.after = std::to_string(outcome.second);
      change.error_keys = std::move(errors);
    }
  }

  /// Returns the error code that a key now gets, or nothing if it succeeds or is unknown.
  static std::optional<int> error_of(const std::string& key, const OperationResponses& after) {
    const auto found = after.keys.find(key);
    if (found != after.keys.end()) {
      const bool fails = found->second.successes.empty() && !found->second.has_other && !found->second.errors.empty();
      return fails ? std::optional(*found->second.errors.begin()) : std::nullopt;
    }
    std::set<int> codes;
    for (const auto& [text, other] : after.keys) {
      if (!other.successes.empty() || other.has_other) return std::nullopt;
      codes.insert(other.errors.begin(), other.errors.end());
    }
    return codes.size() == 1 && says_gone(*codes.begin()) ? std::optional(*codes.begin()) : std::nullopt;
  }

  const FirmwareResponses& before_;
  const FirmwareResponses& after_;
  std::set<std::string> covered_;  ///< APIs, and versions of them, whose errors belong to a change of API.Info
  FirmwareComparison found_;
};

}  // namespace

std::string to_string(const FirmwareChange& change) {
  const auto from_to = [&] { return change.before + " -> " + change.after; };
  switch (change.kind) {
    case Kind::gone:
      return change.after.empty() ? "gone" : "gone (error " + change.after + ")";
    case Kind::versions:
      return change.before.empty() ? change.after : from_to();
    case Kind::error:
      return "error: " + from_to();
    case Kind::removed:
      return "removed";
    case Kind::added:
      return "added";
    case Kind::renamed:
      return "renamed: " + from_to();
    case Kind::type:
      return "type: " + from_to();
  }
  return {};
}

void hide_private_values(FirmwareComparison& comparison, const FirmwareComparison& with_pseudonyms) {
  std::map<std::string, std::string> values;
  const auto name_of = [](const FirmwareChange& change) {
    return change.call + " " + change.path + " " + to_string(change);
  };
  for (const FirmwareChange& change : with_pseudonyms.changes) values[name_of(change)] = change.values;
  for (FirmwareChange& change : comparison.changes) change.values = values[name_of(change)];
}

FirmwareComparison compare_firmwares(const FirmwareResponses& before, const FirmwareResponses& after) {
  return Comparison(before, after).run();
}

}  // namespace tapedeck::tools
