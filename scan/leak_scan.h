#pragma once
// The independent leak scan: searches finished bytes and files for secrets that should not be there.
//
// It shares only the codecs of base/ with the scrubber, so that it can find the scrubber's mistakes. The scrubber
// searches for encoded secrets; the scan decodes: it searches the bytes, decodes each part that looks encoded (percent,
// JSON escapes, base64, hex, gzip, zstd), and searches the result in the same way, up to five levels deep. SQLite files
// are read twice: row by row through SQL, and page by page, which also shows deleted rows. Write-ahead logs and
// unfinished recordings are read only page by page.
//
// It does not change files, does not follow symbolic links in folders, and does not reveal values in findings, notes,
// or errors. Do not scan a file that this process has open through SQLite: closing the scan's descriptor would drop
// SQLite's POSIX locks.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/secret_arena.h"

namespace tapedeck::scan {

/// How a learned value is searched for. Each way finds more than the previous one.
enum class Search {
  named,  ///< only as a whole value beside a telling name (`passwd=…`, `"otp_code":"…"`); for short and common values
  word,      ///< without an ASCII letter or digit beside it; base64 and hex of short values are not decoded
  anywhere,  ///< every occurrence, in every encoding
};

/// The secrets of a run, for which the scan searches. Not thread-safe.
class LearnedValues {
 public:
  /// Shorter values are only searched for beside telling names.
  static constexpr std::size_t min_anywhere = 8;
  /// The length of the shortest value that can be searched for as a word.
  static constexpr std::size_t min_word = 3;

  LearnedValues() = default;
  LearnedValues(LearnedValues&&) noexcept = default;
  LearnedValues& operator=(LearnedValues&&) noexcept = default;

  /// Adds a value of any bytes. Ignores an empty value. A value that is added twice gets the search that finds more.
  /// Uses `named` for a value that is shorter than min_anywhere (for `word`: shorter than min_word).
  void add(std::string_view value, Search search = Search::anywhere);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  struct Entry {
    std::string_view value;
    Search search;
  };
  /// Returns the entries in the order in which they were added. The views are valid as long as this object exists.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  base::SecretArena arena_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, std::size_t> known_;  ///< index in `entries_`
};

/// A place where a secret was found.
struct Finding {
  std::string path;        ///< the file; `<withheld>` replaces a part of the path that contains the value
  std::string place;       ///< "body.bytes row 12", "offset 83" (0 if decoded)
  std::string table;       ///< for a row: its table
  std::string column;      ///< for a row: its column
  std::int64_t rowid = 0;  ///< for a row: its rowid (in a table without rowids, its number)
  std::string rule;        ///< "learned-value", "learned-named", "named:<name>", "jwt", "private-key", "url-userinfo"
  std::string via;         ///< how it was decoded, outermost first: "zstd>base64>percent"; empty if it was not encoded
  bool learned = false;    ///< false: a heuristic finding
  std::size_t learned_index = 0;  ///< for a learned value: the index in LearnedValues::entries()
  /// Identifies a finding by 32 hex digits, which are equal for all runs and machines: a hash of rule, value, and place
  /// without its numbers, with a public salt. For a learned finding, the value is left out, because a weak password
  /// could be guessed from its hash.
  std::string fingerprint;
};

struct ScanOptions {
  const LearnedValues* learned = nullptr;      ///< null: heuristics only
  bool heuristics = true;                      ///< false: learned values only
  std::set<std::string, std::less<>> allowed;  ///< fingerprints of reviewed heuristic findings
  /// Use a cassette's own list of reviewed findings for that file (docs/cassette-format.md, table `meta`).
  bool file_allows = true;
  /// True for a cassette that this process has just written. Only texts and blobs in its rows are searched, because its
  /// schema and numbers are Tapedeck's own and it has no deleted rows.
  bool just_written = false;
  /// Maximum decoded bytes of one item (a column of a row, a window of a file), in addition to 32 times its size.
  std::uint64_t item_budget = 128ull << 20;
  /// Maximum decoded bytes of one file, in addition to 100 times its size.
  std::uint64_t file_budget = 1ull << 30;
  /// Called about every 4 MiB, with numbers of bytes.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

struct ScanReport {
  std::vector<Finding> findings;  ///< in the order of files
  std::uint64_t learned = 0;      ///< the number of all learned findings
  std::uint64_t heuristic = 0;    ///< the number of all heuristic findings that are not allowed
  std::uint64_t allowed = 0;
  std::uint64_t allowed_by_file = 0;           ///< the number that are allowed only by the file's own list
  std::set<std::string, std::less<>> matched;  ///< the entries of ScanOptions::allowed that were found
  std::uint64_t files = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_decoded = 0;
  /// Cassettes that may contain secrets that were learned later, and the reasons ("x.cassette: is unverified …"). They
  /// were searched, but they may contain secrets even without findings.
  std::vector<std::string> unsettled;
  /// A cassette without such problems.
  struct Cassette {
    std::filesystem::path path;
    std::string shown;  ///< the path for display
  };
  std::vector<Cassette> settled;
  /// Places that could not be searched completely, and the reasons ("x.cassette: offset 7: decoding budget used up").
  /// Treat any entry as a failure.
  std::vector<std::string> incomplete;
  /// The places of findings in rows of databases.
  struct RowPlace {
    std::string table, column;
    std::int64_t rowid = 0;
  };
  std::vector<RowPlace> incomplete_rows;
};

/// Scans files, and folders recursively. Also scans the files that SQLite and Tapedeck keep beside a database (`-wal`,
/// `.recording`, …). Adds paths that do not exist or cannot be read to `incomplete`. Throws no exception except
/// std::bad_alloc.
[[nodiscard]] ScanReport scan_paths(std::span<const std::filesystem::path> paths, const ScanOptions& options);
[[nodiscard]] ScanReport scan_file(const std::filesystem::path& path, const ScanOptions& options);
/// Scans bytes in memory as one item; `name` replaces the file's path.
[[nodiscard]] ScanReport scan_bytes(std::string_view bytes, std::string_view name, const ScanOptions& options);
/// Returns true for the form of Finding::fingerprint: 32 hex digits in lower case.
[[nodiscard]] bool is_fingerprint(std::string_view text);

}  // namespace tapedeck::scan
