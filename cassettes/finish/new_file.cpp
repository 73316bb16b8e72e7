#include "cassettes/finish/new_file.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "cassettes/file/cassette_error.h"
#include "cassettes/file/files.h"
#include "cassettes/finish/leak_check.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr const char* finishing_suffix = ".finishing";
constexpr std::uint64_t bytes_between_calls = 1u << 20;

/// Thrown if the caller requests to stop.
struct Stopped {};

/// Limits calls to about one per megabyte and one per step. The result throws Stopped.
Progress limited(const decltype(RewriteOptions::progress)& call) {
  if (!call) return [](const char*, std::uint64_t, std::uint64_t) {};
  struct Last {
    const char* step = nullptr;
    std::uint64_t done = 0;
  };
  return [last = Last(), call](const char* step, std::uint64_t done, std::uint64_t total) mutable {
    if (last.step == step && done < last.done + bytes_between_calls && done >= last.done && done < total) return;
    last = {step, done};
    if (!call(step, done, total)) throw Stopped();
  };
}

void check_counts(SQLite::Database& database, std::uint64_t interactions) {
  Query query(database,
              "SELECT (SELECT count(*) FROM interaction),"
              " (SELECT ifnull(sum(count + passed_over + hidden), 0) FROM sequence WHERE kind = 0),"
              " (SELECT ifnull(sum(count + passed_over + hidden), 0) FROM sequence) ="
              " (SELECT count(*) FROM sequence_entry),"
              " (SELECT count(*) FROM redaction d LEFT JOIN interaction i ON i.id = d.interaction WHERE i.id IS NULL)");
  Rows rows(query);
  if (!query.step()) throw Damage("its rows cannot be counted");
  for (const int column : {0, 1}) {
    if (static_cast<std::uint64_t>(query.number(column)) != interactions) throw Damage("interactions are missing");
  }
  if (!query.flag(2)) throw Damage("a sequence is incomplete");
  if (query.number(3) != 0) throw Damage("a redaction has no interaction");
}

/// Finds redactions outside of their texts. Casts TEXT, so that its length counts in bytes.
void check_places(SQLite::Database& database) {
  Query query(database,
              "SELECT count(*) FROM redaction d CROSS JOIN interaction i"
              " WHERE i.id = d.interaction AND (d.offset < 0 OR d.length < 0 OR d.offset + d.length >"
              " ifnull(CASE d.part WHEN 0 THEN length(CAST(i.target AS BLOB))"
              " WHEN 1 THEN (SELECT length(CAST(text AS BLOB)) FROM headers WHERE id = i.request_headers)"
              " WHEN 2 THEN (SELECT size FROM body WHERE id = i.request_body)"
              " WHEN 3 THEN length(CAST(i.phrase AS BLOB))"
              " WHEN 4 THEN (SELECT length(CAST(text AS BLOB)) FROM headers WHERE id = i.headers)"
              " WHEN 5 THEN (SELECT size FROM body WHERE id = i.body) END, 0))");
  Rows rows(query);
  if (!query.step() || query.number(0) != 0) throw Damage("a redaction is outside its text");
}

void check_bodies(ReaderState& reader, const Progress& progress) {
  const std::uint64_t total = reader.file->size();
  std::uint64_t done = 0;
  Query query(*reader.database, "SELECT size, sha256, bytes FROM body ORDER BY id");
  while (query.step()) {
    done += body_in(query, 0).size();
    progress("checking", done, total);
  }
}

/// Throws CassetteError unless all conditions hold: a reader can open the file, SQLite finds no error in it, it has
/// this number of interactions in complete sequences, each redaction is inside its text, and each body has its SHA-256.
void verify(const std::string& path, std::uint64_t interactions, const Progress& progress) {
  ReaderState reader(path, open_cassette(path));
  reader.guarded(no_limit, [&] {
    progress("checking", 0, reader.file->size());
    if (reader.file->size() > checked_up_front) quick_check(*reader.database, reader.deadline, no_limit);
    reader.deadline.arm(no_limit);
    check_counts(*reader.database, interactions);
    check_places(*reader.database);
    check_bodies(reader, progress);
  });
}

Leaks verify_and_scan(const std::string& path, const Fingerprints& allowed, const CanonicalOptions& options,
                      FinishReport& report) {
  LeakCheck search(path, options.finish.scrubber, allowed);
  verify(path, report.interactions, options.progress);
  return search.end(options.progress, report);
}

void report_withheld(const Withheld& withheld, FinishReport& report) {
  for (const auto& [id, why] : withheld.interactions) report.withheld.push_back(id + ": " + why);
  for (const auto& [table, row] : withheld.texts) {
    report.withheld.push_back(table + " " + std::to_string(row) + ": the leak scan found a learned value in its text");
  }
}

}  // namespace

NewFile::NewFile(const std::string& cassette) : path_(cassette + finishing_suffix) { remove_if_there(path_); }

NewFile::~NewFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

void NewFile::write(Material& material, SQLite::Database* recording, CanonicalOptions options, FinishReport& report) {
  options.progress = limited(options.finish.progress);
  const auto write_once = [&]() -> Leaks {
    remove_if_there(path_);
    const Fingerprints allowed = canonicalize(material, recording, path_, options, report);
    if (options.finish.scan) return verify_and_scan(path_, allowed, options, report);
    verify(path_, report.interactions, options.progress);
    return {};
  };
  Leaks leaks = write_once();
  if (leaks.withheld.size() > 0) {
    options.withheld = std::move(leaks.withheld);
    leaks = write_once();
  }
  if (!leaks.incomplete.empty()) {
    throw CassetteError(CassetteError::Kind::io,
                        "the leak scan could not search the whole cassette: " + leaks.incomplete);
  }
  if (options.finish.scan) {
    const Fingerprints& wanted = options.finish.allow;
    std::set_difference(wanted.begin(), wanted.end(), leaks.matched.begin(), leaks.matched.end(),
                        std::back_inserter(report.unmatched));
  }
  report_withheld(options.withheld, report);
  const Descriptor written = open_file(path_, true);
  report.bytes = written.size();
  sync_file(written, path_);
  options.progress("renaming", 1, 1);
}

void NewFile::replace(const std::string& path) {
  rename_over(path_, path);
  path_.clear();
  sync_folder_of(path);
}

bool NewFile::rename(const std::string& path) {
  if (!rename_to_free(path_, path)) return false;
  path_.clear();
  sync_folder_of(path);
  return true;
}

FinishReport report_of(const std::string& path, const char* stopped, const std::function<void(FinishReport&)>& work) {
  FinishReport report;
  try {
    try {
      work(report);
    } catch (...) {
      rethrow_for(path);
    }
  } catch (const Stopped&) {
    report.failure = stopped;
    report.was_stopped = true;
  } catch (const CassetteError& error) {
    report.failure = error.what();
    report.fault = error.kind();
  } catch (const std::exception& error) {
    report.failure = path + ": " + error.what();
  }
  return report;
}

}  // namespace tapedeck::cassettes
