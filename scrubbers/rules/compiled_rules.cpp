#include "scrubbers/rules/compiled_rules.h"

#include <re2/re2.h>

#include <algorithm>

#include "scrubbers/rules/rules_default.h"
#include "scrubbers/text/text_forms.h"

namespace tapedeck::scrubbers {
namespace {

std::vector<std::string> split_path(std::string_view text) {
  std::vector<std::string> keys;
  while (true) {
    const std::size_t dot = text.find('.');
    keys.emplace_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return keys;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

CallContext::CallContext(const std::optional<api::Call>& call) {
  if (!call) return;
  add(*call);
  if (!call->is_compound()) return;
  for (const api::Call& part : call->parts().value_or(std::vector<api::Call>{})) add(part);
}

void CallContext::add(const api::Call& call) {
  calls_.emplace_back(fold(call.name().rest), fold(call.method()));
  login_ = login_ || call.is_login();
  text_table_ = text_table_ || calls_.back().first.ends_with(".strings");
}

bool CallContext::covers(const ScrubRule& rule) const {
  if (rule.api.empty() && rule.method.empty()) return true;
  return std::any_of(calls_.begin(), calls_.end(),
                     [&](const auto& call) { return scrubbers::covers(rule, call.first, call.second); });
}

CompiledRules::CompiledRules(RuleSet set) : set_(std::move(set)) {
  paths_.resize(set_.rules().size());
  for (std::size_t i = 0; i < set_.rules().size(); ++i) compile(static_cast<std::uint16_t>(i));
  compile_anchors();
}

CompiledRules::~CompiledRules() = default;

void CompiledRules::compile(std::uint16_t index) {
  const ScrubRule& added = rule(index);
  switch (added.scope) {
    case Scope::parameter:
      parameters_.add(added.match, index);
      break;
    case Scope::header:
      headers_.add(added.match, index);
      break;
    case Scope::cookie:
      if (added.match == "*") {
        any_cookie_ = index;
      } else {
        cookies_.add(added.match, index);
      }
      break;
    case Scope::json_key:
      if (added.match.find('.') != std::string::npos) paths_[index] = split_path(added.match);
      json_keys_.add(paths_[index].empty() ? added.match : paths_[index].back(), index);
      break;
    case Scope::body_pattern: {
      RE2::Options options;
      options.set_log_errors(false);
      options.set_encoding(RE2::Options::EncodingLatin1);
      patterns_.push_back({index, std::make_unique<re2::RE2>(added.match, options), false});
    }
  }
}

void CompiledRules::compile_anchors() {
  std::vector<std::string_view> texts;
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    const ScrubRule& owner = rule(patterns_[i].rule);
    for (const Anchor& anchor : shipped_anchors()) {
      if (!owner.shipped || anchor.id != owner.id) continue;
      patterns_[i].anchored = true;
      texts.push_back(anchor.text);
      anchor_uses_.push_back({i, anchor.before});
    }
  }
  if (!texts.empty()) anchors_ = std::make_unique<HyperscanSet>(texts);
}

void CompiledRules::each_anchor(
    std::string_view text, const std::function<void(const Pattern&, std::size_t at, std::size_t before)>& hit) const {
  if (!anchors_) return;
  anchors_->search(text, [&](std::size_t at, std::uint32_t number) {
    const AnchorUse& use = anchor_uses_[number];
    hit(patterns_[use.pattern], at, use.before);
  });
}

bool CompiledRules::has_anchor(std::string_view text) const {
  bool found = false;
  each_anchor(text, [&found](const Pattern&, std::size_t, std::size_t) { found = true; });
  return found;
}

int CompiledRules::first_covering(const NameTable& table, std::string_view name, const CallContext& context) const {
  for (const std::uint16_t index : table.find(name)) {
    if (context.covers(rule(index))) return index;
  }
  return -1;
}

int CompiledRules::parameter(std::string_view name, const CallContext& context) const {
  return first_covering(parameters_, name, context);
}

int CompiledRules::header(std::string_view name, const CallContext& context) const {
  return first_covering(headers_, name, context);
}

int CompiledRules::cookie(std::string_view name, const CallContext& context) const {
  return first_covering(cookies_, name, context);
}

int CompiledRules::json_key(std::string_view name, JsonPath path, const CallContext& context) const {
  for (const std::uint16_t index : json_keys_.find(name)) {
    if (!context.covers(rule(index))) continue;
    if (paths_[index].empty() || path_matches(paths_[index], path)) return index;
  }
  return -1;
}

bool CompiledRules::mentions_parameter(std::string_view text) const {
  const std::string folded = fold(text);
  return std::any_of(set_.rules().begin(), set_.rules().end(), [&](const ScrubRule& candidate) {
    return candidate.scope == Scope::parameter && folded.find(fold(candidate.match)) != std::string::npos;
  });
}

bool path_matches(const std::vector<std::string>& pattern, JsonPath path) {
  const bool open = !pattern.empty() && pattern.front() == "**";
  const std::size_t fixed = pattern.size() - (open ? 1 : 0);
  if (open ? path.size() < fixed : path.size() != fixed) return false;
  const std::size_t skipped = path.size() - fixed;
  for (std::size_t i = 0; i < fixed; ++i) {
    const std::string& wanted = pattern[pattern.size() - fixed + i];
    if (wanted != "*" && fold(wanted) != fold(path[skipped + i])) return false;
  }
  return true;
}

}  // namespace tapedeck::scrubbers
