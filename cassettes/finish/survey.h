#pragma once
// Implements the first half of finishing: reads every interaction once, scrubs it again if requested, and keeps only
// the data for sorting. The second half reads the bodies again in the final order.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cassettes/file/format.h"
#include "cassettes/file/interaction_id.h"
#include "cassettes/file/rows.h"
#include "cassettes/finish/asides.h"
#include "cassettes/finish/begun_sessions.h"
#include "cassettes/finish/finish.h"
#include "cassettes/finish/lanes.h"
#include "cassettes/finish/material.h"
#include "cassettes/finish/recorded_scopes.h"
#include "cassettes/finish/request_secrets.h"
#include "cassettes/write/recorded_rows.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cassettes {

/// Receives the step, the processed bytes, and the total. Throws to stop.
using Progress = std::function<void(const char* step, std::uint64_t done, std::uint64_t total)>;

/// Content that is left out because of the leak scan.
struct Withheld {
  /// IDs of interactions in hex, and the reason for each in one line. Their bodies, and all but safe headers, go.
  std::map<std::string, std::string> interactions;
  std::set<std::string> requests;                        ///< of these, the ones whose requests go as well
  std::set<std::pair<std::string, std::int64_t>> texts;  ///< rows of `take`, `scope`, and `mark` whose texts go

  [[nodiscard]] std::size_t size() const { return interactions.size() + requests.size() + texts.size(); }
};

/// Why a cassette is written.
enum class Why {
  ended,      ///< the recording ended normally; the scrubber knows its values, and its take is verified
  killed,     ///< its recorder was killed; its take stays unverified
  rescrub,    ///< everything is scrubbed again; takes are verified only with FinishOptions::knows_values
  edit,       ///< only edited interactions are scrubbed, and everything if the scrubber learned from them
  read_copy,  ///< to read an unfinished recording, whose take stays unfinished
};

struct CanonicalOptions {
  Why why = Why::rescrub;
  FinishOptions finish;                ///< `keep`, `unless_empty`, and the scan are the caller's
  std::uint64_t first_generation = 0;  ///< generation of the scrubber before any of this was read
  Withheld withheld;
  Progress progress = [](const char*, std::uint64_t, std::uint64_t) {};
};

struct Row {
  bool recorded = false;  ///< true if it is from the recording, false if it is from the material
  bool edited = false;    ///< MaterialItem::edited
  std::int64_t id = 0;    ///< the row in its source
  std::uint32_t take = 0;
  std::uint32_t scope = 0;                ///< index into Survey::scopes
  std::int64_t arrival = 0;               ///< position in the take
  std::int64_t generation = 0;            ///< generation of the scrubber that scrubbed it; 0: unknown
  bool changed = false;                   ///< true if scrubbing again changed it
  const std::string* withheld = nullptr;  ///< the reason (Withheld::interactions)
  bool keeps_request = true;              ///< false if it is in Withheld::requests
  std::uint32_t begins = 0;               ///< the session that it begins without a login; in the recording's numbers
  bool has_holes = false;                 ///< RequestKey::has_holes of its key
  std::uint32_t secrets = 0;              ///< result of RequestSecrets::add
  /// True if its envelope reports success; without an envelope, decided by its status.
  bool says_success = false;
  Step step;              ///< step.key is an index into Survey::keys, later the rank among them
  std::uint32_t ord = 0;  ///< its place within the take, from 1
  /// The ID, or a digest of the content until the ID is known.
  Digest digest{};
};

/// Numbers sessions, accounts, and values without a session by first appearance in their take and scope, so that
/// numbers do not depend on which response ended first. Takes that are already finished keep their numbers.
class Numbering {
 public:
  /// The time when a value appears. Smaller tuples are earlier.
  using Moment = std::tuple<int, std::int64_t, std::int64_t, std::int64_t, std::size_t>;

  void note(const Row& row, const scrubbers::InteractionRecord& record);
  /// Notes the session that the interaction begins (Row::begins).
  void note_begun(const Row& row);
  /// Assigns the numbers. Call it after the last note().
  void assign();
  void apply(const Row& row, scrubbers::InteractionRecord& record) const;
  void apply(const Row& row, scrubbers::Redaction& redaction) const;
  [[nodiscard]] std::uint32_t session(const Row& row, std::uint32_t old) const;
  [[nodiscard]] std::uint32_t account(const Row& row, std::uint32_t old) const;

 private:
  /// take, scope, kind (0 session, 1 account, 2 + class for values without a session), old number
  using Name = std::tuple<std::uint32_t, std::uint32_t, int, std::uint32_t>;
  void note_one(const Row& row, int kind, std::uint32_t old, const Moment& moment);
  [[nodiscard]] std::uint32_t number(const Row& row, int kind, std::uint32_t old) const;

  std::map<Name, Moment> first_;
  std::map<Name, std::uint32_t> numbers_;
};

/// The data about all interactions that finishing needs at the same time: about 150 bytes for each, and the texts of
/// keys.
class Survey {
 public:
  /// Reads everything. Throws Damage. `head` is the material's; `recording` has one additional take, or is null.
  Survey(Material& material, const MaterialHead& head, SQLite::Database* recording, const CanonicalOptions& options);

