#include "inspector/input.h"

#include "base/text.h"
#include "http/message/urlencoded.h"

namespace tapedeck::inspector {
namespace {

using nlohmann::json;

bool is_known(std::string_view name, std::string_view known) {
  while (!known.empty()) {
    if (base::trim(base::take_until(known, ',')) == name) return true;
  }
  return false;
}

std::string supported(std::string_view known) { return "; supported: " + std::string(known.empty() ? "none" : known); }

void check_members(const json& object, std::string_view known) {
  if (!object.is_object()) throw BadInput("expected a JSON object");
  for (const auto& [name, value] : object.items()) {
    if (!is_known(name, known)) throw BadInput("unknown JSON member" + supported(known));
  }
}

std::uint64_t parse_number(std::string_view name, std::string_view text, std::uint64_t least, std::uint64_t most) {
  const auto number = base::whole_number<std::uint64_t>(text);
  if (!number || *number < least || *number > most) {
    throw BadInput(std::string(name) + " must be a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most));
  }
  return *number;
}

void take(const json& object, const char* name, std::optional<std::string>& field) {
  const auto found = object.find(name);
  if (found == object.end()) return;
  if (!found->is_string()) throw BadInput(std::string("match: ") + name + " must be a string");
  field = found->get<std::string>();
}

}  // namespace

Query::Query(std::string_view text, std::string_view known) {
  if (text.empty()) return;
  for (http::Pair& pair : http::parse_urlencoded(text)) {
    if (!is_known(pair.name, known)) throw BadInput("unknown URL parameter" + supported(known));
    if (!values_.emplace(pair.name, std::move(pair.value)).second) throw BadInput(pair.name + " is given twice");
  }
}

std::optional<std::string> Query::text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t Query::number(std::string_view name, std::uint64_t otherwise, std::uint64_t least,
                            std::uint64_t most) const {
  const auto value = text(name);
  return value ? parse_number(name, *value, least, most) : otherwise;
}

json read_object(std::string_view text, std::string_view known) {
  // nlohmann's parser ends at a NUL and ignores the rest.
  if (text.find('\0') != std::string_view::npos) throw BadInput("the body must be a JSON object");
  json object = json::parse(text, nullptr, false);
  if (!object.is_object()) throw BadInput("the body must be a JSON object");
  check_members(object, known);
  return object;
}

std::string text_in(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) throw BadInput(std::string(name) + " must be a string");
  return found->get<std::string>();
}

std::optional<std::uint64_t> number_in(const json& object, const char* name, std::uint64_t most) {
  const auto found = object.find(name);
  if (found == object.end()) return std::nullopt;
  if (!found->is_number_unsigned() || found->get<std::uint64_t>() > most) {
    throw BadInput(std::string(name) + " must be a whole number from 0 to " + std::to_string(most));
  }
  return found->get<std::uint64_t>();
}

journal::JournalMatch read_match(const json& object) {
  check_members(object, "api, version, method, outcome, session, scope, verb, key, recording, status, code");
  if (object.empty()) throw BadInput("match requires at least one field");
  journal::JournalMatch match;
  take(object, "api", match.api);
  take(object, "version", match.version);
  take(object, "method", match.method);
  take(object, "outcome", match.outcome);
  take(object, "session", match.session);
  take(object, "scope", match.scope);
  take(object, "verb", match.verb);
  take(object, "key", match.key);
  take(object, "recording", match.recording);
  constexpr std::uint64_t largest_code = 1'000'000;
  if (const auto status = number_in(object, "status", largest_code)) match.status = static_cast<int>(*status);
  if (const auto code = number_in(object, "code", largest_code)) match.code = static_cast<int>(*code);
  return match;
}

}  // namespace tapedeck::inspector
