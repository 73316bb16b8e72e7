#include "cli/running/journal_cleaning.h"

#include <nlohmann/json.hpp>

#include "scan/leak_scan.h"

namespace tapedeck::cli {
namespace {

std::string without_key(const std::string& line) {
  nlohmann::ordered_json entry = nlohmann::ordered_json::parse(line, nullptr, false);
  if (!entry.is_object()) return "{\"number\":0}";
  entry["key"] = "<WITHHELD>";
  return entry.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void clean_journal(const RewriteLines& rewrite, const scrubbers::Scrubber& scrubber) {
  scan::LearnedValues learned;
  scrubber.each_learned([&](std::string_view value, bool everywhere) {
    if (everywhere) learned.add(value, scan::Search::anywhere);
  });
  scan::ScanOptions options;
  options.learned = &learned;
  options.heuristics = false;
  const auto holds = [&](std::string_view text) { return scan::scan_bytes(text, "journal", options).learned > 0; };
  // A search costs more to begin than a line takes: most files hold nothing, and are searched at once.
  std::string all;
  rewrite([&](std::string_view line) {
    std::string scrubbed = scrubber.scrub_text(line);
    all.append(scrubbed).append("\n");
    return scrubbed;
  });
  if (all.empty() || !holds(all)) return;
  rewrite([&](std::string_view line) {
    const std::string kept(line);
    return holds(kept) ? without_key(kept) : kept;
  });
}

}  // namespace tapedeck::cli
