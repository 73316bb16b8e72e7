#include "cassettes/finish/rewrite.h"

#include <optional>

#include "cassettes/file/files.h"
#include "cassettes/file/recording_lock.h"
#include "cassettes/finish/new_file.h"
#include "cassettes/finish/stored_material.h"
#include "cassettes/read/check_cassette.h"

namespace tapedeck::cassettes {

namespace {

constexpr const char* stopped = "stopped; nothing was changed";

/// Writes and syncs the new file. Returns false if it must not be used; the report says why.
bool make(NewFile& file, Material& content, const RewriteOptions& options, FinishReport& report) {
  CanonicalOptions canonical;
  canonical.scrubber = options.scrubber;
  canonical.edited_only = true;
  canonical.progress = limited(options.progress);
  const auto write = [&] { return canonicalise(content, nullptr, file.path(), canonical); };
  const Leaks leaks = write_checked(file.path(), canonical, write, report);
  tell(leaks, report);
  if (leaks.learned > 0) {
    report.failure = "nothing was changed; secrets found by the leak scan: " + std::to_string(leaks.learned);
    return false;
  }
  file.sync(canonical.progress, report);
  return true;
}

void refuse_foreign_wal(const std::string& path, const std::string& full) {
  if (!has_content(full + "-wal")) return;
  throw CassetteError(CassetteError::Kind::damaged,
                      path + "-wal does not belong to " + path + "\nhint: remove it, then try again");
}

}  // namespace

struct Rewriting::Impl {
  explicit Impl(const std::string& given) : path(given), full(full_path(given)), leftover(finish_leftover(given)) {
    if (!exists(full)) static_cast<void>(open_file(full, true));
    lock = std::make_unique<RecordingLock>(RecordingLock::take(full));
    refuse_foreign_wal(path, full);
    const OpenCassette cassette = open_cassette(path);
    content = open_material(path, cassette);
    reader.emplace(ReaderAccess::reader(path, cassette));
    check_content(*reader);
  }

  std::string path, full;
  std::optional<FinishReport> leftover;
  std::unique_ptr<RecordingLock> lock;
  std::unique_ptr<Material> content;
  std::optional<CassetteReader> reader;
};

Rewriting::Rewriting(const std::string& path) {
  try {
    impl_ = std::make_unique<Impl>(path);
  } catch (...) {
    rethrow_for(path);
  }
}
Rewriting::~Rewriting() = default;

const std::string& Rewriting::path() const { return impl_->path; }
const std::optional<FinishReport>& Rewriting::leftover() const { return impl_->leftover; }
Material& Rewriting::content() { return *impl_->content; }
const CassetteReader& Rewriting::reader() const { return *impl_->reader; }

FinishReport Rewriting::write(Material& content, const RewriteOptions& options) {
  return report_of(impl_->path, stopped, [&](FinishReport& report) {
    NewFile file(impl_->full);
    if (!make(file, content, options, report)) return;
    rename_over(file.path(), impl_->full);
    file.renamed();
    sync_folder_of(impl_->full);
    report.finished = true;
  });
}

FinishReport write_new(const std::string& path, Material& content, const RewriteOptions& options) {
  const std::string full = full_path(path);
  const auto taken = [&] { return CassetteError(CassetteError::Kind::io, path + " already exists"); };
  if (exists(full)) throw taken();
  return report_of(path, stopped, [&](FinishReport& report) {
    NewFile file(full);
    if (!make(file, content, options, report)) return;
    if (!rename_to_free(file.path(), full)) throw taken();
    file.renamed();
    sync_folder_of(full);
    report.finished = true;
  });
}

}  // namespace tapedeck::cassettes
