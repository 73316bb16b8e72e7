#include "tools/forecast/change_overlays.h"

#include <algorithm>

#include "api/call.h"
#include "api/request_key.h"
#include "base/text.h"
#include "tools/diff/json_diff.h"
#include "tools/diff/recorded_calls.h"

namespace tapedeck::tools {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using Kind = FirmwareChange::Kind;
using Tokens = std::vector<std::string>;

struct Operations6902 {
  ordered_json changes = ordered_json::array();
  ordered_json tests = ordered_json::array();  ///< true for this response and for few others
};

ordered_json test_of(const Tokens& place, const json& value) {
  return {{"op", "test"}, {"path", pointer_text(place)}, {"value", value}};
}

bool begins_with(const Tokens& place, const Tokens& pattern) {
  if (place.size() < pattern.size()) return false;
  return std::equal(pattern.begin(), pattern.end(), place.begin(),
                    [](const std::string& one, const std::string& token) { return one == any_place || one == token; });
}

/// Creates the patch that makes one change to one recorded response.
class BodyChange {
 public:
  /// `touched` are places of other changes to the call. No test is made for them.
  BodyChange(const FirmwareChange& change, const SuccessBody& body, const std::vector<Tokens>& touched)
      : change_(change), body_(body), touched_(touched) {}

  Operations6902 operations() {
    if (change_.kind == Kind::added) {
      add_members();
    } else {
      each_place(body_.json, change_.tokens, [&](const Tokens& place, const json& value) { change_at(place, value); });
    }
    return std::move(out_);
  }

 private:
  void change_at(const Tokens& place, const json& value) {
    ordered_json operation = {{"op", "remove"}, {"path", pointer_text(place)}};
    if (change_.kind == Kind::renamed) {
      Tokens to = place;
      to.back() = change_.after;
      operation = {{"op", "move"}, {"from", pointer_text(place)}, {"path", pointer_text(to)}};
    } else if (change_.kind == Kind::type) {
      const std::string type = type_name(value);
      if (value.is_null() ? change_.before != "null" : change_.before.find(type) == std::string::npos) return;
      json converted_value = converted(value, change_.after);
      if (converted_value.is_null()) converted_value = change_.new_value;
      operation = {{"op", "replace"}, {"path", pointer_text(place)}, {"value", std::move(converted_value)}};
    }
    out_.changes.push_back(std::move(operation));
    note(place, value, {});
  }

  void add_members() {
    const Tokens parent(change_.tokens.begin(), change_.tokens.end() - 1);
    const std::string& name = change_.tokens.back();
    each_place(body_.json, parent, [&](const Tokens& place, const json& value) {
      if (!value.is_object() || value.contains(name)) return;
      Tokens member = place;
      member.push_back(name);
      out_.changes.push_back({{"op", "add"}, {"path", pointer_text(member)}, {"value", change_.new_value}});
      note(place, value, touched_);
    });
  }

  /// Adds a test of the first scalar at or below the place that is not redacted. Returns false if there is none.
  bool note(const Tokens& place, const json& value, const std::vector<Tokens>& avoided) {
    constexpr std::size_t most_tests = 64;
    if (out_.tests.size() == most_tests) return true;
    if (std::any_of(avoided.begin(), avoided.end(), [&](const Tokens& one) { return begins_with(place, one); }))
      return false;
    if (!value.is_structured()) {
      if (body_.is_redacted(place)) return false;
      out_.tests.push_back(test_of(place, value));
      return true;
    }
    for (auto member = value.begin(); member != value.end(); ++member) {
      Tokens below = place;
      below.push_back(value.is_object() ? member.key() : std::to_string(member - value.begin()));
      if (note(below, *member, avoided)) return true;
    }
    return false;
  }

