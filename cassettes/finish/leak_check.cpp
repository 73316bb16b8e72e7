#include "cassettes/finish/leak_check.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/digest.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t batch_bytes = 4u << 20;
constexpr std::size_t most_named = 100;

/// Ends a search that nobody waits for.
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

/// The condition on rows of `interaction` i and `request` r that use a row of that table.
const char* uses_of(std::string_view table) {
  if (table == "body") return "r.body = ?1";
  if (table == "header_set") return "i.headers = ?1 OR r.headers = ?1";
  if (table == "request") return "r.id = ?1";
  if (table == "key") return "r.key = ?1";
  if (table == "interaction") return "i.id = ?1";
  return nullptr;
}

/// The first interaction that uses the row; only findings pay for this search.
std::string interaction_of(const scan::Finding& finding, SQLite::Database& database) {
  const char* uses = uses_of(finding.table);
  if (!uses) return {};
  const std::string sql = "SELECT i.digest FROM interaction i CROSS JOIN request r WHERE r.id = i.request AND (" +
                          std::string(uses) + ") ORDER BY i.id LIMIT 1";
  Query query(database, sql);
  Rows rows(query);
  return query.integer(finding.rowid).step() ? base::to_hex(query.bytes(0)) : std::string();
}

constexpr std::string_view found_reason = "the leak scan found a learned value";
constexpr std::string_view unsearched_reason = "the leak scan could not search it to the end";

/// All interactions that use the row, as long as what they use can be withheld.
void pin_row(std::string_view table, std::string_view column, std::int64_t rowid, std::string_view reason,
             SQLite::Database& database, Leaks& leaks) {
  const bool of_request = table == "request" || table == "key";
  const bool can_go =
      of_request || table == "body" || table == "header_set" || (table == "interaction" && column == "body_bytes");
  const char* uses = can_go ? uses_of(table) : nullptr;
  if (!uses) return;
  const std::string sql =
      "SELECT i.digest FROM interaction i CROSS JOIN request r WHERE r.id = i.request AND (" + std::string(uses) + ")";
  Query query(database, sql);
  query.integer(rowid);
  while (query.step()) {
    const std::string id = base::to_hex(query.bytes(0));
    leaks.interactions.emplace(id, reason);
    if (of_request) leaks.requests.insert(id);
  }
}

/// "learned-value in body row 12 (interaction 0123456789abcdef), via base64"
std::string line_of(const scan::Finding& finding, const std::string& interaction) {
  std::string line = finding.rule + " in " + finding.place;
  if (!interaction.empty()) line += " (interaction " + interaction + ")";
  if (!finding.via.empty()) line += ", via " + finding.via;
  if (!finding.learned) line += " [" + finding.fingerprint + "]";
  return line;
}

scan::Cell cell_of(const BodyPlace& place) {
  if (place.table == BodyPlace::Table::body) return {"body", "bytes", place.row};
  return {"interaction", "body_bytes", place.row};
}

/// Most bodies are found in the file's rows as well.
bool is_among(const scan::Finding& finding, const std::vector<scan::Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [&](const scan::Finding& other) {
    return finding.table == other.table && finding.rowid == other.rowid && finding.fingerprint == other.fingerprint &&
           finding.learned_index == other.learned_index;
  });
}

}  // namespace

LeakCheck::LeakCheck(std::string path, const scrubbers::Scrubber* scrubber, const Fingerprints& allowed)
    : path_(std::move(path)), learned_(learned_by(scrubber)) {
  options_.learned = &learned_;
  options_.allowed = allowed;
  scan::ScanOptions of_file = options_;
  of_file.unpack_bodies = false;  // see() gets them
  of_file.progress = [this](std::uint64_t done, std::uint64_t total) {
    if (stop_) throw Abandoned();
    done_ = done;
    total_ = total;
  };
  file_search_ = std::async(std::launch::async, [this, of_file] { return scan::scan_file(path_, of_file); });
}

LeakCheck::~LeakCheck() {
  stop_ = true;
  if (file_search_.valid()) file_search_.wait();
}

void LeakCheck::see(const BodyPlace& place, std::string_view body) {
  batch_.places.push_back(place);
  batch_.text += body;
  batch_.text += '\n';
  if (batch_.text.size() >= batch_bytes) search_batch();
}

