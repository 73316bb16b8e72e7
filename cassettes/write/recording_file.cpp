#include "cassettes/write/recording_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/digest.h"
#include "cassettes/file/cassette_error.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

using Kind = CassetteError::Kind;

constexpr int busy_ms = 5000;
// A reader beside the recorder copies all of it in one transaction.
constexpr int last_busy_ms = 30000;

/// Schema and first take, in a file that nobody knows of yet.
void fill_new_file(const std::string& path, const TakeRow& take) {
  SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX);
  database.exec("PRAGMA page_size=" + std::to_string(large_page_size));
  database.exec("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF");
  SQLite::Transaction transaction(database);
  create_schema(database);
  create_indexes(database);
  begin_recording(database);
  insert_take(database, take);
  transaction.commit();
}

constexpr std::string_view new_mark = ".new-";
constexpr std::size_t new_bytes = 6;  // random, in hex

std::string temporary_name(const std::string& full_path) {
  return full_path + std::string(new_mark) + base::to_hex(base::random_bytes(new_bytes));
}

/// True for what temporary_name() makes for a cassette of that name.
bool is_temporary(std::string_view name, const std::string& cassette) {
  if (!name.starts_with(cassette + std::string(new_mark))) return false;
  name.remove_prefix(cassette.size() + new_mark.size());
  return name.size() == 2 * new_bytes && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Removes what a recorder left that was killed while it made this cassette. Nothing was ever recorded into it. A file
/// that is locked is still being made.
void remove_abandoned(const std::string& full_path) {
  const std::filesystem::path path(full_path);
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path(), ignored)) {
    if (!is_temporary(entry.path().filename().string(), path.filename().string())) continue;
    if (!entry.is_symlink(ignored) && entry.is_regular_file(ignored)) remove_unless_locked(entry.path().string());
  }
}

/// A WAL beside a file that is not in WAL mode: SQLite would apply it all the same.
void refuse_foreign_wal(const FileHeader& header, const std::string& full_path, const std::string& path) {
  if (!header.wal && has_content(full_path + "-wal")) {
    throw CassetteError(Kind::damaged, path + "-wal does not belong to " + path + "; remove it first");
  }
}

}  // namespace

RecordingFile::RecordingFile(std::string path, std::string full_path, RecordingLock lock)
    : path_(std::move(path)), full_path_(std::move(full_path)), lock_(std::move(lock)) {}

RecordingFile RecordingFile::make(const std::string& path, TakeRow take) {
  try {
    return create(path, cassettes::full_path(path), std::move(take));
  } catch (...) {
    rethrow_for(path);
  }
}

void RecordingFile::begin_take(TakeRow take) {
  try {
    try {
      enter_wal();
      add_take(std::move(take));
    } catch (...) {
      if (state_ == State::finished) leave_wal();
      throw;
    }
  } catch (...) {
    rethrow_for(path_);
  }
}

RecordingFile RecordingFile::take_up(const std::string& path) {
  try {
    const std::string full = cassettes::full_path(path);
    RecordingFile file(path, full, RecordingLock::take(full));
    remove_abandoned(full);
    const FileHeader header = check_header(file.lock_.file(), path);
    refuse_foreign_wal(header, full, path);
    file.open();
    return file;
  } catch (...) {
    rethrow_for(path);
  }
}

std::optional<RecordingFile> RecordingFile::take_over(const std::string& path, Descriptor lock, std::uint32_t take) {
  try {
    const std::string full = cassettes::full_path(path);
    struct stat there {};
    if (lstat(full.c_str(), &there) != 0 || FileId{there.st_dev, there.st_ino} != lock.id()) return std::nullopt;
    RecordingFile file(path, full, RecordingLock(std::move(lock), full));
    file.open();
    file.take_ = take;
    return file;
  } catch (...) {
    rethrow_for(path);
  }
}

RecordingFile RecordingFile::create(const std::string& path, const std::string& full_path, TakeRow take) {
  take.number = 1;
  remove_abandoned(full_path);
  const std::string temporary = temporary_name(full_path);
  RecordingLock lock(create_file(temporary), path);
  try {
    fill_new_file(temporary, take);
    sync_file(lock.file(), temporary);
    RecordingFile file(path, full_path, std::move(lock));
    if (!rename_to_free(temporary, full_path)) {
      throw CassetteError(Kind::in_use, path + " has just been made by another program");
    }
    sync_folder_of(full_path);
    file.open();
    file.enter_wal();
    file.take_ = take.number;
    return file;
  } catch (...) {
    remove_if_there(temporary);
    throw;
  }
}

void RecordingFile::open() {
  database_ = std::make_unique<SQLite::Database>(full_path_, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX, busy_ms);
  harden(*database_);
  Deadline deadline(*database_);
  deadline.arm(one_statement);
  state_ = check_schema(*database_);
  if (lock_.file().size() <= checked_up_front) quick_check(*database_, deadline);
}

void RecordingFile::enter_wal() {
  // SQLite gives the side files the mode of the file.
  if (fchmod(lock_.file().number(), 0600) != 0) throw CassetteError(Kind::io, path_ + " cannot be made private");
  Query query(*database_, "PRAGMA journal_mode=WAL");
  Rows rows(query);
  if (!query.step() || query.bytes(0) != "wal") {
    throw CassetteError(Kind::io, path_ + " cannot be recorded into: its file system has no write-ahead log");
  }
  database_->exec("PRAGMA synchronous=FULL");
}

void RecordingFile::leave_wal() noexcept {
  try {
    database_->exec("PRAGMA journal_mode=DELETE");
  } catch (const std::exception&) {
    return;  // a file that is finished and in WAL mode can be read as well
  }
}

std::unique_ptr<SQLite::Database> RecordingFile::second_connection() const {
  try {
    auto connection =
        std::make_unique<SQLite::Database>(full_path_, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX, busy_ms);
    harden(*connection);
    connection->exec("PRAGMA synchronous=FULL");
    static_cast<void>(connection->execAndGet("PRAGMA schema_version"));
    return connection;
  } catch (...) {
    rethrow_for(path_);
  }
}

void RecordingFile::sync_copied() const {
  if (fdatasync(lock_.file().number()) != 0) throw CassetteError(Kind::io, path_ + " cannot be written to the disk");
}

void RecordingFile::add_take(TakeRow take) {
  const std::vector<TakeRow> takes = read_takes(*database_);
  take.number = takes.empty() ? 1 : takes.back().number + 1;
  SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
  begin_recording(*database_);
  insert_take(*database_, take);
  transaction.commit();
  state_ = State::recording;
  take_ = take.number;
}

void RecordingFile::close() {
  if (!database_) return;
  try {
    {
      database_->setBusyTimeout(last_busy_ms);
      Query query(*database_, "PRAGMA wal_checkpoint(TRUNCATE)");
      Rows rows(query);
      if (query.step() && query.number(0) != 0) {
        throw CassetteError(Kind::in_use, path_ + " is being read by another program; finish it later");
      }
    }
    database_.reset();
  } catch (...) {
    rethrow_for(path_);
  }
  if (has_content(full_path_ + "-wal")) throw CassetteError(Kind::io, path_ + "-wal could not be emptied");
}

}  // namespace tapedeck::cassettes