  struct Key {
    std::uint32_t scope = 0;
    std::string text;
    std::uint32_t part = 0;  ///< as Step::part
  };
  /// take and scope
  using Part = std::pair<std::uint32_t, std::uint32_t>;

  /// The scope and text of a key. Aside::key is an index of these.
  struct AsideKey {
    std::uint32_t scope = 0;
    std::string text;
  };

  [[nodiscard]] const RequestSecrets::Result& secrets(std::uint32_t number) const { return secrets_.result(number); }
  /// Returns the number of the account whose login created the session, both in new numbers; 0 if the login is missing.
  [[nodiscard]] std::uint32_t account(const Part& part, std::uint32_t session) const;
  /// Returns the check value of an account, in new numbers.
  [[nodiscard]] std::optional<std::uint8_t> check_of(const Part& part, std::uint32_t account) const;
  /// Returns the sessions of a take that is already finished, or null.
  [[nodiscard]] const std::map<std::uint32_t, SessionSpan>* stored_sessions(const Part& part) const;

  /// Returns the interaction in the form in which it is written: scrubbed again if that changes it, with new numbers.
  /// `change`, if not null, receives the changes by scrubbing, without the ID.
  [[nodiscard]] scrubbers::InteractionRecord load(const Row& row, ScrubbedAgain* change = nullptr);

  std::vector<Row> rows;  ///< sorted by take and in recorded order
  std::vector<Key> keys;
  std::vector<Aside> asides;  ///< those of all rows; Step::first_aside is an index of these
  std::vector<AsideKey> aside_keys;
  std::vector<std::string> scopes;  ///< names in order of first appearance; number 0 is the empty name
  std::vector<Take> takes;
  std::vector<Mark> marks;          ///< in their order
  std::map<Part, KeptRun> parts;    ///< the recorded scopes of each take, including scopes without a call
  std::uint32_t recorded_take = 0;  ///< number of the recording's take; 0 if there is none
  std::uint64_t bytes = 0;
  std::uint64_t scrubbed_late = 0;  ///< interactions that changed when they were scrubbed again

 private:
  void read_all(SQLite::Database* recording);
  void read_stored();
  void read_recorded(SQLite::Database& recording);
  void read_sessions();
  void read_accounts(SQLite::Database* recording);
  void number_account(Row& row);
  void read_marks(SQLite::Database* recording);
  void add_mark(const Mark& mark);
  void take_in(Row row);
  void take_in_asides(Row& row, const scrubbers::InteractionRecord& record);
  void find_parts();
  void note_address(std::uint32_t take, const scrubbers::InteractionRecord& record);
  void begin_sessions();
  void compute_secrets();
  void sort_and_number();
  void make_ids();
  void mark_withheld();
  void drop_unused_keys();
  [[nodiscard]] std::uint32_t scope_number(const std::string& name);
  [[nodiscard]] Take& take_of(std::uint32_t number);
  [[nodiscard]] scrubbers::InteractionRecord stored(const Row& row);
  [[nodiscard]] scrubbers::InteractionRecord scrubbed_again(const Row& row, scrubbers::InteractionRecord record,
                                                            ScrubbedAgain* change);
  [[nodiscard]] scrubbers::Scrubber::Numbers numbers_in(const Row& row) const;
  [[nodiscard]] bool is_to_be_scrubbed(const Row& row) const;
  [[nodiscard]] std::string own_text(std::string text) const;
  /// Returns a scope's name in the form in which it is stored.
  [[nodiscard]] std::string own_scope(std::string name) const;

  const CanonicalOptions& options_;
  scrubbers::Scrubber* scrubber_;
  Material& material_;
  const MaterialHead& head_;
  std::unique_ptr<RecordedReader> recorded_;
  std::unordered_map<std::string, std::uint32_t> key_numbers_;  ///< key: scope and text
  std::map<std::string, std::uint32_t, std::less<>> scope_numbers_;
  std::map<Part, std::map<std::uint32_t, SessionSpan>> stored_sessions_;
  std::unordered_map<std::string, std::uint32_t> aside_key_numbers_;  ///< key: scope and text
  Numbering numbering_;
  BegunSessions begun_;
  /// The device's address in a take: as the take has it, and with pseudonyms; and the one that a stored text contains.
  struct Address {
    std::array<std::string, 2> spellings;
    std::string mentioned;
  };
  std::map<std::uint32_t, Address> addresses_;  ///< by take
  RequestSecrets secrets_;
  std::map<Part, std::map<std::uint32_t, std::uint32_t>> accounts_;
  std::map<std::pair<Part, std::uint32_t>, std::uint8_t> checks_;
  scrubbers::AccountChecks recorded_checks_;                             ///< by the recording's own numbers
  std::map<Part, std::map<std::uint32_t, std::uint32_t>> old_accounts_;  ///< the recording's own numbers
};

}  // namespace tapedeck::cassettes
