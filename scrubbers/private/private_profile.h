#pragma once
// The private profile (toolkit §5): what is private and no secret gets pseudonyms, the same ones wherever it stands.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::scrubbers {

/// What was given under a key: kept where several cassettes must agree (private_key_file.h).
struct PrivateTable {
  struct Row {
    std::string original, pseudonym;
    bool is_text = false;  ///< also looked for outside of private names
  };
  std::string key;  ///< 32 bytes
  std::vector<Row> rows;
};

struct PrivateOptions {
  std::vector<std::string> keep;      ///< values that stay ([private] of tapedeck.toml)
  std::vector<std::string> replace;   ///< texts that are private wherever they stand
  std::optional<PrivateTable> table;  ///< goes on under its key; nothing: under a new one
  bool frozen = false;                ///< for replay: only what the table has is replaced
};

/// All calls may come from any thread.
class PrivateProfile {
 public:
  explicit PrivateProfile(PrivateOptions options);
  ~PrivateProfile();
  PrivateProfile(const PrivateProfile&) = delete;
  PrivateProfile& operator=(const PrivateProfile&) = delete;

  /// An account, met where nothing of it is stored.
  void learn_account(std::string_view name);
  /// Puts pseudonyms, and a row for each, into what is no redaction yet. True when anything changed; the key of the
  /// record is then not its request's any more.
  bool apply(InteractionRecord& record);
  /// A text of our own, with pseudonyms for what is known and for what is private by its shape.
  [[nodiscard]] std::string applied(std::string_view text);
  /// Grows with each text that is looked for from now on.
  [[nodiscard]] std::uint64_t generation() const;
  /// How many originals have a pseudonym.
  [[nodiscard]] std::uint64_t given() const;
  [[nodiscard]] PrivateTable table() const;

  /// The values of a request that have pseudonyms (of a frozen profile), as places in its table.
  using Brought = std::vector<std::size_t>;
  /// As apply(), of a request: its values are exchanged for their pseudonyms. Of a login nothing is changed.
  Brought exchange(http::Request& request);
  /// A value, or a path, as exchange() leaves it under a private name.
  [[nodiscard]] std::string pseudonym_of(std::string_view value) const;
  /// What stands in a row of class private, with the originals of what was brought: `brought` is sorted.
  [[nodiscard]] std::string written_back(std::string_view stored, std::string_view encoding,
                                         std::span<const std::size_t> brought) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::scrubbers
