#include "base/own_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace tapedeck::base {

std::optional<std::string> why_not_ours(const Descriptor& file, const IsOurs& is_ours) {
  struct stat status {};
  if (fstat(file.number(), &status) != 0) return std::strerror(errno);
  if (!S_ISREG(status.st_mode)) return "it is not a regular file";
  if (status.st_uid != geteuid()) return "it belongs to another user";
  if (status.st_nlink > 1) return "it has more than one hard link";
  if (status.st_size == 0) return std::nullopt;
  std::array<char, 4096> head{};
  const ssize_t got = pread(file.number(), head.data(), head.size(), 0);
  if (got < 0) return std::strerror(errno);
  if (is_ours({head.data(), static_cast<std::size_t>(got)})) return std::nullopt;
  return "the file exists and was not written by an earlier run";
}

std::optional<std::string> why_not_ours(const std::string& path, const IsOurs& is_ours) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.open()) return why_not_ours(file, is_ours);
  if (errno == ENOENT) return std::nullopt;
  if (errno == ELOOP) return "it is a symbolic link";
  return std::strerror(errno);
}

}  // namespace tapedeck::base
