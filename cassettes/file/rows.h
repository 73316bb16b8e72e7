#pragma once
// Reads and writes the rows that cassettes and recordings have in common (docs/cassette-format.md): takes, the shared
// columns of interactions, events, redactions, and the reviewed findings of the leak scan. All errors of readers are
// Damage.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/file/connection.h"
#include "cassettes/file/take.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// Returns the takes by number. Throws Damage if there are more than a million.
[[nodiscard]] std::vector<Take> read_takes(SQLite::Database& database);
void insert_take(SQLite::Database& database, const Take& take);

/// Returns a statement that selects the columns of an interaction that are the same in a cassette and a recording, with
/// its key's `has_holes`, and then `rest`.
[[nodiscard]] std::string select_shared(std::string_view rest);
/// The number of the first column after them.
inline constexpr int after_shared = 15;
/// Reads them from a row.
[[nodiscard]] scrubbers::InteractionRecord shared_columns_of(const Query& row);

/// The rows of `event` and `redaction` of interactions.
class DetailRows {
 public:
  explicit DetailRows(SQLite::Database& database);
  /// Leaves out events that are not after the one before. After a failure, the next interaction is tried normally.
  void write(std::int64_t interaction, const scrubbers::InteractionRecord& record);
  /// Adds both to a record that has its texts, and checks them.
  void read(std::int64_t interaction, scrubbers::InteractionRecord& record);
  /// Returns the redactions of the parts from `first_part` on, in order.
  [[nodiscard]] std::vector<scrubbers::Redaction> redactions(std::int64_t interaction, scrubbers::Part first_part);

 private:
  void write_events(std::int64_t interaction, const scrubbers::InteractionRecord& record);
  void read_events(std::int64_t interaction, scrubbers::InteractionRecord& record);

  Query add_event_, add_redaction_, events_, redactions_;
};

/// The length of each part's text, in the order of scrubbers::Part.
struct PartSizes {
  std::uint64_t of[6] = {};
};
/// Throws Damage unless the redactions are sorted, do not overlap, and are inside their texts.
void check_redactions(const std::vector<scrubbers::Redaction>& redactions, const PartSizes& sizes);
void check_redactions(const scrubbers::InteractionRecord& record);

/// The maximum number of reviewed findings in a cassette. It can be small, because a person reviews each finding.
inline constexpr std::size_t most_allowed = 10'000;
/// Reads the rows `allowed:<fingerprint>` of the table `meta`. Throws Damage for rows that the format does not define,
/// and for too many fingerprints.
/// Returns the check value of an account in that column, if it has one.
[[nodiscard]] std::optional<std::uint8_t> check_in(const Query& row, int column);
[[nodiscard]] Fingerprints read_allowed(SQLite::Database& database);
void insert_allowed(SQLite::Database& database, const Fingerprints& allowed);

}  // namespace tapedeck::cassettes
