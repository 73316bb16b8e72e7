#include "scrubbers/rules/compiled_rules.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "api/envelope.h"
#include "api/session_request.h"
#include "api/transcript.h"
#include "base/text.h"
#include "scrubbers/rules/plain_values.h"
#include "scrubbers/rules/secret_names.h"
#include "scrubbers/rules/secret_patterns.h"

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

/// Returns false for APIs that devices also serve without a session, at least in part. `api` is folded and has no
/// label.
bool needs_session(std::string_view api) {
  static constexpr std::string_view open[] = {"api.", "core.desktop.", "core.sharing.", "entry.request"};
  static constexpr std::string_view outside[] = {"sharing", "portal", "login"};
  return !api.empty() && !api.ends_with(".info") && !api.ends_with(".strings") &&
         std::none_of(std::begin(open), std::end(open), [api](auto begin) { return api.starts_with(begin); }) &&
         std::none_of(std::begin(outside), std::end(outside), [api](auto part) { return api.find(part) != api.npos; });
}

std::string name_in(Scope scope, std::string_view name) {
  return std::string(to_string(scope)) + " " + base::fold(name);
}

/// Returns true if `path` matches `pattern`: "data", "*" for any one key, a leading "**" for any number of keys.
bool path_matches(const std::vector<std::string>& pattern, JsonPath path) {
  const bool open = !pattern.empty() && pattern.front() == "**";
  const std::size_t fixed = pattern.size() - (open ? 1 : 0);
  if (open ? path.size() < fixed : path.size() != fixed) return false;
  const std::size_t skipped = path.size() - fixed;
  for (std::size_t i = 0; i < fixed; ++i) {
    const std::string& wanted = pattern[pattern.size() - fixed + i];
    if (wanted != "*" && base::fold(wanted) != base::fold(path[skipped + i])) return false;
  }
  return true;
}

}  // namespace

void NameTable::add(std::string_view name, std::uint16_t index) {
  if (name.size() < longest) indices_[base::fold(name)].push_back(index);
}

std::span<const std::uint16_t> NameTable::find(std::string_view name) const {
  if (name.size() >= longest) return {};
  std::array<char, longest> folded;
  std::transform(name.begin(), name.end(), folded.begin(), [](char c) { return base::fold(c); });
  const auto found = indices_.find(std::string_view(folded.data(), name.size()));
  return found == indices_.end() ? std::span<const std::uint16_t>{} : std::span<const std::uint16_t>(found->second);
}

void AnchorSet::add(std::string_view text, Use use) {
  pairs_.set(pair_of(text, 0));
  const auto place =
      std::find_if(anchors_.begin(), anchors_.end(), [text](const Anchor& one) { return text < one.text; });
  anchors_.insert(place, {text, use});
}

CallContext::CallContext(const http::Request& request, const std::optional<api::Call>& call)
    : login_(api::session_step(request, call ? &*call : nullptr) == api::SessionStep::login),
      socket_io_(api::is_socket_io(request.target)) {
  if (!call) return;
  add(*call);
  if (!call->is_compound()) return;
  for (const api::Call& part : call->parts().value_or(std::vector<api::Call>{})) add(part);
}

void CallContext::add(const api::Call& call) {
  calls_.emplace_back(base::fold(call.name().rest), base::fold(call.method()));
  login_ = login_ || call.is_any_login();
  text_table_ = text_table_ || calls_.back().first.ends_with(".strings");
}

bool CallContext::covers(const ScrubRule& rule) const {
  if (rule.api.empty() && rule.method.empty()) return true;
  if (rule.api.empty() && login_ && base::equal_no_case(rule.method, "login")) return true;
  return std::any_of(calls_.begin(), calls_.end(),
                     [&](const auto& call) { return scrubbers::covers(rule, call.first, call.second); });
}