  const FirmwareChange& change_;
  const SuccessBody& body_;
  const std::vector<Tokens>& touched_;
  Operations6902 out_;
};

std::string patch_text(const Operations6902& operations, bool with_tests) {
  ordered_json all = ordered_json::array({test_of({"success"}, true)});
  if (with_tests) all.insert(all.end(), operations.tests.begin(), operations.tests.end());
  all.insert(all.end(), operations.changes.begin(), operations.changes.end());
  std::string text = all.dump(-1, ' ', false, json::error_handler_t::replace);
  base::replace_all(text, "{{", "{{{{");
  return text;
}

/// Adds the patches for all responses to a key. If the responses need different patches, each patch has tests for its
/// own response. The patch with the most changes is the last overlay, which is applied first: after it has changed a
/// response, the tests of the others fail.
void add_patches(const std::string& key, const std::vector<Operations6902>& responses,
                 std::vector<ChangeOverlay>& out) {
  std::vector<const Operations6902*> distinct;
  for (const Operations6902& one : responses) {
    const auto is_same = [&](const Operations6902* other) { return other->changes == one.changes; };
    if (std::none_of(distinct.begin(), distinct.end(), is_same)) distinct.push_back(&one);
  }
  const bool with_tests = distinct.size() > 1;
  std::stable_sort(distinct.begin(), distinct.end(), [](const Operations6902* a, const Operations6902* b) {
    return a->changes.size() < b->changes.size();
  });
  for (const Operations6902* one : distinct) {
    if (!one->changes.empty()) out.push_back({key, "", std::nullopt, patch_text(*one, with_tests)});
  }
}

/// Creates the patch of an API.Info response for a change to an API.
Operations6902 info_operations(const FirmwareChange& change, const std::string& key, const SuccessBody& body) {
  Operations6902 operations;
  const auto data = body.json.find("data");
  if (data == body.json.end() || !data->is_object()) return operations;
  if (change.kind == Kind::added) {
    if (key.find("query=all") == std::string::npos) return operations;
    operations.changes.push_back(
        {{"op", "add"}, {"path", pointer_text({"data", change.call})}, {"value", change.facts}});
    return operations;
  }
  for (const auto& [name, facts] : data->items()) {
    if (api::ApiName::split(name).rest != change.api) continue;
    const std::string path = pointer_text({"data", name});
    if (change.facts.is_null()) {
      operations.changes.push_back({{"op", "remove"}, {"path", path}});
    } else {
      operations.changes.push_back({{"op", "replace"}, {"path", path}, {"value", change.facts}});
    }
    for (const auto& [member, value] : facts.items()) {
      if (value.is_structured()) continue;
      operations.tests.push_back(test_of({"data", name, member}, value));
      break;
    }
  }
  return operations;
}

}  // namespace

json converted(const json& value, const std::string& type) {
  if (type == "string") {
    if (value.is_number() || value.is_boolean()) return value.dump();
  } else if (type == "number") {
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (value.is_string()) {
      const json number = json::parse(value.get_ref<const std::string&>(), nullptr, false);
      if (number.is_number()) return number;
    }
  } else if (type == "boolean") {
    if (value == json("true") || value == json("yes") || value == json(1) || value == json("1")) return true;
    if (value == json("false") || value == json("no") || value == json(0) || value == json("0")) return false;
  }
  return nullptr;
}

std::vector<ChangeOverlay> overlays_for(std::size_t number, const FirmwareResponses& before,
                                        const FirmwareComparison& comparison) {
  const FirmwareChange& change = comparison.changes[number];
  std::vector<ChangeOverlay> out;
  for (const auto& [key, code] : change.error_keys) out.push_back({key, "", code, ""});
  for (const auto& [call, code] : change.error_calls) out.push_back({"", call, code, ""});
  std::vector<Tokens> touched;
  for (const FirmwareChange& other : comparison.changes) {
    if (other.call == change.call && !other.tokens.empty()) touched.push_back(other.tokens);
  }
  for (const auto& [name, operation] : before.operations) {
    const bool is_info = !change.api.empty() && api::ApiName::split(operation.api).rest == "API.Info";
    if (!is_info && (change.tokens.empty() || operation.name != change.call)) continue;
    for (const auto& [text, key] : operation.keys) {
      if (key.has_other) continue;
      std::vector<Operations6902> responses;
      for (const auto& body : key.successes) {
        responses.push_back(is_info ? info_operations(change, text, *body)
                                    : BodyChange(change, *body, touched).operations());
      }
      add_patches(key.key, responses, out);
    }
  }
  return out;
}

}  // namespace tapedeck::tools
