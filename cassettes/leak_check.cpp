#include "cassettes/leak_check.h"

#include "cassettes/cassette_error.h"
#include "cassettes/reader_state.h"
#include "http/digest.h"
#include "scan/leak_scan.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t batch_bytes = 4u << 20;
constexpr std::size_t most_named = 100;

using scan::Search;

scan::LearnedValues learned_by(const scrubbers::Scrubber* scrubber) {
  scan::LearnedValues values;
  if (scrubber) {
    scrubber->each_learned([&](std::string_view value, bool everywhere) {
      values.add(value, everywhere ? Search::anywhere : Search::named);
    });
  }
  return values;
}

/// Bodies under a dictionary, several at a time: starting a search costs more than a small body.
class BodySearch {
 public:
  BodySearch(ReaderState& reader, const scan::ScanOptions& options, LeakCheck& result)
      : reader_(reader), options_(options), result_(result) {}

  void run(const Progress& progress, std::uint64_t total) {
    Query query(*reader_.database, "SELECT id FROM body WHERE encoding = 2 ORDER BY id");
    while (query.step()) {
      ids_.push_back(query.number(0));
      text_ += reader_.rows.body(ids_.back());
      text_ += '\n';
      if (text_.size() >= batch_bytes) search_batch();
      progress("scanning", std::min(done_ + text_.size(), total), total);
    }
    search_batch();
  }

 private:
  void search_batch() {
    const scan::ScanReport report = scan::scan_bytes(text_, "bodies", options_);
    if (report.learned + report.heuristic > 0 || !report.incomplete.empty()) {
      for (const std::int64_t id : ids_) search_one(id);
    }
    done_ += text_.size();
    text_.clear();
    ids_.clear();
  }

  void search_one(std::int64_t id) {
    const scan::ScanReport report = scan::scan_bytes(reader_.rows.body(id), "body", options_);
    if (!report.incomplete.empty()) throw Damage("the leak scan could not search body " + std::to_string(id));
    result_.learned += report.learned;
    result_.heuristic += report.heuristic;
    for (scan::Finding finding : report.findings) {
      finding.table = "body";
      finding.rowid = id;
      finding.place = "body row " + std::to_string(id);
      result_.findings.push_back(line(finding));
    }
  }

 public:
  /// "learned-value in body row 12 (interaction 0123456789abcdef), via base64"
  [[nodiscard]] std::string line(const scan::Finding& finding) {
    std::string text = finding.rule + " in " + finding.place;
    if (const std::string interaction = interaction_of(finding); !interaction.empty()) {
      text += " (interaction " + interaction + ")";
    }
    if (!finding.via.empty()) text += ", via " + finding.via;
    if (!finding.learned) text += " [" + finding.fingerprint + "]";
    return text;
  }

 private:
  /// The first interaction that uses the row; only findings pay for this search.
  [[nodiscard]] std::string interaction_of(const scan::Finding& finding) {
    const char* where = finding.table == "body"          ? "i.body = ?1 OR r.body = ?1"
                        : finding.table == "header_set"  ? "i.headers = ?1 OR r.headers = ?1"
                        : finding.table == "request"     ? "r.id = ?1"
                        : finding.table == "key"         ? "r.key = ?1"
                        : finding.table == "interaction" ? "i.id = ?1"
                                                         : nullptr;
    if (!where || result_.findings.size() > most_named) return {};
    const std::string sql =
        std::string("SELECT i.digest FROM interaction i CROSS JOIN request r WHERE r.id = i.request AND (") + where +
        ") ORDER BY i.id LIMIT 1";
    Query query(*reader_.database, sql.c_str());
    Rows rows(query);
    return query.integer(finding.rowid).step() ? http::to_hex(query.bytes(0)) : std::string();
  }

  ReaderState& reader_;
  const scan::ScanOptions& options_;
  LeakCheck& result_;
  std::string text_;
  std::vector<std::int64_t> ids_;
  std::uint64_t done_ = 0;
};

}  // namespace

LeakCheck check_for_leaks(const std::string& path, const scrubbers::Scrubber* scrubber, const Progress& progress) {
  const scan::LearnedValues learned = learned_by(scrubber);
  scan::ScanOptions options;
  options.learned = &learned;
  options.progress = [&](std::uint64_t done, std::uint64_t total) { progress("scanning", done, total); };
  LeakCheck result;
  // Before the reader opens it: the scan closes a descriptor of its own.
  const scan::ScanReport report = scan::scan_file(path, options);
  if (!report.incomplete.empty()) {
    throw CassetteError(CassetteError::Kind::io, "the leak scan could not search all of it: " + report.incomplete[0]);
  }
  ReaderState reader(path, std::make_shared<const Descriptor>(open_file(path, false)));
  reader.guarded(std::chrono::hours(24), [&] {
    options.progress = nullptr;
    BodySearch search(reader, options, result);
    result.learned = report.learned;
    result.heuristic = report.heuristic;
    for (const scan::Finding& finding : report.findings) result.findings.push_back(search.line(finding));
    const auto total = static_cast<std::uint64_t>(
        reader.database->execAndGet("SELECT ifnull(sum(size), 0) FROM body WHERE encoding = 2").getInt64());
    search.run(progress, total);
  });
  return result;
}

}  // namespace tapedeck::cassettes
