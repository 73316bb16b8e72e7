#include "replay/language/member_reader.h"

#include <nlohmann/json.hpp>

#include "api/json_patch.h"
#include "api/json_spans.h"
#include "api/json_splice.h"
#include "api/scope_name.h"

namespace tapedeck::replay {

void MemberReader::fail(const OverlayMember& member, std::string_view message) const {
  throw OverlayError(file_, member.line, "`" + member.name + "` " + std::string(message));
}

std::string MemberReader::text(const OverlayMember& member) const {
  const nlohmann::json value = nlohmann::json::parse(member.json);
  if (!value.is_string()) fail(member, "must be a string in quotes");
  return value.get<std::string>();
}

std::uint64_t MemberReader::number(const OverlayMember& member, std::uint64_t least, std::uint64_t most) const {
  const nlohmann::json value = nlohmann::json::parse(member.json);
  const bool is_whole = value.is_number_unsigned();
  if (!is_whole || value.get<std::uint64_t>() < least || value.get<std::uint64_t>() > most) {
    fail(member, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value.get<std::uint64_t>();
}

bool MemberReader::truth(const OverlayMember& member) const {
  if (member.json != "true" && member.json != "false") fail(member, "must be true or false");
  return member.json == "true";
}

CallPattern MemberReader::pattern(const OverlayMember& member) const {
  auto pattern = CallPattern::parse(text(member));
  if (!pattern) fail(member, "must be API/version/method, as in \"Core.Share/1/list\" or \"Core.*/*/*\"");
  return std::move(*pattern);
}

std::string MemberReader::scope_name(const OverlayMember& member) const {
  const auto scope = api::ScopeName::parse(text(member));
  if (!scope || scope->run != 1) {
    fail(member, "must be a scope's name, percent-encoded UTF-8 of at most 1,000 bytes, without a run");
  }
  return scope->name;
}

TemplateText MemberReader::json_text(const OverlayMember& member) const {
  const bool is_text = member.json.starts_with('"');
  TemplateText found(is_text ? text(member) : member.json, TemplateText::Kind::json);
  if (is_text && !api::is_json(found.sample())) fail(member, "must be a string that contains JSON");
  return found;
}

std::vector<ParamCondition> MemberReader::conditions(const OverlayMember& member) const {
  const auto members = api::json_members(member.json);
  if (!members) fail(member, "must be a table of parameters");
  std::vector<ParamCondition> conditions;
  for (const api::JsonMember& one : *members) {
    const std::string name = api::json_key(one.key);
    if (name == "api" || name == "version" || name == "method")
      fail(member, "cannot have `" + name + "`: it belongs in the call pattern");
    const nlohmann::json value = nlohmann::json::parse(one.value);
    if (value.is_null()) fail(member, "must not contain null");
    ParamCondition condition{name, std::nullopt};
    if (value != "*") condition.value = api::canonical_value(value.is_string() ? value.get<std::string>() : one.value);
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

}  // namespace tapedeck::replay
