#include "cassettes/file/recording_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
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

[[noreturn]] void refuse(const std::string& path, pid_t holder) {
  std::string line = path + " is being recorded by ";
  if (holder == getpid()) {
    line += "this process already";
  } else {
    line += "another tapedeck";
    if (holder > 0) line += " (process " + std::to_string(holder) + ")";
  }
  throw CassetteError(CassetteError::Kind::in_use, line);
}

pid_t holder_of(const Descriptor& file) {
  struct flock query {};
  query.l_type = F_WRLCK;
  query.l_whence = SEEK_SET;
  query.l_start = sqlite_shared_first;
  query.l_len = sqlite_shared_size;
  if (fcntl(file.number(), F_GETLK, &query) != 0 || query.l_type == F_UNLCK) return 0;
  return query.l_pid;
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

void remove_unless_locked(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.open() || RecordingLock::held_here(file.id())) return;
  if (flock(file.number(), LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
}

}  // namespace tapedeck::cassettes
