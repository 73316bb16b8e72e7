// From a path to an open finished cassette (docs/cassette-format.md, "Reading").

#include <sys/stat.h>

#include "base/private_folder.h"
#include "cassettes/file/recording_lock.h"
#include "cassettes/finish/canonical.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::uint64_t small_cassette = std::uint64_t{4} << 20;

/// Everything of a source is checked before its rows are read.
State check_source(SQLite::Database& database, Deadline& deadline) {
  harden(database);
  deadline.arm(one_statement);
  const State state = check_schema(database);
  deadline.arm(std::chrono::hours(24));
  return state;
}

std::shared_ptr<const OpenCassette> canonical_copy(SQLite::Database& source, State state,
                                                   const base::PrivateFolder& folder) {
  CanonicalOptions options;
  options.close_takes = false;
  const std::string copy = folder.file("canonical.cassette");
  static_cast<void>(canonicalise(source, state, copy, options));
  return open_cassette(open_file(copy, false));
}

/// Nobody records: the file and what stands beside it are copied, and SQLite recovers the copy.
std::shared_ptr<const OpenCassette> copy_of_abandoned(const std::string& path, const Descriptor& file) {
  const base::PrivateFolder folder;
  const std::string copy = folder.file("recording");
  copy_file(file, copy);
  for (const char* suffix : {"-wal", "-journal"}) {
    if (has_content(path + suffix)) copy_file(open_file(path + suffix, false), copy + suffix);
  }
  SQLite::Database source(copy, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX);
  Deadline deadline(source);
  const State state = check_source(source, deadline);
  return canonical_copy(source, state, folder);
}

/// Somebody records: one read transaction beside them.
std::shared_ptr<const OpenCassette> copy_of_live(const std::string& path) {
  const base::PrivateFolder folder;
  SQLite::Database source(path, SQLite::OPEN_READONLY | SQLite::OPEN_NOMUTEX, 2000);
  Deadline deadline(source);
  harden(source);
  SQLite::Transaction transaction(source);
  const State state = check_source(source, deadline);
  return canonical_copy(source, state, folder);
}

FileId id_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

/// A finished file has nothing beside it that SQLite would have to apply. A WAL that is there nevertheless does not
/// belong to it: it is not looked at.
bool looks_finished(const FileHeader& header, const std::string& path) {
  return !header.wal && !has_content(path + "-journal");
}

bool is_recording(const OpenCassette& cassette) {
  const auto database = open_immutable(cassette);
  Deadline deadline(*database);
  return check_source(*database, deadline) == State::recording;
}

/// No statement of ours before the schema is known to be ours. What was checked once is not checked again: a recorder
/// may have changed the state since.
SQLite::Database& checked(SQLite::Database& database, Deadline& deadline, bool known) {
  if (known) {
    harden(database);
  } else {
    static_cast<void>(check_source(database, deadline));
  }
  deadline.arm(one_statement);
  return database;
}

void check_size(const FileHeader& header) {
  const std::uint64_t expected = std::uint64_t{header.page_count} * header.page_size;
  if (header.file_size == expected) return;
  throw Damage("it has " + std::to_string(header.file_size) + " bytes where " + std::to_string(expected) +
               " should be");
}

}  // namespace

std::shared_ptr<const OpenCassette> open_finished(const std::string& path) {
  const std::string full = full_path(path);
  if (RecordingLock::held_here(id_of(full))) return copy_of_live(full);
  Descriptor file = open_file(full, false);
  const FileHeader header = check_header(file, path);
  if (looks_finished(header, full)) {
    check_size(header);
    auto cassette = open_cassette(std::move(file));
    if (cassette->finished() && !is_recording(*cassette)) return cassette;
    file = open_file(full, false);
  }
  if (!recorded_elsewhere(file)) return copy_of_abandoned(full, file);
  file.close();
  if (wait_for_keeper(full)) return open_finished(path);
  return copy_of_live(full);
}

void quick_check(SQLite::Database& database, Deadline& deadline, std::chrono::milliseconds limit) {
  deadline.arm(limit);
  Query query(database, "PRAGMA quick_check(1)");
  Rows rows(query);
  if (!query.step() || query.bytes(0) != "ok") throw Damage("SQLite's check of it fails");
  deadline.arm(one_statement);
}

CassetteReader::Impl::Impl(std::string path_of, std::shared_ptr<const OpenCassette> open, const Impl* other)
    : path(std::move(path_of)),
      file(std::move(open)),
      database(open_immutable(*file)),
      deadline(*database),
      queries(checked(*database, deadline, other != nullptr)),
      rows(*database, other != nullptr ? &other->rows : nullptr) {
  // In KiB. The inner pages of the tree of a million interactions take 4 MiB, and nearly all of them stay in when there
  // is room for twice as many others that pass through. More room does not pay: a page that lies in it is as far away
  // as the kernel's copy is. Of a small cassette no page is asked for twice, because replay keeps its answers.
  database->exec("PRAGMA cache_size=-" + std::to_string(file->file.size() < small_cassette ? 128 : 12 * 1024));
  if (other != nullptr) {
    info = other->info;
  } else {
    if (file->file.size() <= checked_up_front) quick_check(*database, deadline);
    load_info();
    database->exec("PRAGMA shrink_memory");
  }
  // The file is taken as it is, so one read transaction does for all statements; each would begin its own.
  database->exec("BEGIN");
}

CassetteReader::CassetteReader() = default;
CassetteReader::CassetteReader(CassetteReader&&) noexcept = default;

CassetteReader& CassetteReader::operator=(CassetteReader&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

CassetteReader ReaderAccess::reader(const std::string& path, std::shared_ptr<const OpenCassette> file) {
  CassetteReader reader;
  reader.impl_ = std::make_unique<CassetteReader::Impl>(path, std::move(file));
  return reader;
}

CassetteReader::CassetteReader(const std::string& path) {
  try {
    impl_ = std::make_unique<Impl>(path, open_finished(path));
  } catch (...) {
    rethrow_for(path);
  }
}

CassetteReader::~CassetteReader() {
  if (!impl_) return;
  // Closing the file here would drop this process's locks on it while it is recorded (files.h).
  const FileId id = impl_->file->file.id();
  std::shared_ptr<Impl> held = std::move(impl_);
  static_cast<void>(RecordingLock::keep_open(id, held));
}

CassetteReader CassetteReader::clone() const {
  CassetteReader other;
  try {
    other.impl_ = std::make_unique<Impl>(impl_->path, impl_->file, impl_.get());
  } catch (...) {
    rethrow_for(impl_->path);
  }
  return other;
}

}  // namespace tapedeck::cassettes
