#include "base/own_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
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

OwnFile::~OwnFile() { drop_draft(); }

std::optional<std::string> OwnFile::write(std::string_view bytes) {
  if (auto why = prepare(bytes)) return why;
  return put();
}

std::optional<std::string> OwnFile::prepare(std::string_view bytes) {
  if (auto why = why_not_ours(path_, is_ours_)) return why;
  drop_draft();
  std::string temporary = path_ + ".XXXXXX";
  Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.open()) return std::strerror(errno);
  draft_ = std::move(temporary);
  if (fchmod(file.number(), 0600) == 0 && write_all(file.number(), bytes)) {
    draft_file_ = std::move(file);
    return std::nullopt;
  }
  std::string why = std::strerror(errno);
  drop_draft();
  return why;
}

std::optional<std::string> OwnFile::put() {
  if (std::rename(draft_.c_str(), path_.c_str()) == 0) {
    draft_.clear();
    file_ = std::move(draft_file_);
    return std::nullopt;
  }
  std::string why = std::strerror(errno);
  drop_draft();
  return why;
}

void OwnFile::drop_draft() {
  if (draft_.empty()) return;
  ::unlink(draft_.c_str());
  draft_.clear();
  draft_file_.close();
}

void OwnFile::remove() {
  if (!file_.open()) return;
  const Descriptor there(::open(path_.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (there.open() && there.id() == file_.id()) ::unlink(path_.c_str());
  file_.close();
}

}  // namespace tapedeck::base
