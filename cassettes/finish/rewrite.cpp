#include "cassettes/finish/rewrite.h"

#include "cassettes/file/files.h"
#include "cassettes/finish/new_file.h"
#include "cassettes/read/check_cassette.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr const char* stopped_rewriting = "stopped; nothing was changed";

/// Writes the new file. Returns false if it must not be used; the report says why.
bool is_written(NewFile& file, Material& content, const RewriteOptions& options, FinishReport& report) {
  CanonicalOptions canonical;
  canonical.finish.scrubber = options.scrubber;
  canonical.finish.progress = options.progress;
  canonical.why = Why::edit;
  file.write(content, nullptr, std::move(canonical), report);
  if (report.learned_values_found == 0) return true;
  report.failure =
      "nothing was changed; secrets found by the leak scan: " + std::to_string(report.learned_values_found);
  return false;
}

void refuse_foreign_wal(const std::string& path, const std::string& full) {
  if (!has_content(full + "-wal")) return;
  throw CassetteError(CassetteError::Kind::damaged,
                      path + "-wal does not belong to " + path + "\nhint: remove it, then try again");
}

}  // namespace

Rewriting::Rewriting(const std::string& path) try
    : path_(path), full_(full_path(path)), leftover_(finish_leftover(path)) {
  if (!exists(full_)) static_cast<void>(open_file(full_, true));
  lock_.emplace(RecordingLock::take(full_));
  refuse_foreign_wal(path_, full_);
  const OpenCassette cassette = open_cassette(path_);
  content_ = open_material(path_, cassette);
  reader_.emplace(ReaderAccess::reader(path_, cassette));
  check_content(*reader_);
} catch (...) {
  rethrow_for(path);
}

FinishReport Rewriting::write(Material& content, const RewriteOptions& options) {
  return report_of(path_, stopped_rewriting, [&](FinishReport& report) {
    NewFile file(full_);
    if (!is_written(file, content, options, report)) return;
    file.replace(full_);
    report.finished = true;
  });
}

FinishReport write_new(const std::string& path, Material& content, const RewriteOptions& options) {
  const std::string full = full_path(path);
  const auto taken = [&] { return CassetteError(CassetteError::Kind::io, path + " already exists"); };
  if (exists(full)) throw taken();
  return report_of(path, stopped_rewriting, [&](FinishReport& report) {
    NewFile file(full);
    if (!is_written(file, content, options, report)) return;
    if (!file.rename(full)) throw taken();
    report.finished = true;
  });
}

}  // namespace tapedeck::cassettes
