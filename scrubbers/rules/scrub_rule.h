#pragma once
// Defines rules: names and shapes of secrets, which need not occur in a login (docs/device-notes.md, "Where secrets and
// private data are").

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/redaction/redaction.h"

namespace tapedeck::base {
class TomlFile;
}

namespace tapedeck::scrubbers {

enum class Scope : std::uint8_t {
  parameter,     ///< query, form and multipart field, and a key of a JSON request body
  header,        ///< a whole value, in requests and responses
  cookie,        ///< Cookie and Set-Cookie
  json_key,      ///< a value in a JSON response, by key or path
  body_pattern,  ///< an RE2 pattern over decoded bodies: its first group, or the whole match
  name,          ///< an ending of names in all of these places, XML tags, KEY=VALUE lines, and name-and-value pairs
};
[[nodiscard]] std::string_view to_string(Scope scope);

/// The form that a value must have to count as a secret (plain_values.h).
enum class Values : std::uint8_t {
  any,     ///< anything
  phrase,  ///< a text that people type: not a flag, mask, enumeration, or label
  code,    ///< like phrase, and with digits
  token,   ///< a text that programs generate: also not a path, time, number, or address
  id,      ///< 16 or more characters that look random
};

struct ScrubRule {
  std::string id;      ///< "param-passwd"
  std::string reason;  ///< one line, for `tapedeck scrub --rules`
  Scope scope = Scope::json_key;
  /// A name (compared without case), a JSON path, an RE2 pattern, or an ending of names (name_endings.h). A JSON path
  /// begins at the root ("data.sid"). In a path, `*` is any key, a leading `**` is any number of keys ("**.user.key"),
  /// and lists are not a level. In Authorization, only the part after the scheme is replaced.
  std::string match;
  /// The API (without its label) to which the rule is limited; empty: all. "Core.Network.*" includes all APIs that
  /// begin with it.
  std::string api;
  std::string method;  ///< the method to which the rule is limited; empty: all
  SecretClass secret_class = SecretClass::secret;
  bool learn = false;  ///< its values are also searched for everywhere, if they look like credentials (docs/secrets.md)
  bool shipped = true;
  Values values = Values::any;
  bool in_url = false;      ///< for a pattern: the value is percent-encoded
  std::string beside = {};  ///< for a JSON key: limited to objects that also have this member; empty: all
  /// A value that contains a known session ID is not replaced as a whole. Only the ID in it is replaced, because replay
  /// inserts the ID of its own session.
  bool yields = false;
};

/// The rule that a name matches.
struct RuleMatch {
  std::uint16_t rule = 0;  ///< the index in RuleSet::rules()
  /// The name is one such as "max_password", so the value is only a secret if it looks random.
  bool is_setting = false;
  /// The name is one such as "tokens", so the values in its list or object are secrets.
  bool is_plural = false;
};

/// Returns true if the rule applies to this API (without its first label) and method, in any case.
[[nodiscard]] bool covers(const ScrubRule& rule, std::string_view api_rest, std::string_view method);
/// Returns the name under which the rule finds values. For a path, this is the last key; for `*` and for patterns, it
/// is empty.
[[nodiscard]] std::string_view name_of(const ScrubRule& rule);

/// Converts the text of to_string back: accepts "JSON_KEY" or "json_key". Returns nothing for other words.
[[nodiscard]] std::optional<Scope> scope_from(std::string_view word);

/// Returns the shipped rules.
[[nodiscard]] std::vector<ScrubRule> default_rules();

/// The active rules, in a fixed order. A change to the shipped rules requires a new policy number
/// (docs/architecture.md, "A scrub rule").
class RuleSet {
 public:
  static constexpr int policy_number = 7;
  [[nodiscard]] static RuleSet defaults();
  /// Returns an empty set to which rules can be added.
  [[nodiscard]] static RuleSet none() { return {}; }

  /// Throws std::invalid_argument for an unknown ID.
  void disable(std::string_view id);
  /// Throws std::invalid_argument with one line for a duplicate ID or an invalid RE2 pattern.
  void add(ScrubRule rule);
  [[nodiscard]] const std::vector<ScrubRule>& rules() const { return rules_; }
  [[nodiscard]] const std::vector<std::string>& disabled() const { return disabled_; }
  /// Returns a line that identifies the policy: number, disabled IDs, and a hash of the added rules.
  [[nodiscard]] std::string fingerprint() const;

 private:
  std::vector<ScrubRule> rules_;
  std::vector<std::string> disabled_;
};

/// Adds and disables rules of the table `scrub` of a tapedeck.toml (docs/secrets.md, "Custom rules"). Throws
/// std::invalid_argument with one line, "tapedeck.toml:12: …"; `rules` is then partly changed.
void apply_rules(const base::TomlFile& file, RuleSet& rules);

}  // namespace tapedeck::scrubbers
