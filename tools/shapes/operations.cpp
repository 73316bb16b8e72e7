#include "tools/shapes/operations.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/call.h"
#include "api/envelope.h"
#include "api/json_patch.h"
#include "base/text.h"
#include "tools/content/plain_text.h"

namespace tapedeck::tools {

namespace {

/// Returns true if the name looks like a fixed member's name, and not like an ID, a path, or a number.
bool is_word(std::string_view name) {
  return !name.empty() && !base::is_digit(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return base::is_alnum(c) || c == '_' || c == '-'; });
}

/// Returns the letters and digits of a text, with a capital letter at the start of each word.
std::string identifier(std::string_view text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (!base::is_alnum(c)) {
      begins = true;
    } else {
      out += begins ? base::upper(c) : c;
      begins = false;
    }
  }
  return out;
}

nlohmann::json value_of(const api::Param& param) {
  if (!param.holes.empty() || !api::is_json(param.value)) return "";
  auto value = nlohmann::json::parse(param.value, nullptr, false);
  return value.is_discarded() ? nlohmann::json("") : value;
}

void add_params(const api::Call& call, SeenOperation& operation) {
  const api::KeyPolicy policy = api::KeyPolicy::current();
  std::set<std::string> seen;
  for (const api::Param& param : call.params()) {
    if (policy.leaves_out(param.name) || (call.is_any_login() && policy.leaves_out_of_login(param.name))) continue;
    const std::string name = readable(param.name);
    Shape::Member& known = operation.params[name];
    known.shape.add(value_of(param));
    if (seen.insert(name).second) ++known.count;
  }
}

}  // namespace

/// Returns the shape of the elements. Adds it if it is missing.
Shape& Shape::item() {
  if (items.empty()) items.emplace_back();
  return items.front();
}

void Shape::add(const nlohmann::json& value) {
  is_null |= value.is_null();
  is_boolean |= value.is_boolean();
  is_integer |= value.is_number_integer();
  is_number |= value.is_number_float();
  is_string |= value.is_string();
  if (value.is_object()) {
    ++objects;
    for (const auto& [name, member] : value.items()) {
      Member& known = members[name];
      known.shape.add(member);
      ++known.count;
    }
  } else if (value.is_array()) {
    ++arrays;
    for (const auto& element : value) item().add(element);
  }
}

void Shape::add(const Shape& other) {
  is_null |= other.is_null;
  is_boolean |= other.is_boolean;
  is_integer |= other.is_integer;
  is_number |= other.is_number;
  is_string |= other.is_string;
  objects += other.objects;
  arrays += other.arrays;
  for (const auto& [name, member] : other.members) {
    Member& known = members[name];
    known.shape.add(member.shape);
    known.count += member.count;
  }
  if (!other.items.empty()) item().add(other.items.front());
}

bool Shape::is_seen() const {
  return is_null || is_boolean || is_integer || is_number || is_string || objects > 0 || arrays > 0;
}

bool Shape::is_map() const {
  return !members.empty() &&
         std::none_of(members.begin(), members.end(), [](const auto& member) { return is_word(member.first); });
}

Shape Shape::map_value() const {
  Shape value;
  for (const auto& [name, member] : members) value.add(member.shape);
  return value;
}

SeenOperation& Operations::operation(const std::string& api, const std::string& version, const std::string& method) {
  SeenOperation& found = operations_[{api, version, method}];
  found.api = api;
  found.version = version;
  found.method = method;
  return found;
}

void each_call(const scrubbers::InteractionRecord& record,
               const std::function<void(const api::Call& call, std::string_view response)>& visit) {
  if (record.completeness != api::Completeness::complete) return;
  const auto call = api::Call::from(record.request, {}, scrubbers::holes_of(record));
  if (!call || !call->complete()) return;
  visit(*call, record.response.body);
  const auto parts = call->is_compound() ? call->parts() : std::nullopt;
  const auto responses = parts ? api::compound_answers(record.response.body) : std::nullopt;
  for (std::size_t i = 0; responses && i < std::min(parts->size(), responses->size()); ++i) {
    if ((*parts)[i].complete()) visit((*parts)[i], (*responses)[i]);
  }
}

void Operations::add(const cassettes::CassetteReader& cassette, const ExportRange& range) {
  each_in_order(cassette, range, [&](const cassettes::FullInteraction& full) {
    each_call(full.record, [&](const api::Call& call, std::string_view response) { add_call(full, call, response); });
  });
}

void Operations::add_call(const cassettes::FullInteraction& full, const api::Call& call, std::string_view answer) {
  SeenOperation& found = operation(readable(call.api()), readable(call.version()), readable(call.folded_method()));
  found.changes_state |= api::WriteGuard::effect(call) == api::Effect::write;
  ++found.calls;
  add_params(call, found);
  const auto verdict = api::is_json(answer) ? api::verdict(answer) : std::nullopt;
  if (!verdict || !verdict->success) return;
  nlohmann::json envelope = nlohmann::json::parse(answer, nullptr, false);
  // A part of a compound names its call, which other responses do not.
  if (answer.data() != full.record.response.body.data()) {
    for (const char* const name : {"api", "method", "version"}) envelope.erase(name);
  }
  if (!envelope.is_discarded()) found.success.add(envelope);
}

void Operations::settle() {
  std::set<std::string> taken;
  for (auto& [key, operation] : operations_) {
    const api::ApiName api = api::ApiName::split(operation.api);
    const std::string name = identifier(api.rest) + identifier(operation.method) + "V" + identifier(operation.version);
    operation.name = base::is_digit(name.front()) ? "Api" + name : name;
    while (!taken.insert(operation.name).second) operation.name += "_" + identifier(api.label);
  }
}

}  // namespace tapedeck::tools
