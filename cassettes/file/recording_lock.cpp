#include "cassettes/file/recording_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "cassettes/file/cassette_error.h"

namespace tapedeck::cassettes {

namespace {

/// The files that this process has locked.
struct Held {
  std::mutex mutex;
  /// With the process, because a forked child inherits the set but not the locks.
  std::set<std::pair<pid_t, FileId>> files;
};

Held& held() {
  static Held instance;
  return instance;
}

bool is_held_here(FileId file) {
  const std::lock_guard lock(held().mutex);
  return held().files.contains({getpid(), file});
}

// While a WAL file is open, SQLite has a shared POSIX lock on these bytes (the lock-byte page of its file format).
constexpr off_t sqlite_shared_first = 0x40000002;
constexpr off_t sqlite_shared_size = 510;

[[noreturn]] void refuse(const std::string& path, std::optional<pid_t> holder) {
  std::string line = path + " is already being recorded by ";
  if (holder == getpid()) {
    line += "this process";
  } else {
    line += "another tapedeck";
    // A process in another namespace has no number here.
    if (holder && *holder > 0) line += " (process " + std::to_string(*holder) + ")";
  }
  throw CassetteError(CassetteError::Kind::in_use, line);
}

/// Returns the process that has the recording open in SQLite.
std::optional<pid_t> holder_of(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct flock query {};
  query.l_type = F_WRLCK;
  query.l_whence = SEEK_SET;
  query.l_start = sqlite_shared_first;
  query.l_len = sqlite_shared_size;
  if (fcntl(file.number(), F_GETLK, &query) != 0 || query.l_type == F_UNLCK) return std::nullopt;
  return query.l_pid;
}

std::string lock_file_of(const std::string& recording) { return recording + "-lock"; }

Descriptor open_lock_file(const std::string& path, int how) {
  return Descriptor(::open(path.c_str(), how | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
}

}  // namespace

RecordingLock::RecordingLock(Descriptor file, const std::string& path) : file_(std::move(file)), id_(file_.id()) {
  if (flock(file_.number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) refuse(path, holder_of(path));
    throw CassetteError(CassetteError::Kind::io, "cannot lock " + path + ": " + std::strerror(errno));
  }
  const std::lock_guard lock(held().mutex);
  held().files.insert({getpid(), id_});
}

RecordingLock RecordingLock::take(const std::string& path) {
  for (;;) {
    if (is_held_here(base::id_of(path))) refuse(path, getpid());
    RecordingLock lock(open_file(path, true), path);
    // Another program may have replaced the file between open and lock.
    if (lock.id_ == base::id_of(path)) return lock;
  }
}

RecordingLock RecordingLock::beside(const std::string& path) {
  const std::string name = lock_file_of(path);
  for (;;) {
    if (is_held_here(base::id_of(name))) refuse(path, getpid());
    Descriptor file = open_lock_file(name, O_RDWR | O_CREAT);
    if (!file.open())
      throw CassetteError(CassetteError::Kind::io, "cannot create " + name + ": " + std::strerror(errno));
    RecordingLock lock(std::move(file), path);
    // Another program may have removed the file between open and lock.
    if (lock.id_ != base::id_of(name)) continue;
    lock.removed_ = name;
    return lock;
  }
}

RecordingLock::~RecordingLock() {
  if (!file_.open()) return;
  if (!removed_.empty()) ::unlink(removed_.c_str());
  const std::lock_guard lock(held().mutex);
  held().files.erase({getpid(), id_});
}

bool is_locked(const std::string& recording) {
  const std::string name = lock_file_of(recording);
  if (is_held_here(base::id_of(name))) return true;
  const Descriptor file = open_lock_file(name, O_RDONLY);
  return file.open() && flock(file.number(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

void remove_stale_lock(const std::string& recording) {
  if (exists(lock_file_of(recording)) && !is_locked(recording)) {
    static_cast<void>(RecordingLock::beside(recording));  // its destructor removes the file
  }
}

void refuse_locked(const std::string& recording) {
  if (is_locked(recording)) static_cast<void>(RecordingLock::beside(recording));
}

}  // namespace tapedeck::cassettes
