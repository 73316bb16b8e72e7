#pragma once
// The cassettes of a server, and what becomes of them when one is replaced while it runs.

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/file_stamp.h"
#include "cassettes/read/cassette_reader.h"
#include "replay/recorded/scope_names.h"
#include "replay/recorded/usage.h"

namespace tapedeck::replay {

struct DeviceFacts;
struct ScopeRun;

/// A cassette as it was when it was opened; shared by all threads.
struct OpenCassette {
  /// Throws CassetteError.
  OpenCassette(const std::string& path, std::uint32_t id, bool counts_use);

  const std::uint32_t id;                  ///< what cursors know it by; never used again
  const cassettes::CassetteReader reader;  ///< played by one thread; clones of it by the others: see reader_of()
  const std::unique_ptr<const ScopeNames> scopes;  ///< null: it has none
  const std::unique_ptr<Usage> usage;              ///< null when nobody asks
  std::atomic<bool> is_played = false;             ///< a thread has the reader
  std::atomic<bool> is_over = false;               ///< nobody plays it any more
  std::atomic<bool> is_checked = false;            ///< check_pages() has begun with it
};

/// One for a thread that has none yet. The first thread gets the connection that is open already: another one takes a
/// thirtieth of a start. Throws CassetteError.
[[nodiscard]] std::shared_ptr<const cassettes::CassetteReader> reader_of(const std::shared_ptr<OpenCassette>& cassette);

/// All cassettes at one time. Immutable but for what is looked up in them.
struct CassetteSet {
  std::uint64_t version = 0;
  std::vector<std::shared_ptr<OpenCassette>> cassettes;  ///< in the command line's order
  std::vector<std::string> base_paths;                   ///< distinct ones, the longest first
  std::shared_ptr<DeviceFacts> facts;
  std::atomic<bool> is_over = false;  ///< who has begun with them goes on with the newest
};

/// What a scope's run plays to its end: the set that is the newest when this is first asked, as long as it is kept.
[[nodiscard]] std::shared_ptr<const CassetteSet> set_of(ScopeRun& run,
                                                        const std::shared_ptr<const CassetteSet>& newest);

/// Thread-safe. Replaced cassettes are noticed when somebody looks; whoever asks for the newest gets the new one, and
/// the old ones stay open for those that have begun with them: the last `most_kept` states of all cassettes.
class CassetteWatch {
 public:
  static constexpr std::size_t most_kept = 4;

  /// Opens them; throws CassetteError.
  CassetteWatch(std::vector<std::string> paths, bool counts_use);

  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }
  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  [[nodiscard]] std::shared_ptr<const CassetteSet> newest() const;

  /// Opens what has been put in a cassette's place (another file under its name) since the last look, once the file has
  /// stayed as it is from one look to the next. A file that cannot be opened leaves the old one in force. Returns lines
  /// for the log: one for each cassette that was replaced, and one for the first failure. From any thread that does not
  /// answer requests: opening takes a while.
  [[nodiscard]] std::vector<std::string> look_again();

 private:
  struct Watched {
    std::optional<base::FileId> playing;
    std::optional<base::FileStamp> seen;     ///< at the last look
    std::optional<base::FileStamp> refused;  ///< what could not be opened
    bool was_told = false;                   ///< of a failure since the last success
  };
  [[nodiscard]] std::shared_ptr<OpenCassette> replacement(std::size_t place, std::vector<std::string>& lines);
  void put(std::vector<std::shared_ptr<OpenCassette>> cassettes);

  const std::vector<std::string> paths_;
  const bool counts_use_;
  std::atomic<std::uint64_t> version_ = 0;
  std::mutex looking_;  ///< one look at a time; guards `watched_` and `cassettes_made_`
  std::vector<Watched> watched_;
  std::uint32_t cassettes_made_ = 0;
  mutable std::mutex mutex_;                       ///< guards `kept_`
  std::deque<std::shared_ptr<CassetteSet>> kept_;  ///< the newest last
};

/// One line for each thing about the cassette that people should know before they rely on it.
[[nodiscard]] std::vector<std::string> warnings_of(const std::string& path, const cassettes::CassetteInfo& info);

}  // namespace tapedeck::replay
