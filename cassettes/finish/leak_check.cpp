#include "cassettes/finish/leak_check.h"

#include <chrono>
#include <utility>

#include "base/digest.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t most_named = 100;

/// Thrown to stop a search whose result is not needed.
struct Abandoned {};

scan::LearnedValues learned_by(const scrubbers::Scrubber* scrubber) {
  scan::LearnedValues values;
  if (scrubber) {
    scrubber->each_learned([&](std::string_view value, bool everywhere) {
      values.add(value, everywhere ? scan::Search::anywhere : scan::Search::named);
    });
  }
  return values;
}

/// The part of an interaction that is withheld if a search finds something there.
struct Use {
  const char* condition;  ///< selects the rows of `interaction` that use a row of this table
  bool of_request;
};

std::optional<Use> use_of(std::string_view table, std::string_view column) {
  if (table == "body") return Use{"body = ?1 OR request_body = ?1", false};
  if (table == "headers") return Use{"headers = ?1 OR request_headers = ?1", false};
  if (table == "key") return Use{"key = ?1", true};
  if (table == "interaction") return Use{"id = ?1", column == "target" || column == "verb"};
  return std::nullopt;
}

/// Returns the names of the interactions that use a row, in recorded order. Called only if something was found.
std::vector<std::string> interactions_of(const Use& use, std::int64_t row, SQLite::Database& database) {
  std::vector<std::string> names;
  Query query(database, std::string("SELECT name FROM interaction WHERE ") + use.condition + " ORDER BY id");
  query.integer(row);
  while (query.step()) names.push_back(base::to_hex(query.bytes(0)));
  return names;
}

constexpr std::string_view found_reason = "the leak scan found a learned value";
constexpr std::string_view unsearched_reason = "the leak scan could not search it completely";

/// Notes all interactions that use the row, if it can be withheld; otherwise the row itself, if it is a name or a note.
void pin_row(std::string_view table, std::string_view column, std::int64_t row, std::string_view reason,
             SQLite::Database& database, Leaks& leaks) {
  if (table == "take" || table == "scope" || table == "mark") leaks.withheld.texts.emplace(table, row);
  const auto use = use_of(table, column);
  if (!use) return;
  for (const std::string& name : interactions_of(*use, row, database)) {
    leaks.withheld.interactions.emplace(name, reason);
    if (use->of_request) leaks.withheld.requests.insert(name);
  }
}

/// Returns "learned-value in body.bytes row 12 (interaction 0123456789abcdef), via base64".
std::string line_of(const scan::Finding& finding, const std::string& interaction) {
  std::string line = finding.rule + " in " + finding.place;
  if (!interaction.empty()) line += " (interaction " + interaction + ")";
  if (!finding.via.empty()) line += ", via " + finding.via;
  if (!finding.learned) line += " [" + finding.fingerprint + "]";
  return line;
}

}  // namespace

LeakCheck::LeakCheck(std::string path, const scrubbers::Scrubber* scrubber, const Fingerprints& allowed)
    : path_(std::move(path)), learned_(learned_by(scrubber)) {
  options_.learned = &learned_;
  options_.allowed = allowed;
  options_.just_written = true;
  options_.progress = [this](std::uint64_t done, std::uint64_t total) {
    if (stop_) throw Abandoned();
    done_ = done;
    total_ = total;
  };
  search_ = std::async(std::launch::async, [this] { return scan::scan_file(path_, options_); });
}

LeakCheck::~LeakCheck() {
  stop_ = true;
  if (search_.valid()) search_.wait();
}

void LeakCheck::name_findings(const scan::ScanReport& found, Leaks& leaks, FinishReport& report) const {
  ReaderState reader(path_, open_cassette(path_));
  reader.guarded(no_limit, [&] {
    for (const scan::Finding& finding : found.findings) {
      const auto use = use_of(finding.table, finding.column);
      const bool look = use && report.findings.size() < most_named;
      const auto names = look ? interactions_of(*use, finding.rowid, *reader.database) : std::vector<std::string>();
      report.findings.push_back(line_of(finding, names.empty() ? std::string() : names.front()));
      if (finding.learned) {
        pin_row(finding.table, finding.column, finding.rowid, found_reason, *reader.database, leaks);
      }
    }
    for (const scan::ScanReport::RowPlace& place : found.incomplete_rows) {
      pin_row(place.table, place.column, place.rowid, unsearched_reason, *reader.database, leaks);
    }
  });
}

Leaks LeakCheck::end(const Progress& progress, FinishReport& report) {
  while (search_.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
    progress("scanning", done_, total_);
  }
  progress("scanning", 1, 1);
  const scan::ScanReport found = search_.get();
  report.learned_values_found = found.learned;
  report.suspects = found.heuristic;
  report.allowed = found.allowed;
  report.findings.clear();
  Leaks leaks;
  leaks.matched = found.matched;
  if (!found.incomplete.empty()) leaks.incomplete = found.incomplete[0];
  if (!found.findings.empty() || !found.incomplete.empty()) name_findings(found, leaks, report);
  return leaks;
}

}  // namespace tapedeck::cassettes
