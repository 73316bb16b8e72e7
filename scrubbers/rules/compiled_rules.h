#pragma once
// Compiles a RuleSet for matching.

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "api/call.h"
#include "base/text_hash.h"
#include "http/message/message.h"
#include "scrubbers/rules/json_scanner.h"
#include "scrubbers/rules/name_endings.h"
#include "scrubbers/rules/scrub_rule.h"

namespace re2 {
class RE2;
}

namespace tapedeck::scrubbers {

/// The calls to which a rule's `api` and `method` are compared: one call, or the parts of a compound.
class CallContext {
 public:
  CallContext() = default;
  CallContext(const http::Request& request, const std::optional<api::Call>& call);

  [[nodiscard]] bool is_call() const { return !calls_.empty(); }
  /// Returns true for a login of any API or of none (api::session_step).
  [[nodiscard]] bool is_login() const { return login_; }
  /// A rule for the method `login` without an API covers all logins.
  [[nodiscard]] bool covers(const ScrubRule& rule) const;
  /// Returns true if a response (with its decoded `body`) proves that its request had a valid session, because a call
  /// succeeded that requires one. For a compound, one such part is enough.
  [[nodiscard]] bool proves_session(const http::Response& response, std::string_view body) const;
  /// Returns true for socket.io, where `sid` is the ID of a connection and of no session.
  [[nodiscard]] bool is_socket_io() const { return socket_io_; }
  /// Returns true if the response is a table of UI texts, where "password" is a word followed by its translation.
  [[nodiscard]] bool is_text_table() const { return text_table_; }

 private:
  void add(const api::Call& call);
  std::vector<std::pair<std::string, std::string>> calls_;  ///< API without its label, and method, in lower case
  bool login_ = false;
  bool socket_io_ = false;
  bool text_table_ = false;
};

/// Maps names to meanings without regard to case.
class NameTable {
 public:
  /// Adds a name. A name may have several indexes, in the order in which they were added.
  void add(std::string_view name, std::uint16_t index);
  [[nodiscard]] std::span<const std::uint16_t> find(std::string_view name) const;

 private:
  static constexpr std::size_t longest = 64;
  std::unordered_map<std::string, std::vector<std::uint16_t>, base::TextHash, std::equal_to<>> indices_;
};

/// Finds the texts (anchors) without which a pattern cannot match.
class AnchorSet {
 public:
  struct Use {
    std::size_t pattern = 0;  ///< index in CompiledRules::patterns()
    std::size_t before = 0;   ///< the maximum distance of the start of a match before the text
  };

  /// `text` has two bytes or more and must outlive the set. Several patterns may use one text.
  void add(std::string_view text, Use use);
  /// Calls hit(use, at) for each text that is found, in ascending order of positions.
  template <class Hit>
  void search(std::string_view text, Hit&& hit) const {
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
      if (!pairs_[pair_of(text, at)]) continue;
      const std::string_view pair = text.substr(at, 2);
      auto anchor = std::lower_bound(anchors_.begin(), anchors_.end(), pair,
                                     [](const Anchor& one, std::string_view wanted) { return one.text < wanted; });
      for (; anchor != anchors_.end() && anchor->text.starts_with(pair); ++anchor) {
        if (text.substr(at).starts_with(anchor->text)) hit(anchor->use, at);
      }
    }
  }

 private:
  struct Anchor {
    std::string_view text;
    Use use;
  };
  static std::size_t pair_of(std::string_view text, std::size_t at) {
    return std::size_t{static_cast<std::uint8_t>(text[at])} << 8 | static_cast<std::uint8_t>(text[at + 1]);
  }
  std::bitset<65536> pairs_;     ///< the first two bytes of the texts, which are rare in bodies
  std::vector<Anchor> anchors_;  ///< sorted by text
};

class CompiledRules {
 public:
  /// Whether expressions are compiled, which takes most of the time. Without them, patterns() is empty, and only names
  /// are recognized.
  enum class Patterns : std::uint8_t { compiled, left_out };

