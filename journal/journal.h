#pragma once
// Records why each request got its response. Keeps the last entries in memory, and writes all of them as JSON lines to
// a file, if requested.

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "api/transcript.h"
#include "journal/kept_request.h"

namespace tapedeck::journal {

/// One request and its result. Contains no value from a client, except in `key`, `scope`, and the `reason` of a refused
/// request, which names its Host or Origin.
struct JournalEntry {
  std::uint64_t number = 0;            ///< from 1, in the order of the responses; set by the journal
  std::int64_t at_us = 0;              ///< microseconds since the journal was created; set by the journal
  std::string session;                 ///< "session 3" or "no session"; never an ID
  std::string scope;                   ///< name with its run (api::ScopeName); empty: none
  std::string verb;                    ///< such as "GET"
  std::string api, version, method;    ///< for a call, with the method in lower case; empty for other requests
  std::string key;                     ///< scrubbed (journal/journal_key.h)
  std::optional<unsigned> part;        ///< the index of a part of a compound, from 0
  std::string outcome;                 ///< as in X-Tapedeck-Outcome; for `record`, the result for the interaction
  std::string recording;               ///< ID of the recorded response
  std::optional<unsigned> position;    ///< its index in the sequence, from 0
  std::optional<unsigned> of;          ///< the length of the sequence
  std::string match;                   ///< the inexact way in which it matched
  std::string overlay;                 ///< names of the overlays that were used, from the top
  int status = 0;                      ///< the HTTP status
  std::optional<int> code;             ///< code of the error envelope; 0 for a recorded success
  std::string reason;                  ///< why it is a miss, was refused, or was not stored as a whole
  std::optional<std::uint64_t> bytes;  ///< size of the response body
  /// Microseconds from the complete request to the response; while recording, to the end of the device's response.
  std::optional<std::int64_t> duration_us;
  std::optional<api::MessageCounts> messages;  ///< of a WebSocket, whose entry is added at its end
};
using JournalLine = std::shared_ptr<const JournalEntry>;

/// Members of an entry with text from a client or a device, with their names in to_json().
struct NamedMember {
  std::string_view name;
  std::string JournalEntry::*text;
};
inline constexpr std::array<NamedMember, 8> named_members = {{{"scope", &JournalEntry::scope},
                                                              {"verb", &JournalEntry::verb},
                                                              {"api", &JournalEntry::api},
                                                              {"version", &JournalEntry::version},
                                                              {"method", &JournalEntry::method},
                                                              {"key", &JournalEntry::key},
                                                              {"match", &JournalEntry::match},
                                                              {"reason", &JournalEntry::reason}}};
/// Removes the secrets that are known at the time of the call from a text. Thread-safe.
using Hide = std::function<std::string(std::string_view text)>;

/// Returns a JSON object on one line. Leaves out empty members.
[[nodiscard]] std::string to_json(const JournalEntry& entry);

/// Selects entries that are equal in every field that is set.
struct JournalMatch {
  std::optional<std::string> api;  ///< with or without its first label
  std::optional<std::string> version, method, outcome, session, scope, verb, key, recording;
  std::optional<int> status, code;
  [[nodiscard]] bool fits(const JournalEntry& entry) const;
};

struct JournalOptions {
  std::size_t capacity = 10'000;  ///< entries kept in memory; the oldest are dropped
  std::string file;               ///< empty: none
  /// The maximum size of all KeptRequests in bytes. The oldest ones are dropped first. With 0, none are kept.
  std::size_t kept_bytes = 0;
};

/// The number of responses of one kind since the start.
struct JournalTotal {
  std::string api, method, outcome;
  std::uint64_t count = 0;
};

/// Thread-safe. Adding an entry needs one allocation and one short lock. A separate thread writes the file. If the disk
/// is too slow, lines are left out of the file and counted.
class Journal {
 public:
  /// Creates the file with mode 0600, or appends to it. Throws std::runtime_error with one line on failure.
  explicit Journal(JournalOptions options = {});
  /// Writes the remaining lines. Lines in a part file (hide_with) stay there unless finish_file() was called.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Sets the function that removes secrets from texts. It is called when an entry is added, and again when the entry
  /// is read, because more secrets are known then. The file gets the following lines only in finish_file(); until then
  /// they are in a part file of this run, "FILE.part-1". Do not call it while entries are being added. Throws
  /// std::runtime_error with one line if the part file cannot be created.
  void hide_with(Hide hide);
  [[nodiscard]] std::string hidden(std::string_view text) const;

  /// Adds an entry and returns its number. `kept` has its details, which are dropped first when memory is needed.
  std::uint64_t add(JournalEntry entry, std::shared_ptr<const KeptRequest> kept = nullptr);
  /// Returns true if details are kept, so that the caller should create them.
  [[nodiscard]] bool keeps() const { return most_kept_ > 0; }
  /// Returns the details of an entry, or null if there are none or they were dropped.
  [[nodiscard]] std::shared_ptr<const KeptRequest> kept(std::uint64_t number) const;

  /// Returns the `at_us` that an entry would get now.
  [[nodiscard]] std::int64_t now_us() const;
  [[nodiscard]] std::uint64_t total() const;
  /// Returns the number of the oldest kept entry, or total() + 1 if there is none.
  [[nodiscard]] std::uint64_t oldest() const;
  /// Returns at most `limit` of the kept entries, in order, starting with number `from`.
  [[nodiscard]] std::vector<JournalLine> entries(std::uint64_t from, std::size_t limit) const;
  /// Waits until total() is more than `number`. Returns false after the deadline and after stop_waiting().
  [[nodiscard]] bool wait_beyond(std::uint64_t number, std::chrono::steady_clock::time_point deadline) const;
  /// Ends all current and future waits. A server calls it before it stops.
  void stop_waiting();
  /// Returns totals by API, method, and outcome, sorted. After 10,000 of them, counts further ones as API "(other)".
  [[nodiscard]] std::vector<JournalTotal> totals() const;
  /// Appends the lines of the part file to the file, and removes it. `clean` changes them before, to remove secrets
  /// that were learned later; other runs may append to the file meanwhile. Nothing may be added afterwards.
  void finish_file(const std::function<std::string(std::string_view lines)>& clean);
  /// Returns the number of lines that are missing in the file because the disk was too slow or full.
  [[nodiscard]] std::uint64_t not_written() const;

 private:
  class File;
  using Kind = std::tuple<std::string, std::string, std::string>;
  using Totals = std::map<Kind, std::uint64_t, std::less<>>;

  /// Requires that the mutex is locked.
  void count(const JournalEntry& entry);
  [[nodiscard]] std::shared_ptr<const Hide> hide() const;
  using Kept = std::shared_ptr<const KeptRequest>;
  /// Stores the details of the last entry. Moves dropped details to `gone`, to be freed after the lock is released.
  void keep(Kept kept, std::vector<Kept>& gone);

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  mutable std::condition_variable added_;
  // All members below are guarded by mutex_.
  mutable unsigned waiting_ = 0;
  bool stopped_ = false;
  std::shared_ptr<const Hide> hide_;  ///< null if nothing is hidden
  std::uint64_t total_ = 0;
  std::vector<JournalLine> ring_;
  const std::size_t most_kept_;                           ///< bytes
  std::vector<std::shared_ptr<const KeptRequest>> kept_;  ///< parallel to ring_; empty if nothing is kept
  std::size_t kept_bytes_ = 0;
  std::uint64_t oldest_kept_ = 1;  ///< details of older entries are dropped
  std::unique_ptr<File> file_;
  Totals totals_;
};

}  // namespace tapedeck::journal
