#include "cassettes/file/files.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/system.h"
#include "cassettes/file/cassette_error.h"
#include "cassettes/file/format.h"

namespace tapedeck::cassettes {

namespace {

using Kind = CassetteError::Kind;

[[noreturn]] void fail(std::string_view verb, const std::string& path, int code) {
  throw CassetteError(code == ENOENT ? Kind::not_found : Kind::io,
                      "cannot " + std::string(verb) + " " + path + ": " + std::strerror(code));
}

std::uint32_t big_endian(const std::array<unsigned char, 100>& header, std::size_t at, int count) {
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | header[at + static_cast<std::size_t>(i)];
  return value;
}

void check_kind(const Descriptor& file, const std::string& path) {
  struct stat status {};
  if (fstat(file.number(), &status) != 0) fail("read", path, errno);
  if (S_ISDIR(status.st_mode)) throw CassetteError(Kind::not_a_cassette, path + " is a folder, not a cassette");
  if (!S_ISREG(status.st_mode)) throw CassetteError(Kind::not_a_cassette, path + " is not a regular file");
}

void refuse_lfs_pointer(std::string_view head, const std::string& path) {
  if (!head.starts_with("version https://git-lfs.github.com/spec/")) return;
  throw CassetteError(Kind::not_a_cassette, path + " is a Git LFS pointer, not the cassette\nhint: run `git lfs pull`");
}

void check_header(const Descriptor& file, const std::string& path) {
  std::array<unsigned char, 100> header{};
  const ssize_t count = pread(file.number(), header.data(), header.size(), 0);
  if (count < 0) fail("read", path, errno);
  if (count == 0) throw CassetteError(Kind::not_a_cassette, path + " is an empty file, not a cassette");
  refuse_lfs_pointer({reinterpret_cast<const char*>(header.data()), static_cast<std::size_t>(count)}, path);
  if (count < 100 || std::memcmp(header.data(), "SQLite format 3", 16) != 0) {
    throw CassetteError(Kind::not_a_cassette, path + " is not a cassette");
  }
  const std::uint32_t application = big_endian(header, 68, 4);
  if (application == recording_id) {
    throw CassetteError(Kind::not_a_cassette,
                        path + " is an unfinished recording, not a cassette\nhint: name its cassette");
  }
  if (application != application_id) {
    throw CassetteError(Kind::not_a_cassette, path + " is a SQLite file of another program, not a cassette");
  }
  const std::uint32_t version = big_endian(header, 60, 4);
  if (version != static_cast<std::uint32_t>(format_version)) {
    throw CassetteError(Kind::too_new,
                        path + " has format " + std::to_string(version) +
                            ", but this version of Tapedeck reads format " + std::to_string(format_version) +
                            (version < format_version ? "\nhint: record it again" : "\nhint: use a newer version"));
  }
  const bool is_sound =
      big_endian(header, 16, 2) == page_size && header[18] == 1 && header[19] == 1 && header[20] == checksum_size;
  if (!is_sound) {
    throw CassetteError(Kind::damaged, path + " is damaged: its header is not that of a cassette");
  }
  const std::uint64_t expected = std::uint64_t{big_endian(header, 28, 4)} * page_size;
  if (file.size() == expected) return;
  throw CassetteError(Kind::damaged, path + " is damaged: it has " + std::to_string(file.size()) +
                                         " bytes instead of " + std::to_string(expected));
}

}  // namespace

std::string full_path(const std::string& path) {
  if (path.empty()) throw CassetteError(Kind::not_found, "the name of the cassette is empty");
  if (path.find('\0') != std::string::npos)
    throw CassetteError(Kind::not_found, "the name of the cassette contains a NUL byte");
  if (path.starts_with("file:")) {
    throw CassetteError(Kind::not_found,
                        path + " looks like a URI\nhint: write ./" + path + " if this is the name of a file");
  }
  const std::filesystem::path given(path);
  if (!given.has_filename()) throw CassetteError(Kind::not_a_cassette, path + " is a folder, not a cassette");
  std::error_code error;
  const auto folder = std::filesystem::canonical(given.has_parent_path() ? given.parent_path() : ".", error);
  if (error == std::errc::no_such_file_or_directory) {
    throw CassetteError(Kind::not_found, path + ": the folder does not exist");
  }
  if (error) throw CassetteError(Kind::not_found, "cannot find " + path + ": " + error.message());
  return (folder / given.filename()).string();
}

void refuse_lfs_pointer(const std::string& path) {
  std::array<char, 100> head{};
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  const ssize_t count = file.open() ? pread(file.number(), head.data(), head.size(), 0) : 0;
  refuse_lfs_pointer(std::string_view(head.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))), path);
}

