// Loaded into a program by LD_PRELOAD. Records the operations on the files of one folder in their order.

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>

#include "tests/support/power/trace_record.h"

namespace {

using tapedeck::tests::power::Op;
using tapedeck::tests::power::TraceRecord;

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

using Write = ssize_t(int, const void*, size_t);

// An operation and its record are one step, so that the trace has the correct order.
std::mutex& order() {
  static std::mutex mutex;
  return mutex;
}

const std::string& folder() {
  static const std::string path = [] {
    const char* const value = getenv(tapedeck::tests::power::folder_variable);
    return std::string(value == nullptr ? "" : value);
  }();
  return path;
}

int trace_file() {
  static const int file = [] {
    const char* const path = getenv(tapedeck::tests::power::trace_variable);
    static const auto real = next<int(const char*, int, ...)>("open");
    return path == nullptr ? -1 : real(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  }();
  return file;
}

bool is_inside(std::string_view path) {
  return !folder().empty() && path.starts_with(folder()) && path.substr(folder().size()).starts_with('/');
}

void tell(const TraceRecord& record, std::string_view path, std::string_view bytes) {
  TraceRecord head = record;
  head.path_size = static_cast<std::uint32_t>(path.size());
  head.bytes_size = bytes.size();
  std::string whole(reinterpret_cast<const char*>(&head), sizeof head);
  whole.append(path).append(bytes);
  static const auto real = next<Write>("write");
  if (real(trace_file(), whole.data(), whole.size()) != static_cast<ssize_t>(whole.size())) abort();
}

/// Returns the file's path if it is in the folder, or an empty text.
std::string path_of(int file) {
  char path[PATH_MAX];
  const ssize_t size = readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path, sizeof path);
  const std::string_view found(path, size < 0 ? 0 : static_cast<std::size_t>(size));
  return is_inside(found) || found == folder() ? std::string(found) : std::string();
}

std::uint64_t inode_of(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 ? status.st_ino : 0;
}

template <typename Result, typename Call>
Result written(int file, off64_t offset, std::string_view bytes, Call call) {
  const std::string path = path_of(file);
  if (path.empty()) return call();
  const std::lock_guard lock(order());
  const Result count = call();
  if (count > 0) {
    const auto size = static_cast<std::size_t>(count);
    const off64_t at = offset >= 0 ? offset : lseek64(file, 0, SEEK_CUR) - count;
    tell({Op::write, 0, inode_of(file), static_cast<std::uint64_t>(at), 0}, "", bytes.substr(0, size));
  }
  return count;
}

template <typename Call>
int changed(int file, Op op, std::uint64_t offset, Call call) {
  const std::string path = path_of(file);
  if (path.empty()) return call();
  const std::lock_guard lock(order());
  const int result = call();
  if (result == 0) tell({path == folder() ? Op::sync_folder : op, 0, inode_of(file), offset, 0}, "", "");
  return result;
}

template <typename Call>
int opened(const char* path, int flags, Call call) {
  if (!is_inside(path) || (flags & O_ACCMODE) == O_RDONLY) return call();
  const std::lock_guard lock(order());
  const bool is_new = access(path, F_OK) != 0;
  const int file = call();
  if (file < 0) return file;
  if (is_new) {
    tell({Op::create, 0, inode_of(file), 0, 0}, path, "");
  } else if ((flags & O_TRUNC) != 0) {
    tell({Op::truncate, 0, inode_of(file), 0, 0}, "", "");
  }
  return file;
}

template <typename Call>
int named(Op op, const char* path, std::string_view other, Call call) {
  if (!is_inside(path)) return call();
  const std::lock_guard lock(order());
  const int result = call();
  if (result == 0) tell({op, 0, 0, 0, 0}, path, other);
  return result;
}

mode_t mode_behind(int flags, va_list list) { return (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0; }

std::string joined(const iovec* parts, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  return all;
}

std::string_view view(const void* bytes, size_t size) { return {static_cast<const char*>(bytes), size}; }

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_behind(flags, list);
  va_end(list);
  static const auto real = next<int(const char*, int, ...)>("open");
  return opened(path, flags, [&] { return real(path, flags, mode); });
}

int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_behind(flags, list);
  va_end(list);
  static const auto real = next<int(const char*, int, ...)>("open64");
  return opened(path, flags, [&] { return real(path, flags, mode); });
}

ssize_t write(int file, const void* bytes, size_t size) {
  static const auto real = next<Write>("write");
  return written<ssize_t>(file, -1, view(bytes, size), [&] { return real(file, bytes, size); });
}

ssize_t writev(int file, const iovec* parts, int count) {
  static const auto real = next<ssize_t(int, const iovec*, int)>("writev");
  if (path_of(file).empty()) return real(file, parts, count);
  return written<ssize_t>(file, -1, joined(parts, count), [&] { return real(file, parts, count); });
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  static const auto real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return written<ssize_t>(file, offset, view(bytes, size), [&] { return real(file, bytes, size, offset); });
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  static const auto real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return written<ssize_t>(file, offset, view(bytes, size), [&] { return real(file, bytes, size, offset); });
}

int ftruncate(int file, off_t length) noexcept {
  static const auto real = next<int(int, off_t)>("ftruncate");
  return changed(file, Op::truncate, static_cast<std::uint64_t>(length), [&] { return real(file, length); });
}

int ftruncate64(int file, off64_t length) noexcept {
  static const auto real = next<int(int, off64_t)>("ftruncate64");
  return changed(file, Op::truncate, static_cast<std::uint64_t>(length), [&] { return real(file, length); });
}

int fsync(int file) {
  static const auto real = next<int(int)>("fsync");
  return changed(file, Op::sync, 0, [&] { return real(file); });
}

int fdatasync(int file) {
  static const auto real = next<int(int)>("fdatasync");
  return changed(file, Op::sync, 0, [&] { return real(file); });
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int(const char*, const char*)>("rename");
  return named(Op::rename, from, to, [&] { return real(from, to); });
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  static const auto real = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  return named(Op::rename, from, to, [&] { return real(from_folder, from, to_folder, to, flags); });
}

int unlink(const char* path) noexcept {
  static const auto real = next<int(const char*)>("unlink");
  return named(Op::unlink, path, "", [&] { return real(path); });
}

int remove(const char* path) noexcept {
  static const auto real = next<int(const char*)>("remove");
  return named(Op::unlink, path, "", [&] { return real(path); });
}

}  // extern "C"