  explicit CompiledRules(RuleSet set, Patterns patterns = Patterns::compiled);
  ~CompiledRules();

  struct Pattern {
    std::uint16_t rule = 0;
    std::unique_ptr<re2::RE2> expression;
    bool anchored = false;      ///< tried only near a text of anchors()
    bool begins_token = false;  ///< requires that no letter, digit, `_`, or `-` precedes it
  };

  [[nodiscard]] const RuleSet& set() const { return set_; }
  [[nodiscard]] const ScrubRule& rule(std::size_t index) const { return set_.rules()[index]; }
  [[nodiscard]] const NameTable& parameters() const { return parameters_; }
  [[nodiscard]] const NameEndings& endings() const { return endings_; }
  [[nodiscard]] const std::vector<Pattern>& patterns() const { return patterns_; }
  /// The texts without which an anchored pattern cannot match.
  [[nodiscard]] const AnchorSet& anchors() const { return anchors_; }

  /// The meaning of a name.
  struct KeyMatch {
    std::optional<RuleMatch> rule;  ///< the first rule of the scope for that name that covers the call
    bool is_pair = false;           ///< for names such as "value": another member contains the name
    explicit operator bool() const { return rule || is_pair; }
  };
  [[nodiscard]] KeyMatch parameter(std::string_view name, const CallContext& context) const;
  [[nodiscard]] KeyMatch json_key(std::string_view name, JsonPath path, const CallContext& context) const;
  [[nodiscard]] std::optional<RuleMatch> header(std::string_view name, const CallContext& context) const;
  [[nodiscard]] std::optional<RuleMatch> cookie(std::string_view name, const CallContext& context) const;
  /// Returns the rule for the ending of a name, in places without a rule scope (KEY=VALUE, XML).
  [[nodiscard]] std::optional<RuleMatch> name(std::string_view name, const CallContext& context) const;
  /// Returns true if json_key() may find something for this name in some place.
  [[nodiscard]] bool may_be_json_key(std::string_view name, const CallContext& context) const;
  /// Returns true for the key of a value that describes a secret beside it: "name", "created_at", "user_id".
  [[nodiscard]] bool describes(std::string_view key) const;
  /// Returns true if a value under the name of this rule is not a secret. `is_set` has the same meaning as in
  /// is_plain_value().
  [[nodiscard]] bool is_plain(RuleMatch match, std::string_view value, bool is_set = false) const;
  /// Returns the rule for cookies whose value looks like a token, regardless of their names.
  [[nodiscard]] std::optional<RuleMatch> any_cookie() const { return any_cookie_; }
  /// Returns the rule for request headers that only look like a token.
  [[nodiscard]] std::optional<RuleMatch> any_header() const { return any_header_; }
  /// Returns true if `text` contains the name of a parameter rule that covers the call.
  [[nodiscard]] bool mentions_parameter(std::string_view text, const CallContext& context) const;

 private:
  void compile(std::uint16_t index, Patterns patterns);
  void compile_anchors();
  void compile_endings();
  [[nodiscard]] KeyMatch by_ending(Scope scope, std::string_view name, const CallContext& context) const;
  [[nodiscard]] std::optional<RuleMatch> first_covering(const NameTable& table, std::string_view name,
                                                        const CallContext& context) const;
  /// Returns the rule for the name in a table, or else the rule for its ending.
  [[nodiscard]] KeyMatch named(const NameTable& table, Scope scope, std::string_view name,
                               const CallContext& context) const;

  RuleSet set_;
  NameTable parameters_, headers_, cookies_, json_keys_;
  NameEndings endings_, describing_;
  std::unordered_set<std::string, base::TextHash, std::equal_to<>> setting_words_;
  std::unordered_set<std::string> switched_off_;  ///< scope and name of disabled shipped rules
  std::vector<std::vector<std::string>> paths_;   ///< by rule; empty for a rule without a path
  std::vector<Pattern> patterns_;
  AnchorSet anchors_;
  std::optional<RuleMatch> any_cookie_, any_header_;
};

}  // namespace tapedeck::scrubbers
