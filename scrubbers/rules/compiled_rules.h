#pragma once
// A RuleSet made ready for matching.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "api/call.h"
#include "base/text_hash.h"
#include "http/message/message.h"
#include "scrubbers/rules/anchor_set.h"
#include "scrubbers/rules/key_names.h"
#include "scrubbers/rules/scrub_rule.h"
#include "scrubbers/text/json_scanner.h"

namespace re2 {
class RE2;
}

namespace tapedeck::scrubbers {

/// What a rule's `api` and `method` are compared with: the call, and the parts of a compound one.
class CallContext {
 public:
  CallContext() = default;
  explicit CallContext(const std::optional<api::Call>& call);

  [[nodiscard]] bool is_login() const { return login_; }
  [[nodiscard]] bool covers(const ScrubRule& rule) const;
  /// Returns true if a response (its body decoded) shows that its request was one of a session: a call that the device
  /// refuses without one succeeded. Of a compound call, one part is enough.
  [[nodiscard]] bool proves_session(const http::Response& response, std::string_view body) const;
  /// The answer is a table of texts for people: "password" is a word there, and what follows its translation.
  [[nodiscard]] bool is_text_table() const { return text_table_; }
  [[nodiscard]] bool operator==(const CallContext&) const = default;
  [[nodiscard]] std::size_t hash() const;

 private:
  void add(const api::Call& call);
  std::vector<std::pair<std::string, std::string>> calls_;  ///< API without label, method; both folded
  bool login_ = false;
  bool text_table_ = false;
};

class CompiledRules {
 public:
  /// Expressions and their anchors take most of the time, and who asks for names alone leaves them out: patterns() is
  /// empty then.
  enum class Patterns : std::uint8_t { compiled, left_out };

  explicit CompiledRules(RuleSet set, Patterns patterns = Patterns::compiled);
  ~CompiledRules();

  struct Pattern {
    std::uint16_t rule = 0;
    std::unique_ptr<re2::RE2> expression;
    bool anchored = false;      ///< tried only where each_anchor() says
    bool begins_token = false;  ///< no letter, digit, `_` or `-` stands before it
  };

  [[nodiscard]] const RuleSet& set() const { return set_; }
  /// Of what the functions below return: with is_setting set, or without.
  [[nodiscard]] const ScrubRule& rule(std::size_t index) const {
    return set_.rules()[index & ~std::size_t{is_setting}];
  }
  /// Set in what is returned for a name such as "max_password": a secret only where the value looks random.
  static constexpr unsigned is_setting = 0x8000;
  /// json_key() of "value" and the like: the name stands beside it in the object.
  static constexpr int is_pair = -3;
  [[nodiscard]] const NameTable& parameters() const { return parameters_; }
  /// What is looked for among the keys of an answer, and of a request.
  [[nodiscard]] const KeyNames& json_key_names() const { return *json_key_names_; }
  [[nodiscard]] const KeyNames& parameter_names() const { return *parameter_names_; }
  [[nodiscard]] const NameEndings& endings() const { return endings_; }
  [[nodiscard]] const std::vector<Pattern>& patterns() const { return patterns_; }
  /// Calls hit(pattern, at, before) where an anchored pattern may match: from `before` bytes ahead of `at` on. `opens`:
  /// what may_open_something(text) says, or true. Throws std::runtime_error.
  void each_anchor(std::string_view text, bool opens,
                   const std::function<void(const Pattern&, std::size_t at, std::size_t before)>& hit) const;
  /// Would each_anchor() find one? Throws std::runtime_error.
  [[nodiscard]] bool has_anchor(std::string_view text) const;

  /// The first rule of the scope for that name that covers the call, or -1.
  [[nodiscard]] int parameter(std::string_view name, const CallContext& context) const;
  [[nodiscard]] int header(std::string_view name, const CallContext& context) const;
  [[nodiscard]] int cookie(std::string_view name, const CallContext& context) const;
  [[nodiscard]] int json_key(std::string_view name, JsonPath path, const CallContext& context) const;
  /// What json_key() may return for that name, whatever the path.
  [[nodiscard]] KeyChance json_key_chance(std::string_view name, const CallContext& context) const;
  /// The rule for names that end so, in places that have no scope of their own (KEY=VALUE, XML): an index or -1.
  [[nodiscard]] int name(std::string_view name, const CallContext& context) const;
  /// Returns true if a value that was found under the name of that rule is none of its secrets. `is_set`: as in
  /// is_plain_value().
  [[nodiscard]] bool is_plain(int rule, std::string_view value, bool is_set = false) const;
  /// The rule for cookies of any name that look like tokens, or -1.
  [[nodiscard]] int any_cookie() const { return any_cookie_; }
  /// Returns true if a name of a parameter rule that covers the call stands anywhere in `text`.
  [[nodiscard]] bool mentions_parameter(std::string_view text, const CallContext& context) const;

 private:
  void compile(std::uint16_t index, Patterns patterns);
  void compile_anchors();
  void compile_endings();
  /// `exactly` is what the name's own rules said.
  [[nodiscard]] int by_ending(int exactly, Scope scope, std::string_view name, const CallContext& context) const;
  [[nodiscard]] int first_covering(const NameTable& table, std::string_view name, const CallContext& context) const;

  RuleSet set_;
  NameTable parameters_, headers_, cookies_, json_keys_;
  NameEndings endings_;
  std::optional<KeyNames> json_key_names_, parameter_names_;
  std::unordered_set<std::string, base::TextHash, std::equal_to<>> setting_words_;
  std::unordered_set<std::string> switched_off_;  ///< scope and name of shipped rules that are
  std::vector<std::vector<std::string>> paths_;   ///< by rule; empty for a name alone
  std::vector<Pattern> patterns_;
  AnchorSet anchors_;
  int any_cookie_ = -1;
};

/// True when `path` is what `pattern` says: "data", "*" for any one key, a leading "**" for any number of keys.
[[nodiscard]] bool path_matches(const std::vector<std::string>& pattern, JsonPath path);

}  // namespace tapedeck::scrubbers