Descriptor open_file(const std::string& path, bool for_writing) {
  // O_NONBLOCK keeps open() from waiting for a FIFO. It does not affect regular files.
  const int flags = (for_writing ? O_RDWR | O_NOFOLLOW : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  Descriptor file(::open(path.c_str(), flags));
  if (!file.open()) {
    if (errno == EISDIR) throw CassetteError(Kind::not_a_cassette, path + " is a folder, not a cassette");
    if (errno == ELOOP && for_writing)
      throw CassetteError(Kind::io, path + " is a symbolic link\nhint: name the file that it points to");
    if (errno == ENOENT)
      throw CassetteError(Kind::not_found, path + ": no such cassette\nhint: `tapedeck record` creates one");
    fail("open", path, errno);
  }
  check_kind(file, path);
  return file;
}

Descriptor create_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.open()) fail("create", path, errno);
  return file;
}

OpenCassette open_cassette(const std::string& path) {
  auto file = std::make_shared<const Descriptor>(open_file(full_path(path), false));
  check_header(*file, path);
  return file;
}

std::vector<std::string> side_files(const std::string& cassette) {
  std::vector<std::string> found;
  for (const char* const suffix : {".recording", ".unmerged", ".failed", ".quarantined"}) {
    const std::string name = cassette + suffix;
    if (exists(name)) found.push_back(name);
    for (int i = 2; exists(name + "-" + std::to_string(i)); ++i) found.push_back(name + "-" + std::to_string(i));
  }
  return found;
}

bool is_recorded(const std::string& cassette) { return exists(cassette) || exists(recording_of(cassette)); }

bool exists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

bool has_content(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && status.st_size > 0;
}

void remove_if_there(const std::string& path) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT) fail("remove", path, errno);
}

void sync_file(const Descriptor& file, const std::string& path) {
  if (!base::sync_to_disk(file.number())) fail("sync", path, errno);
}

void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a folder (EINVAL). The rename has already succeeded.
  if (!opened.open() || (!base::sync_to_disk(opened.number()) && errno != EINVAL)) fail("sync", folder, errno);
}

bool rename_to_free(const std::string& from, const std::string& to) {
  if (base::rename_without_replacing(from, to)) return true;
  if (errno == EEXIST) return false;
  if (errno != EINVAL && errno != ENOSYS) fail("create", to, errno);
  // The file system does not support this flag. link() refuses an existing name as well.
  if (link(from.c_str(), to.c_str()) != 0) {
    if (errno == EEXIST) return false;
    fail("create", to, errno);
  }
  remove_if_there(from);
  return true;
}

void rename_over(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) != 0) fail("replace", to, errno);
}

void copy_file(const Descriptor& from, const std::string& to) {
  const Descriptor target = create_file(to);
  std::array<char, 65536> buffer{};
  for (std::uint64_t at = 0;;) {
    const std::size_t got = base::read_at(from.number(), at, buffer);
    if (got == 0 && errno != 0) fail("copy to", to, errno);
    if (got == 0) return;
    if (!base::write_all(target.number(), {buffer.data(), got})) fail("write", to, errno);
    at += got;
  }
}

}  // namespace tapedeck::cassettes