std::vector<BodyPlace> LeakCheck::suspicious_in(const Batch& batch) const {
  const scan::ScanReport report = scan::scan_cell(batch.text, {"body", "bytes"}, options_);
  const bool found = report.learned + report.heuristic + report.allowed > 0 || !report.incomplete.empty();
  return found ? batch.places : std::vector<BodyPlace>();
}

void LeakCheck::suspect(const std::vector<BodyPlace>& places) {
  suspicious_.insert(suspicious_.end(), places.begin(), places.end());
}

void LeakCheck::search_batch() {
  Batch batch = std::exchange(batch_, {});
  if (beside_.valid() && beside_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    suspect(suspicious_in(batch));
    return;
  }
  collect_beside();
  beside_ = std::async(std::launch::async, [this, batch = std::move(batch)] { return suspicious_in(batch); });
}

void LeakCheck::collect_beside() {
  if (beside_.valid()) suspect(beside_.get());
}

void LeakCheck::wait(const Progress& progress) {
  while (file_search_.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) {
    progress("scanning", done_, total_);
  }
  progress("scanning", 1, 1);
}

void LeakCheck::pin(const scan::ScanReport& report, SQLite::Database& database, Leaks& leaks) const {
  for (const scan::Finding& finding : report.findings) {
    if (!finding.learned) continue;
    pin_row(finding.table, finding.column, finding.rowid, found_reason, database, leaks);
  }
  for (const scan::ScanReport::RowPlace& place : report.incomplete_rows) {
    pin_row(place.table, place.column, place.rowid, unsearched_reason, database, leaks);
  }
}

void LeakCheck::name_findings(const scan::ScanReport& of_file, Leaks& leaks) {
  ReaderState reader(path_, open_cassette(open_file(path_, false)));
  reader.guarded(std::chrono::hours(24), [&] {
    const auto name = [&](const scan::Finding& finding) {
      const bool look = leaks.findings.size() < most_named;
      leaks.findings.push_back(line_of(finding, look ? interaction_of(finding, *reader.database) : std::string()));
    };
    for (const scan::Finding& finding : of_file.findings) name(finding);
    pin(of_file, *reader.database, leaks);
    for (const BodyPlace& place : suspicious_) {
      const scan::ScanReport report = scan::scan_cell(reader.rows.body(place), cell_of(place), options_);
      if (!report.incomplete.empty() && leaks.incomplete.empty()) leaks.incomplete = report.incomplete[0];
      pin(report, *reader.database, leaks);
      // Its packed bytes may have shown it already.
      const auto& counted = of_file.allowed_places;
      leaks.allowed += static_cast<std::uint64_t>(std::count_if(
          report.allowed_places.begin(), report.allowed_places.end(),
          [&](const auto& allowed) { return std::find(counted.begin(), counted.end(), allowed) == counted.end(); }));
      leaks.matched.insert(report.matched.begin(), report.matched.end());
      for (const scan::Finding& finding : report.findings) {
        if (is_among(finding, of_file.findings)) continue;
        ++(finding.learned ? leaks.learned : leaks.heuristic);
        name(finding);
      }
    }
  });
}

Leaks LeakCheck::end(const Progress& progress) {
  if (!batch_.places.empty()) search_batch();
  collect_beside();
  // In the order of the file, whoever searched what.
  std::sort(suspicious_.begin(), suspicious_.end(),
            [](const BodyPlace& a, const BodyPlace& b) { return std::tie(a.table, a.row) < std::tie(b.table, b.row); });
  wait(progress);
  const scan::ScanReport of_file = file_search_.get();
  Leaks leaks;
  if (!of_file.incomplete.empty()) leaks.incomplete = of_file.incomplete[0];
  leaks.learned = of_file.learned;
  leaks.heuristic = of_file.heuristic;
  leaks.allowed = of_file.allowed;
  leaks.matched = of_file.matched;
  if (!of_file.findings.empty() || !of_file.incomplete.empty() || !suspicious_.empty()) name_findings(of_file, leaks);
  return leaks;
}

}  // namespace tapedeck::cassettes
