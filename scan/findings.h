#pragma once
// Collects findings: names their places, computes fingerprints, drops duplicates, and reveals no value.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "scan/leak_scan.h"

namespace tapedeck::scan {

/// The parts of a place. The text for it is only created for a finding.
struct Place {
  enum class Kind {
    bytes,
    row,
    raw,  ///< in a page of a database whose rows have been searched, or of a log
    name,
  };
  Kind kind = Kind::bytes;
  std::int64_t number = 0;  ///< offset or rowid
  std::string_view table;   ///< name of a row's table for display
  std::string_view column;
};

class Findings {
 public:
  Findings(const ScanOptions& options, ScanReport& report) : options_(options), report_(report) {}

  /// `shown` is the path with `<withheld>` in place of secrets.
  void begin_file(std::string shown);
  /// Allows a fingerprint that the file lists as reviewed, for this file only.
  void allow_in_file(std::string_view fingerprint) { allowed_in_file_.emplace(fingerprint); }
  void at(const Place& place) { place_ = place; }

  /// Adds a finding. `offset` is its position in the item. It is reported for the first occurrence in bytes that were
  /// not decoded.
  void learned(std::string_view rule, std::size_t index, const std::string& via, std::size_t offset);
  void heuristic(std::string_view rule, std::string_view value, const std::string& via, std::size_t offset);
  void incomplete(std::string_view why);
  void unsettled(std::string_view why) { report_.unsettled.push_back(path_ + ": " + std::string(why)); }

  void settled(const std::filesystem::path& path) { report_.settled.push_back({path, path_}); }

  /// Starts a probe, in which findings are not recorded. end_probe() returns true if a finding occurred.
  void begin_probe();
  [[nodiscard]] bool end_probe();

 private:
  [[nodiscard]] bool is_repeat(std::string_view rule, std::uint64_t value);
  [[nodiscard]] Finding make(std::string_view rule, const std::string& via, std::size_t offset) const;
  [[nodiscard]] bool is_allowed(const std::string& fingerprint);

  const ScanOptions& options_;
  ScanReport& report_;
  std::string path_;
  Place place_;
  std::set<std::string, std::less<>> allowed_in_file_;
  std::size_t unlisted_ = 0;                   ///< number of fingerprints that were computed for unlisted findings
  std::unordered_set<std::uint64_t> in_rows_;  ///< findings in rows; the same bytes in the file are not another finding
  std::unordered_set<std::uint64_t> seen_;     ///< hashes of rule, value, and place of the findings in this file
  bool probing_ = false;
  bool probe_hit_ = false;
};

/// Returns a fast hash with a seed that is random for each process. Do not store it.
[[nodiscard]] std::uint64_t quick_hash(std::string_view bytes, std::uint64_t salt = 0);

}  // namespace tapedeck::scan
