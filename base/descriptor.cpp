#include "base/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace tapedeck::base {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = other.release();
  }
  return *this;
}

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

FileId id_of(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 ? FileId{status.st_dev, status.st_ino} : FileId{};
}

FileId Descriptor::id() const {
  struct stat status {};
  if (fstat(number_, &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

std::uint64_t Descriptor::size() const {
  struct stat status {};
  return fstat(number_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

bool Descriptor::is_regular_file() const {
  struct stat status {};
  return fstat(number_, &status) == 0 && S_ISREG(status.st_mode);
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = EIO;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::size_t read_at(int descriptor, std::uint64_t offset, std::span<char> into) {
  std::size_t done = 0;
  errno = 0;
  while (done < into.size()) {
    const ssize_t got = ::pread(descriptor, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) {
      errno = 0;
      continue;
    }
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::optional<std::string> read_all(int descriptor) {
  std::string bytes;
  std::array<char, 65536> piece{};
  while (true) {
    const ssize_t got = ::read(descriptor, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(got));
  }
}

std::optional<std::string> read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.open() ? read_all(file.number()) : std::nullopt;
}

bool replace_file(const std::string& path, std::string_view bytes, mode_t mode) {
  std::string temporary = path + ".XXXXXX";  // a unique name, because two programs may do this at the same time
  Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.open()) return false;
  if (fchmod(file.number(), mode) == 0 && write_all(file.number(), bytes) && ::close(file.release()) == 0 &&
      std::rename(temporary.c_str(), path.c_str()) == 0) {
    return true;
  }
  const int error = errno;
  ::unlink(temporary.c_str());
  errno = error;
  return false;
}

}  // namespace tapedeck::base
