#pragma once
// Named rules: where a secret stands by its name, whether or not a login showed it (field notes, "Where secrets and
// private data sit").

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/redaction.h"

namespace tapedeck::scrubbers {

enum class Scope : std::uint8_t {
  parameter,     ///< query, form and multipart field, and a key of a JSON request body
  header,        ///< a whole value, in requests and answers
  cookie,        ///< Cookie and Set-Cookie
  json_key,      ///< a value in a JSON answer, by key or by path
  body_pattern,  ///< an RE2 pattern over decoded bodies; its first group, or all of it
  name,          ///< an ending of names in any of these places, XML tags, KEY=VALUE lines and name-and-value pairs
};
[[nodiscard]] std::string_view to_string(Scope scope);

/// What a name's value must look like to be taken for a secret (plain_values.h).
enum class Values : std::uint8_t {
  any,     ///< whatever it is
  phrase,  ///< what people type: no flag, mask, enumeration or label
  code,    ///< as phrase, and with digits
  token,   ///< what programs make: also no path, time, number or address
  id,      ///< 16 characters or more that look random
};

struct ScrubRule {
  std::string id;      ///< "param-passwd"
  std::string reason;  ///< one line, for `tapedeck rules`
  Scope scope = Scope::json_key;
  /// A name (compared without case), a JSON path, an RE2 pattern or an ending of names (name_endings.h). A JSON path
  /// begins at the root ("data.sid"); `*` is any one key, a leading `**` any number of keys ("**.user.key"); arrays are
  /// no level of their own. Of a header that is Authorization only what follows the scheme is replaced.
  std::string match;
  /// Only in answers of, or requests to, this API (label left out); empty: any. "Core.Network.*" is all that begin so.
  std::string api;
  std::string method;  ///< only this method; empty: any
  SecretClass secret_class = SecretClass::secret;
  bool learn =
      false;  ///< its values are also searched for everywhere else, when they are long enough (docs/scrubbing.md)
  bool shipped = true;
  Values values = Values::any;
  bool in_url = false;  ///< of a pattern: its value is written with percent-encoding
  std::string beside = {};  ///< of a JSON key: only in objects that have this member as well; empty: any
};

/// The rule that a name matches.
struct RuleMatch {
  std::uint16_t rule = 0;   ///< its place in RuleSet::rules()
  bool is_setting = false;  ///< of a name such as "max_password": a secret only where the value looks random
};

/// Whether the rule holds in a call of that API (its first label left out) and method, in any case.
[[nodiscard]] bool covers(const ScrubRule& rule, std::string_view api_rest, std::string_view method);
/// The name under which the rule finds values, of a path its last key; empty for `*` and for patterns.
[[nodiscard]] std::string_view name_of(const ScrubRule& rule);

/// The inverse of to_string: "JSON_KEY" or "json_key"; nothing for another word.
[[nodiscard]] std::optional<Scope> scope_from(std::string_view word);
[[nodiscard]] std::optional<SecretClass> secret_class_from(std::string_view word);

/// The rules in force, in a fixed order. A change of the shipped ones is a new policy number (docs/architecture.md, "A
/// scrub rule").
class RuleSet {
 public:
  static constexpr int policy_number = 3;
  [[nodiscard]] static RuleSet defaults();
  /// To be filled by add().
  [[nodiscard]] static RuleSet none() { return {}; }

  /// Throws std::invalid_argument for an unknown id.
  void disable(std::string_view id);
  /// Throws std::invalid_argument with one clear line: an id taken twice, a pattern that RE2 refuses.
  void add(ScrubRule rule);
  [[nodiscard]] const std::vector<ScrubRule>& rules() const { return rules_; }
  [[nodiscard]] const std::vector<std::string>& disabled() const { return disabled_; }
  /// A line that tells policies apart: number, disabled ids and a hash of the added rules.
  [[nodiscard]] std::string fingerprint() const;

 private:
  std::vector<ScrubRule> rules_;
  std::vector<std::string> disabled_;
};

}  // namespace tapedeck::scrubbers
