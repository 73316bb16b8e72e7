#pragma once
// Named rules: names and shapes of secrets, whether or not a login has shown the value (docs/device-notes.md, "Where
// secrets and private data are").

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/redaction.h"

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

/// What a value must look like to count as a secret (plain_values.h).
enum class Values : std::uint8_t {
  any,     ///< anything
  phrase,  ///< what people type: not a flag, mask, enumeration, or label
  code,    ///< as phrase, with digits
  token,   ///< what programs make: also not a path, time, number, or address
  id,      ///< 16 or more characters that look random
};

struct ScrubRule {
  std::string id;      ///< "param-passwd"
  std::string reason;  ///< one line, for `tapedeck rules`
  Scope scope = Scope::json_key;
  /// A name (compared without case), a JSON path, an RE2 pattern, or an ending of names (name_endings.h). A JSON path
  /// begins at the root ("data.sid"); `*` is any one key, a leading `**` any number of keys ("**.user.key"); lists are
  /// not a level. For Authorization, only what follows the scheme is replaced.
  std::string match;
  /// Only for this API (without its label); empty: any. "Core.Network.*" matches all that begin so.
  std::string api;
  std::string method;  ///< only this method; empty: any
  SecretClass secret_class = SecretClass::secret;
  bool learn = false;  ///< its values are also searched for everywhere, if they look like credentials (docs/secrets.md)
  bool shipped = true;
  Values values = Values::any;
  bool in_url = false;      ///< for a pattern: the value is percent-encoded
  std::string beside = {};  ///< for a JSON key: only in objects that also have this member; empty: any
  /// A value that contains a known session ID stays, but for the ID: replay makes it anew with the session's own.
  bool yields = false;
};

/// The rule that a name matches.
struct RuleMatch {
  std::uint16_t rule = 0;   ///< the index in RuleSet::rules()
  bool is_setting = false;  ///< of a name such as "max_password": only a secret if the value looks random
};

/// Returns true if the rule applies to this API (without its first label) and method, in any case.
[[nodiscard]] bool covers(const ScrubRule& rule, std::string_view api_rest, std::string_view method);
/// Returns the name under which the rule finds values, for a path its last key; empty for `*` and for patterns.
[[nodiscard]] std::string_view name_of(const ScrubRule& rule);

/// The inverse of to_string: accepts "JSON_KEY" or "json_key"; nothing for other words.
[[nodiscard]] std::optional<Scope> scope_from(std::string_view word);
[[nodiscard]] std::optional<SecretClass> secret_class_from(std::string_view word);

/// The active rules, in a fixed order. A change of the shipped ones needs a new policy number (docs/architecture.md, "A
/// scrub rule").
class RuleSet {
 public:
  static constexpr int policy_number = 4;
  [[nodiscard]] static RuleSet defaults();
  /// Returns an empty set for add().
  [[nodiscard]] static RuleSet none() { return {}; }

  /// Throws std::invalid_argument for an unknown id.
  void disable(std::string_view id);
  /// Throws std::invalid_argument with one line: a duplicate ID, a pattern that RE2 refuses.
  void add(ScrubRule rule);
  [[nodiscard]] const std::vector<ScrubRule>& rules() const { return rules_; }
  [[nodiscard]] const std::vector<std::string>& disabled() const { return disabled_; }
  /// Returns a line that identifies the policy: number, disabled IDs, and a hash of the added rules.
  [[nodiscard]] std::string fingerprint() const;

 private:
  std::vector<ScrubRule> rules_;
  std::vector<std::string> disabled_;
};

}  // namespace tapedeck::scrubbers
