#include "cassettes/file/recording_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "cassettes/file/cassette_error.h"

namespace tapedeck::cassettes {

namespace {

/// The files that this process records into, and what may be closed only after their recorder.
struct Held {
  std::mutex mutex;
  std::map<FileId, std::vector<std::shared_ptr<void>>> files;
};

Held& held() {
  static Held instance;
  return instance;
}

// SQLite holds a shared POSIX lock on these bytes (its file format's lock-byte page) while a WAL file is open.
constexpr off_t sqlite_shared_first = 0x40000002;
constexpr off_t sqlite_shared_size = 510;

// Bytes of our own behind SQLite's: locked by open file description, which recorder and keeper share, so that these
// marks go when both have gone.
constexpr off_t kept_mark = 0x50000000;
constexpr off_t finishing_mark = 0x50000001;

std::function<void(const std::string&)>& waiting_told() {
  static std::function<void(const std::string&)> told;
  return told;
}

[[noreturn]] void refuse(const std::string& path, std::optional<pid_t> holder) {
  std::string line = path + " is being recorded by ";
  if (holder == getpid()) {
    line += "this process already";
  } else {
    line += "another tapedeck";
    // In another namespace it has no number here.
    if (holder && *holder > 0) line += " (process " + std::to_string(*holder) + ")";
  }
  throw CassetteError(CassetteError::Kind::in_use, line);
}

struct flock range_of(off_t first, off_t size) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = first;
  range.l_len = size;
  return range;
}

/// The process that has the file open in SQLite.
std::optional<pid_t> holder_of(const Descriptor& file) {
  struct flock query = range_of(sqlite_shared_first, sqlite_shared_size);
  if (fcntl(file.number(), F_GETLK, &query) != 0 || query.l_type == F_UNLCK) return std::nullopt;
  return query.l_pid;
}

/// Best effort: where a file system has no such locks, nobody waits.
void set_mark(int file, off_t mark) {
  struct flock lock = range_of(mark, 1);
  static_cast<void>(fcntl(file, F_OFD_SETLK, &lock));
}

bool has_mark(const Descriptor& file, off_t mark) {
  struct flock query = range_of(mark, 1);
  return fcntl(file.number(), F_OFD_GETLK, &query) == 0 && query.l_type != F_UNLCK;
}

/// Between a recorder's death and its keeper's first step nobody has the file open.
bool is_with_keeper(const Descriptor& file) {
  if (!recorded_elsewhere(file)) return false;
  return has_mark(file, finishing_mark) || (has_mark(file, kept_mark) && !holder_of(file));
}

FileId id_of(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 ? FileId{status.st_dev, status.st_ino} : FileId{};
}

}  // namespace

RecordingLock::RecordingLock(Descriptor file, const std::string& path) : file_(std::move(file)), id_(file_.id()) {
  if (flock(file_.number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) refuse(path, holder_of(file_));
    throw CassetteError(CassetteError::Kind::io, path + " cannot be locked: " + std::strerror(errno));
  }
  const std::lock_guard lock(held().mutex);
  held().files[id_];
}

RecordingLock RecordingLock::take(const std::string& path) {
  for (;;) {
    if (held_here(id_of(path))) refuse(path, getpid());
    static_cast<void>(wait_for_keeper(path));
    RecordingLock lock(open_file(path, true), path);
    // Between open and lock, a recorder that finished may have put a new file at this name.
    if (lock.id_ == id_of(path)) return lock;
  }
}

RecordingLock::~RecordingLock() {
  if (!file_.open()) return;
  std::vector<std::shared_ptr<void>> kept;
  {
    const std::lock_guard lock(held().mutex);
    if (const auto found = held().files.find(id_); found != held().files.end()) {
      kept = std::move(found->second);
      held().files.erase(found);
    }
  }
}

bool RecordingLock::held_here(FileId file) {
  const std::lock_guard lock(held().mutex);
  return held().files.contains(file);
}

bool RecordingLock::keep_open(FileId file, std::shared_ptr<void> what) {
  const std::lock_guard lock(held().mutex);
  const auto found = held().files.find(file);
  if (found == held().files.end()) return false;
  found->second.push_back(std::move(what));
  return true;
}

bool recorded_elsewhere(const Descriptor& file) {
  if (flock(file.number(), LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  return false;
}

void mark_as_kept(int file) { set_mark(file, kept_mark); }
void mark_as_finishing(const Descriptor& file) { set_mark(file.number(), finishing_mark); }

bool wait_for_keeper(const std::string& path) {
  constexpr std::chrono::milliseconds pause{20};
  for (bool waited = false;; waited = true) {
    if (RecordingLock::held_here(id_of(path))) return waited;
    {
      const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
      if (!file.open() || !is_with_keeper(file)) return waited;
    }
    if (!waited && waiting_told()) waiting_told()(path);
    std::this_thread::sleep_for(pause);
  }
}

void say_who_waits(std::function<void(const std::string& path)> told) { waiting_told() = std::move(told); }

void remove_unless_locked(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.open() || RecordingLock::held_here(file.id())) return;
  if (flock(file.number(), LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
}

}  // namespace tapedeck::cassettes