bool CallContext::proves_session(const http::Response& response, std::string_view body) const {
  if (calls_.empty() || calls_.front().first.empty()) return false;
  const auto verdict = api::verdict(body);
  if (calls_.front().first == "entry.request") {
    const auto answers = verdict && verdict->success ? api::compound_answers(body) : std::nullopt;
    for (std::size_t i = 0; answers && i < answers->size() && i + 1 < calls_.size(); ++i) {
      const auto part = api::verdict((*answers)[i]);
      if (part && part->success && needs_session(calls_[i + 1].first)) return true;
    }
    return false;
  }
  if (!needs_session(calls_.front().first)) return false;
  if (verdict) return verdict->success;
  // A file or picture proves a session. An HTML page does not, because it may be the login page.
  const std::string type = base::fold(http::media_type(response.headers));
  return !type.starts_with("text/html") && !type.ends_with("json") && !type.empty();
}

CompiledRules::CompiledRules(RuleSet set, Patterns patterns) : set_(std::move(set)) {
  paths_.resize(set_.rules().size());
  for (std::size_t i = 0; i < set_.rules().size(); ++i) compile(static_cast<std::uint16_t>(i), patterns);
  compile_anchors();
  compile_endings();
}

CompiledRules::~CompiledRules() = default;

void CompiledRules::compile(std::uint16_t index, Patterns patterns) {
  const ScrubRule& added = rule(index);
  switch (added.scope) {
    case Scope::parameter:
      parameters_.add(added.match, index);
      break;
    case Scope::header:
      if (added.match == "*") {
        any_header_ = RuleMatch{index};
      } else {
        headers_.add(added.match, index);
      }
      break;
    case Scope::cookie:
      if (added.match == "*") {
        any_cookie_ = RuleMatch{index};
      } else {
        cookies_.add(added.match, index);
      }
      break;
    case Scope::json_key:
      if (added.match.find('.') != std::string::npos) paths_[index] = split_path(added.match);
      json_keys_.add(paths_[index].empty() ? added.match : paths_[index].back(), index);
      break;
    case Scope::body_pattern: {
      if (patterns == Patterns::left_out) break;
      RE2::Options options;
      options.set_log_errors(false);
      options.set_encoding(RE2::Options::EncodingLatin1);
      patterns_.push_back(
          {index, std::make_unique<re2::RE2>(added.match, options), false, added.shipped && added.id == "body-jwt"});
      break;
    }
    case Scope::name:
      endings_.add(added.match, {EndingMeaning::Kind::secret, index});
      if (base::is_letter(added.match.front())) {
        endings_.add(added.match + "s", {EndingMeaning::Kind::secret, index, true});
      }
      break;
  }
}

void CompiledRules::compile_endings() {
  if (endings_.empty()) return;
  for (const NameException& exception : name_exceptions()) {
    endings_.add(exception.ending, {EndingMeaning::Kind::exception});
  }
  for (const std::string_view name : {"=value", "=val", "=newvalue", "=currentvalue"}) {
    endings_.add(name, {EndingMeaning::Kind::value});
  }
  for (const std::string_view word : setting_words()) setting_words_.emplace(word);
  for (const std::string_view word : describing_words()) describing_.add(word, {});
  const std::vector<std::string>& disabled = set_.disabled();
  const RuleSet defaults = RuleSet::defaults();
  for (const ScrubRule& shipped : defaults.rules()) {
    const bool off = std::find(disabled.begin(), disabled.end(), shipped.id) != disabled.end();
    if (off && shipped.scope != Scope::name) switched_off_.insert(name_in(shipped.scope, shipped.match));
  }
}

void CompiledRules::compile_anchors() {
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    const ScrubRule& owner = rule(patterns_[i].rule);
    for (const Anchor& anchor : shipped_anchors()) {
      if (!owner.shipped || anchor.id != owner.id) continue;
      patterns_[i].anchored = true;
      anchors_.add(anchor.text, {i, anchor.before});
    }
  }
}

std::optional<RuleMatch> CompiledRules::first_covering(const NameTable& table, std::string_view name,
                                                       const CallContext& context) const {
  for (const std::uint16_t index : table.find(name)) {
    if (context.covers(rule(index))) return RuleMatch{index};
  }
  return std::nullopt;
}

