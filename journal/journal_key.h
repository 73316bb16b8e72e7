#pragma once
// Keys as the journal may hold them: clients send real passwords to a replay server too (design §5.6).

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/request_key.h"
#include "journal/kept_request.h"
#include "scrubbers/rules/compiled_rules.h"

namespace tapedeck::journal {

/// Immutable. A recorded key is scrubbed already; this is for keys of requests that no recording answered exactly.
class JournalKeys {
 public:
  explicit JournalKeys(const scrubbers::RuleSet& rules);

  /// The key's text, with a label in place of each value that a rule names by its parameter, that mentions such a name
  /// (JSON, URL), that holds credentials or a private key, or that repeats another value of the request that a rule
  /// names. The hash of a body is left out: a short secret could be guessed from it. It ends with
  /// the parameter with which it is longer than `most` bytes.
  [[nodiscard]] std::string text(const api::RequestKey& key, const api::Call* call,
                                 std::size_t most = std::string::npos) const;

  /// The request's values that a rule names, as they were sent: for texts that could repeat them.
  [[nodiscard]] std::vector<HiddenValue> secret_values(const api::RequestKey& key, const api::Call* call) const;
  /// Whether a rule names the parameter of that call, or its value mentions such a name.
  [[nodiscard]] bool is_secret(const api::Param& param, const api::Call& call) const;

 private:
  struct Name {
    std::string name;  ///< folded
    std::string label;
    scrubbers::ScrubRule rule;  ///< of a JSON key: only looked for inside values
  };
  [[nodiscard]] const Name* named(std::string_view parameter, const api::RequestKey& key) const;
  /// The label of a value whose name ends like a secret's and that is no flag, mask or the like; empty: none.
  [[nodiscard]] std::string label_by_ending(std::string_view parameter, std::string_view value) const;
  [[nodiscard]] bool mentions_secret(std::string_view value) const;
  [[nodiscard]] bool mentions_ending(std::string_view value) const;
  [[nodiscard]] std::vector<std::string> secrets_of(const api::Call* call, const api::RequestKey& key) const;

  std::vector<Name> names_;
  std::shared_ptr<const scrubbers::CompiledRules> rules_;
};

}  // namespace tapedeck::journal
