#pragma once
// Searches one piece of bytes (a view) and everything that can be decoded from it.
//
// Each decoder creates a separate view. A single decoder for all encodings would miss a password that itself contains
// "%41". The work is limited: text decoders copy only the surroundings of escapes, all runs of a view are
// decoded into one view, a view that has occurred in the same item is skipped, and each decoded byte counts against a
// budget.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/decode_stream.h"
#include "scan/findings.h"
#include "scan/heuristics.h"
#include "scan/leak_scan.h"
#include "scan/matcher.h"

namespace tapedeck::scan {

class ViewScanner {
 public:
  ViewScanner(const ScanOptions& options, Findings& findings, ScanReport& report);

  /// Resets the budget for a new file.
  void begin_file(std::uint64_t size);

  enum class Shape {
    whole,      ///< a complete value
    part,       ///< a part of something longer
    continued,  ///< as `part`; a compressed frame that is cut at the end is reported as incomplete
    rest,       ///< as `part`; where a value ends is unknown (PageVisitor::rest)
  };
  void scan_item(std::string_view bytes, Shape shape);
  /// Checks a value whose name is elsewhere (Heuristics::check()).
  void check_named(std::string_view name, std::string_view value);
  /// Returns true if scanning `text` would give a finding. Records nothing.
  [[nodiscard]] bool would_find(std::string_view text);

 private:
  enum class Step : std::uint8_t { percent, form, json, base64, hex, gzip, zstd };
  struct Trail {
    std::array<Step, 5> steps{};
    std::size_t depth = 0;
    [[nodiscard]] Trail with(Step step) const;
    [[nodiscard]] std::string text() const;
  };

  void begin_item(std::size_t size);
  void report(const Heuristics::Suspect& suspect, std::string_view view, const Trail& trail);
  void search(std::string_view view, const Trail& trail, Shape shape);
  void scan_view(std::string_view view, const Trail& trail, Shape shape);
  void scan_child(std::string_view view, const Trail& trail, Step step);
  void decode(std::string_view view, const Trail& trail);
  void unpack_frames(std::string_view view, const Trail& trail, Shape shape);
  base::StreamResult unpack(base::Coding coding, std::string_view input, const Trail& trail);
  [[nodiscard]] bool spend(std::uint64_t bytes);
  [[nodiscard]] bool first_sight(std::string_view bytes, std::size_t depth);

  const ScanOptions& options_;
  Findings& findings_;
  ScanReport& report_;
  std::size_t shortest_ = 16;
  std::size_t longest_ = 0;
  bool spaces_ = false;        ///< true if a value has a space, which may be encoded as `+`
  bool beyond_ascii_ = false;  ///< true if a value has other characters, so noise is kept
  Matcher matcher_;
  Matcher words_;
  Heuristics heuristics_;
  std::size_t margin_;  ///< of text around an escape that is decoded with it
  std::uint64_t item_left_ = 0;
  std::uint64_t file_left_ = 0;
  bool item_short_ = false;  ///< the exhausted budget was reported
  std::unordered_map<std::uint64_t, std::size_t> seen_views_;
};

}  // namespace tapedeck::scan
