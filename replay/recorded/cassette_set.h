#pragma once
// Opens the cassettes of a server, and replaces them while it runs.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/catalog.h"
#include "api/identity_headers.h"
#include "base/file_stamp.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/request_identity.h"
#include "replay/recorded/recorded_scope.h"
#include "replay/recorded/usage.h"

namespace tapedeck::replay {

/// One member of `data` in a complete API.Info response.
struct InfoEntry {
  api::ApiName name;
  std::string_view value;  ///< the recorded bytes: {"maxVersion":2,…}
  std::optional<api::VersionRange> versions;
};

/// A recorded response that lists all APIs, with stand-ins in place of the session's values.
struct RecordedInfo {
  std::shared_ptr<const std::string> body;
  std::vector<InfoEntry> entries;  ///< in recorded order; views into `body`
};

/// Facts that are computed from all cassettes together, once when they are needed.
struct DeviceFacts {
  std::once_flag info_once, composed_once, effects_once, refusal_once, writing_once;
  std::optional<RecordedInfo> info;  ///< empty if no complete response is recorded
  std::map<std::string, api::VersionRange> composed;
  std::map<std::string, std::string> effects;  ///< suggested effects by the pattern of their writes
  std::set<std::string> writing_scopes;        ///< stored names of the scopes that contain a write
  std::optional<std::string> refusal;          ///< a recorded body with error 119
};

/// An opened cassette, shared by all threads.
struct OpenCassette {
  /// Throws CassetteError.
  OpenCassette(const std::string& path, std::uint32_t id, bool counts_use);

  const std::uint32_t id;                          ///< identifies the cassette for positions; never reused
  const cassettes::CassetteReader reader;          ///< used by one thread; the others clone it (reader_of())
  const std::unique_ptr<const ScopeNames> scopes;  ///< null if the cassette has no scopes
  const std::unique_ptr<Usage> usage;              ///< null if use is not counted
  std::atomic<bool> is_played = false;             ///< true if a thread uses the reader
  std::atomic<bool> is_checked = false;            ///< true if check_pages() has started
};

/// Returns a reader for a thread that has none yet. The first thread gets the connection that is already open, because
/// opening another one takes time at startup. Throws CassetteError.
[[nodiscard]] std::shared_ptr<const cassettes::CassetteReader> reader_of(const std::shared_ptr<OpenCassette>& cassette);

/// All cassettes at one point in time. Immutable, except for caches.
struct CassetteSet {
  std::uint64_t version = 0;
  std::vector<std::shared_ptr<OpenCassette>> cassettes;  ///< in the order of the command line
  std::vector<std::string> base_paths;                   ///< without duplicates, longest first
  std::string device;                                    ///< CassetteInfo::device of the first cassette that has one
  api::IdentityHeaders identity;                         ///< the headers that tell requests apart
  /// The values of these headers in the requests of each cassette.
  std::vector<std::shared_ptr<const cassettes::RequestIdentities>> identities;
  std::shared_ptr<DeviceFacts> facts;
};

/// Notices replaced cassettes in look_again(). After that, newest() returns the new ones. Thread-safe.
class CassetteWatch {
 public:
  /// Opens the cassettes. `match_headers` are headers that tell requests apart, besides the known and learned ones.
  /// Throws CassetteError.
  CassetteWatch(std::vector<std::string> paths, bool counts_use, std::vector<std::string> match_headers);

  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }
  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  [[nodiscard]] std::shared_ptr<const CassetteSet> newest() const;

  /// Opens cassettes that were replaced (another file under their name) since the last call, once the file is unchanged
  /// from one call to the next. If a file cannot be opened, the old one stays in use. Returns lines for the log: one
  /// for each replaced cassette, and one for the first failure. Slow: do not call it on a thread that handles requests.
  [[nodiscard]] std::vector<std::string> look_again();

 private:
  struct Watched {
    std::optional<base::FileId> playing;
    std::optional<base::FileStamp> seen;     ///< stamp at the last call
    std::optional<base::FileStamp> refused;  ///< stamp of a file that could not be opened
    bool was_told = false;                   ///< true if a failure was logged since the last success
  };
  [[nodiscard]] std::shared_ptr<OpenCassette> replacement(std::size_t place, std::vector<std::string>& lines);
  void put(std::vector<std::shared_ptr<OpenCassette>> cassettes);
  void identify(CassetteSet& set) const;

  const std::vector<std::string> paths_;
  const bool counts_use_;
  const std::vector<std::string> match_headers_;
  std::atomic<std::uint64_t> version_ = 0;
  std::mutex looking_;  ///< locked by look_again(); guards `watched_` and `cassettes_made_`
  std::vector<Watched> watched_;
  std::uint32_t cassettes_made_ = 0;
  mutable std::mutex mutex_;  ///< guards `newest_`
  std::shared_ptr<const CassetteSet> newest_;
};

/// Returns one line for each problem of the cassette that matters to its users, such as an unfinished take.
[[nodiscard]] std::vector<std::string> warnings_of(const std::string& path, const cassettes::CassetteInfo& info);

}  // namespace tapedeck::replay
