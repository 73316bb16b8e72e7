#pragma once
// The private profile (docs/secrets.md, "Private data"): replaces private data with pseudonyms that are the same
// everywhere.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/private/pseudonyms.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::base {
class TomlFile;
}

namespace tapedeck::scrubbers {

struct PrivateOptions {
  std::vector<std::string> keep;      ///< values that stay ([private] of tapedeck.toml)
  std::vector<std::string> replace;   ///< texts that are private everywhere
  std::optional<PrivateTable> table;  ///< continues with its key; without it, a new key is made
  bool frozen = false;                ///< for replay: replace only what the table contains
};

/// Adds `keep` and `replace` of the table [private] of a tapedeck.toml. Throws std::invalid_argument with file and
/// line.
void apply_private(const base::TomlFile& file, PrivateOptions& options);

/// Thread-safe.
class PrivateProfile {
 public:
  explicit PrivateProfile(PrivateOptions options);
  ~PrivateProfile();
  PrivateProfile(const PrivateProfile&) = delete;
  PrivateProfile& operator=(const PrivateProfile&) = delete;

  /// Learns an account that is not stored itself.
  void learn_account(std::string_view name);
  /// Adds pseudonyms, with a redaction for each, outside of existing redactions. Returns true if anything changed; the
  /// record's key then no longer matches its request.
  bool apply(InteractionRecord& record);
  /// Returns a text, such as a key, with pseudonyms for known values and for values that are private because of their
  /// shape.
  [[nodiscard]] std::string applied(std::string_view text);
  /// Returns a number that increases with each learned text.
  [[nodiscard]] std::uint64_t generation() const;
  [[nodiscard]] PrivateTable table() const;

  /// The values of a request that have pseudonyms in a frozen profile, as indexes of its table.
  using Brought = std::vector<std::size_t>;
  /// Replaces the values of a request by their pseudonyms, as apply() does. Does not change logins.
  Brought exchange(http::Request& request);
  /// Returns a value or path as exchange() would replace it under a private name.
  [[nodiscard]] std::string pseudonym_of(std::string_view value) const;
  /// Returns the text of a redaction of class private_data with the originals in `brought`, which is sorted.
  [[nodiscard]] std::string written_back(std::string_view stored, const Encoding& encoding,
                                         std::span<const std::size_t> brought) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::scrubbers
