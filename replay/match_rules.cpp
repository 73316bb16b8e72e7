#include "replay/match_rules.h"

#include <algorithm>

#include "api/identity_headers.h"
#include "base/toml_file.h"
#include "scrubbers/rules/compiled_rules.h"

namespace tapedeck::replay {
namespace {

MatchRule match_rule(const base::TomlFile& file, const toml::table& table) {
  MatchRule rule;
  for (const auto& [key, node] : table) {
    const std::string_view name = key.str();
    if (name == "api") {
      rule.api = file.text(name, node);
    } else if (name == "method") {
      rule.method = file.text(name, node);
    } else if (name == "ignore") {
      rule.ignore = file.texts(name, node);
    } else if (name == "bind") {
      rule.bind = file.texts(name, node);
    } else if (name == "any_version") {
      rule.any_version = file.flag(name, node);
    } else if (name == "at_end") {
      rule.at_end = at_end_from(file.text(name, node));
      if (!rule.at_end) file.fail(node.source(), "`at_end` must be stick, loop, or miss");
    } else {
      file.unknown_key(key, "a match rule", "api, method, ignore, bind, any_version, at_end");
    }
  }
  if (!rule.loosens() && rule.bind.empty() && !rule.at_end) {
    file.fail(table.source(), "missing `ignore`, `bind`, `any_version`, or `at_end`");
  }
  return rule;
}

}  // namespace

void apply_match_rules(const base::TomlFile& file, ReplayOptions& options) {
  const toml::table* const replay = file.table("replay");
  if (replay == nullptr) return;
  for (const auto& [key, node] : *replay) {
    if (key.str() == "match_headers") {
      for (std::string& name : file.texts("match_headers", node)) {
        if (const std::string wrong = wrong_match_header(name); !wrong.empty()) file.fail(node.source(), wrong);
        options.match_headers.push_back(std::move(name));
      }
      continue;
    }
    if (key.str() != "match") file.unknown_key(key, "`replay`", "match, match_headers");
    for (const toml::table* const table : file.tables("replay.match", node)) {
      options.match_rules.push_back(match_rule(file, *table));
    }
  }
}

std::string wrong_match_header(const std::string& name) {
  if (!http::is_token(name)) return "`" + name + "` is not the name of a header";
  if (!api::is_never_identity(name)) return {};
  return "the header " + name + " never tells requests apart, because clients change it for other reasons";
}

std::optional<std::string> secret_bind(const scrubbers::RuleSet& rules, const std::vector<MatchRule>& match) {
  if (std::all_of(match.begin(), match.end(), [](const MatchRule& rule) { return rule.bind.empty(); }))
    return std::nullopt;
  const scrubbers::CompiledRules compiled(rules, scrubbers::CompiledRules::Patterns::left_out);
  for (const MatchRule& rule : match) {
    const scrubbers::CallContext context({}, api::Call("SVC." + rule.api, "", rule.method, {}));
    for (const std::string& name : rule.bind) {
      if (compiled.parameter(name, context).rule) return name;
    }
  }
  return std::nullopt;
}

Looseness looseness_of(const ReplayOptions& options) {
  Looseness looseness{options.match_rules};
  // Accepts PARAM or API:PARAM.
  const auto add = [&looseness](const std::string& text, std::vector<std::string> MatchRule::*names) {
    const std::size_t colon = text.find(':');
    MatchRule rule;
    if (colon != std::string::npos) rule.api = text.substr(0, colon);
    rule.*names = {colon == std::string::npos ? text : text.substr(colon + 1)};
    looseness.rules.push_back(std::move(rule));
  };
  for (const std::string& text : options.ignore_params) {
    if (text != ignore_drawn) add(text, &MatchRule::ignore);
  }
  for (const std::string& text : options.bind_params) add(text, &MatchRule::bind);
  if (options.any_version) {
    MatchRule rule;
    rule.any_version = true;
    looseness.rules.push_back(std::move(rule));
  }
  return looseness;
}

}  // namespace tapedeck::replay
