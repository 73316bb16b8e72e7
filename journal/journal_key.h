#pragma once
// Removes secrets from keys for the journal, because clients send real passwords to a replay server, too
// (docs/control-api.md, "The journal").

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/request_key.h"
#include "journal/kept_request.h"
#include "scrubbers/rules/compiled_rules.h"

namespace tapedeck::journal {

/// Scrubs keys of requests that no recording matches exactly; recorded keys are already scrubbed. Immutable.
class JournalKeys {
 public:
  explicit JournalKeys(const scrubbers::RuleSet& rules);

  /// Returns the key's text with labels in place of secret values. A value is secret if a rule names it, if it mentions
  /// such a name (JSON, URL), if it contains credentials or a private key, or if it repeats another secret value of the
  /// request. Leaves out the hash of a body, from which a short secret could be guessed. Stops after `most` bytes.
  [[nodiscard]] std::string text(const api::RequestKey& key, const api::Call* call,
                                 std::size_t most = std::string::npos) const;

  /// Returns the values of the request that a rule names, for texts that may repeat them.
  [[nodiscard]] std::vector<HiddenValue> secret_values(const api::RequestKey& key, const api::Call* call) const;
  /// Returns true if a rule names the parameter of the call, or if the parameter's value mentions such a name.
  [[nodiscard]] bool is_secret(const api::Param& param, const api::Call& call) const;

 private:
  struct Name {
    std::string name;  ///< in lower case
    std::string label;
    scrubbers::ScrubRule rule;  ///< for a JSON key: only applied inside values
  };
  [[nodiscard]] const Name* named(std::string_view parameter, const api::RequestKey& key) const;
  /// Returns the label of a value whose name ends like a secret's and that is not a flag or mask; empty: none.
  [[nodiscard]] std::string label_by_ending(std::string_view parameter, std::string_view value) const;
  [[nodiscard]] bool mentions_secret(std::string_view value) const;
  [[nodiscard]] bool mentions_ending(std::string_view value) const;
  [[nodiscard]] std::vector<std::string> secrets_of(const api::Call* call, const api::RequestKey& key) const;

  std::vector<Name> names_;
  std::shared_ptr<const scrubbers::CompiledRules> rules_;
};

}  // namespace tapedeck::journal
