#include "base/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

bool replace_file(const std::string& path, std::string_view bytes, mode_t mode) {
  std::string temporary = path + ".XXXXXX";  // a name of its own: two programs may do this at once
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
