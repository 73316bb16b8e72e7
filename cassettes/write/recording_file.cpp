#include "cassettes/write/recording_file.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include "cassettes/file/cassette_error.h"
#include "cassettes/file/format.h"
#include "cassettes/file/schema.h"

namespace tapedeck::cassettes {

namespace {

using Kind = CassetteError::Kind;

constexpr int busy_ms = 5000;
/// In the order of removal. The file itself is last, so that take_up() still finds and removes it if the process is
/// killed in between.
constexpr const char* suffixes[] = {"-shm", "-journal", "-wal", ""};
/// Four times the page size of a cassette. Most interactions fit into one page, which is written and read in one step.
constexpr int recording_page_size = 16'384;
constexpr const char* failed_when_killed = "failed when killed";

/// Returns true if a take has begun. A killed recorder may leave an empty file, or one without tables.
bool has_take(SQLite::Database& database) {
  Query query(database, "SELECT count(*) FROM sqlite_schema");
  Rows rows(query);
  if (!query.step() || query.number(0) == 0) return false;
  check_schema(database, Schema::recording);
  return !read_takes(database).empty();
}

bool is_regular(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

void use_wal(SQLite::Database& database, const std::string& path, bool durable) {
  Query query(database, "PRAGMA journal_mode=WAL");
  Rows rows(query);
  if (!query.step() || query.bytes(0) != "wal") {
    throw CassetteError(Kind::io,
                        "cannot record into " + path + ": its file system does not support a write-ahead log");
  }
  // Everything stays in the log. A commit that copied the log into the file would delay its clients.
  database.exec("PRAGMA wal_autocheckpoint=0");
  // Without a sync for each commit, nothing is lost if the process ends, but the last moments may be lost if the
  // machine stops.
  database.exec(durable ? "PRAGMA synchronous=FULL; PRAGMA fullfsync=ON" : "PRAGMA synchronous=NORMAL");
}

}  // namespace

RecordingFile::RecordingFile(std::string path, RecordingLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}

RecordingFile RecordingFile::create(const std::string& cassette, const Take& take, const WriteOptions& options) {
  const std::string path = recording_of(full_path(cassette));
  RecordingFile file(path, RecordingLock::beside(path));
  if (exists(path)) throw CassetteError(Kind::in_use, path + " already exists: an earlier recording is unfinished");
  static_cast<void>(create_file(path));
  try {
    file.open();
    // Written to the file itself, so that it is recognized as a recording even without its log.
    file.database().exec("PRAGMA page_size=" + std::to_string(recording_page_size));
    file.database().exec("PRAGMA synchronous=OFF; PRAGMA application_id=" + std::to_string(recording_id));
    use_wal(file.database(), cassette, options.durable);
    SQLite::Transaction transaction(file.database(), SQLite::TransactionBehavior::IMMEDIATE);
    create_tables(file.database(), Schema::recording);
    insert_take(file.database(), take);
    if (!options.kept_when_killed) {
      Query(file.database(), "INSERT INTO meta VALUES(?, '')").text(failed_when_killed).run();
    }
    transaction.commit();
    if (options.durable) sync_folder_of(path);
    return file;
  } catch (...) {
    file.database_.reset();
    for (const char* const suffix : suffixes) remove_if_there(path + suffix);
    rethrow_for(cassette);
  }
}

std::optional<RecordingFile> RecordingFile::take_up(const std::string& cassette) {
  const std::string path = recording_of(full_path(cassette));
  if (!exists(path)) {
    remove_stale_lock(path);
    return std::nullopt;
  }
  try {
    RecordingFile file(path, RecordingLock::beside(path));
    static_cast<void>(open_file(path, true));
    file.open();
    if (has_take(file.database())) return file;
    file.remove();
    return std::nullopt;
  } catch (...) {
    rethrow_for(path);
  }
}

void RecordingFile::open() {
  database_ = std::make_unique<SQLite::Database>(path_, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX, busy_ms);
  harden(*database_);
}

void RecordingFile::remove() {
  // Otherwise SQLite would first copy the log into the file.
  if (database_) sqlite3_db_config(database_->getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  database_.reset();
  for (const char* const suffix : suffixes) remove_if_there(path_ + suffix);
}

void RecordingFile::remove_if_empty() noexcept {
  if (!database_) return;  // already finished
  try {
    bool is_empty = false;
    {
      Query query(*database_, "SELECT 1 FROM recorded UNION ALL SELECT 1 FROM note LIMIT 1");
      Rows rows(query);
      is_empty = !query.step();
    }
    if (is_empty) remove();
  } catch (const std::exception&) {
    return;  // keeps the file; the next command will examine it
  }
}

std::unique_ptr<SQLite::Database> open_to_read(const std::string& cassette, const std::string& folder) {
  const std::string path = recording_of(full_path(cassette));
  if (!is_regular(path)) return nullptr;
  std::string opened = path;
  int flags = SQLite::OPEN_READONLY;
  if (!is_locked(path)) {
    opened = folder + "/recording";
    copy_file(open_file(path, false), opened);
    for (const char* const suffix : {"-wal", "-journal"}) {
      if (has_content(path + suffix)) copy_file(open_file(path + suffix, false), opened + suffix);
    }
    flags = SQLite::OPEN_READWRITE;
  }
  auto recording = std::make_unique<SQLite::Database>(opened, flags | SQLite::OPEN_NOMUTEX, busy_ms);
  harden(*recording);
  recording->exec("BEGIN");
  if (!has_take(*recording) || !is_kept_when_killed(*recording)) return nullptr;
  return recording;
}

Take take_in(SQLite::Database& recording) {
  const std::vector<Take> takes = read_takes(recording);
  if (takes.size() != 1) throw Damage("the recording has no take");
  return takes.front();
}

bool is_kept_when_killed(SQLite::Database& recording) {
  Query query(recording, "SELECT 1 FROM meta WHERE name = ?");
  Rows rows(query);
  return !query.text(failed_when_killed).step();
}

}  // namespace tapedeck::cassettes