CompiledRules::KeyMatch CompiledRules::by_ending(Scope scope, std::string_view name, const CallContext& context) const {
  if (!endings_.may_have(name) || is_placeholder(name)) return {};
  if (name == "PWD" || name == "OLDPWD") return {};  // a shell's directories, in every environment
  const FoldedName folded(name);
  std::size_t stem = 0;
  const EndingMeaning* const meaning = endings_.find(folded, stem);
  if (meaning == nullptr || meaning->kind == EndingMeaning::Kind::exception) return {};
  if (meaning->kind == EndingMeaning::Kind::value) return {{}, true};
  if (!context.covers(rule(meaning->rule))) return {};
  if (!switched_off_.empty() && switched_off_.contains(name_in(scope, name))) return {};
  bool is_setting = false;
  for (std::size_t begin = 0, end = 1; begin < stem && !is_setting; begin = end++) {
    while (end < stem && !folded.begins_word(end)) ++end;
    is_setting = setting_words_.contains(folded.text().substr(begin, end - begin));
  }
  return {RuleMatch{meaning->rule, is_setting, meaning->is_plural}};
}

CompiledRules::KeyMatch CompiledRules::named(const NameTable& table, Scope scope, std::string_view name,
                                             const CallContext& context) const {
  const auto exactly = first_covering(table, name, context);
  return exactly ? KeyMatch{exactly} : by_ending(scope, name, context);
}

CompiledRules::KeyMatch CompiledRules::parameter(std::string_view name, const CallContext& context) const {
  return named(parameters_, Scope::parameter, name, context);
}

std::optional<RuleMatch> CompiledRules::header(std::string_view name, const CallContext& context) const {
  return named(headers_, Scope::header, name, context).rule;
}

std::optional<RuleMatch> CompiledRules::cookie(std::string_view name, const CallContext& context) const {
  return named(cookies_, Scope::cookie, name, context).rule;
}

std::optional<RuleMatch> CompiledRules::name(std::string_view name, const CallContext& context) const {
  const auto match = by_ending(Scope::name, name, context).rule;
  if (!match) return std::nullopt;
  // A rule for this exact name has a more precise class than an ending, for example a session token of the device.
  const auto exactly = first_covering(parameters_, name.substr(name.find_last_of(".[") + 1), context);
  const bool is_more_precise =
      exactly && rule(exactly->rule).secret_class <= SecretClass::device_id && rule(exactly->rule).values != Values::id;
  return is_more_precise ? exactly : match;
}

bool CompiledRules::describes(std::string_view key) const {
  std::size_t stem = 0;
  return describing_.may_have(key) && describing_.find(FoldedName(key), stem) != nullptr;
}

bool CompiledRules::is_plain(RuleMatch match, std::string_view value, bool is_set) const {
  const ScrubRule& owner = rule(match.rule);
  if (match.is_setting && !looks_random(value)) return true;
  if (owner.values == Values::any) return false;
  std::string_view stem = owner.match;
  if (stem.starts_with('_') || stem.starts_with('=')) stem.remove_prefix(1);
  return is_plain_value(owner.values, stem, value, is_set);
}

CompiledRules::KeyMatch CompiledRules::json_key(std::string_view name, JsonPath path,
                                                const CallContext& context) const {
  for (const std::uint16_t index : json_keys_.find(name)) {
    if (!context.covers(rule(index))) continue;
    if (paths_[index].empty() || path_matches(paths_[index], path)) return {RuleMatch{index}};
  }
  return by_ending(Scope::json_key, name, context);
}

bool CompiledRules::may_be_json_key(std::string_view name, const CallContext& context) const {
  return first_covering(json_keys_, name, context) || by_ending(Scope::json_key, name, context);
}

bool CompiledRules::mentions_parameter(std::string_view text, const CallContext& context) const {
  const std::string folded = base::fold(text);
  return std::any_of(set_.rules().begin(), set_.rules().end(), [&](const ScrubRule& candidate) {
    constexpr std::size_t telling = 6;  // shorter endings occur in every binary file by chance
    if (candidate.scope == Scope::name) {
      return candidate.match.size() >= telling && folded.find(candidate.match) != std::string::npos;
    }
    // The value of such a name alone shows that it is a secret.
    const bool is_by_value = candidate.values == Values::id;
    return candidate.scope == Scope::parameter && !is_by_value && context.covers(candidate) &&
           folded.find(base::fold(candidate.match)) != std::string::npos;
  });
}

}  // namespace tapedeck::scrubbers
