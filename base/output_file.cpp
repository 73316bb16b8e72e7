#include "base/output_file.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <streambuf>
#include <system_error>
#include <utility>

#include "base/system.h"
#include "base/text.h"

namespace tapedeck::base {
namespace {

/// Writes to a descriptor. If that fails, errno has the reason.
class FileBuffer : public std::streambuf {
 public:
  explicit FileBuffer(int file) : file_(file) { empty(); }
  ~FileBuffer() override { sync(); }
  FileBuffer(const FileBuffer&) = delete;
  FileBuffer& operator=(const FileBuffer&) = delete;

 protected:
  int sync() override {
    const bool is_written = write_all(file_.number(), {pbase(), static_cast<std::size_t>(pptr() - pbase())});
    empty();
    return is_written ? 0 : -1;
  }
  int_type overflow(int_type next) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(next, traits_type::eof())) sputc(traits_type::to_char_type(next));
    return traits_type::not_eof(next);
  }

 private:
  void empty() { setp(bytes_.data(), bytes_.data() + bytes_.size()); }

  Descriptor file_;
  std::array<char, 16384> bytes_{};
};

enum class OutputKind { output, errors, descriptor, file, special, socket };

[[noreturn]] void fail_output(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + " cannot be written: " + why);
}

[[noreturn]] void fail_output(const std::string& path, int code) {
  fail_output(path, std::generic_category().message(code));
}

std::optional<int> descriptor_in(std::string_view path) {
  constexpr std::string_view folder = "/dev/fd/";
  if (!path.starts_with(folder)) return std::nullopt;
  return whole_number<int>(path.substr(folder.size()));
}

std::string link_refusal(const std::string& path) {
  std::error_code ignored;
  const std::string target = std::filesystem::read_symlink(path, ignored).string();
  return "it is a link, and links are not followed; name the file itself" + (target.empty() ? "" : ": " + target);
}

/// Throws std::runtime_error for a path that must not be written.
OutputKind output_kind(const std::string& path, const IsOurs& is_ours) {
  if (path.empty() || path == "-" || path == "/dev/stdout") return OutputKind::output;
  if (path == "/dev/stderr") return OutputKind::errors;
  if (descriptor_in(path)) return OutputKind::descriptor;
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) fail_output(path, errno);
    return OutputKind::file;
  }
  if (S_ISLNK(status.st_mode)) fail_output(path, link_refusal(path));
  if (S_ISDIR(status.st_mode)) fail_output(path, "it is a folder; name a file in it");
  if (S_ISSOCK(status.st_mode)) return OutputKind::socket;
  if (!S_ISREG(status.st_mode)) return OutputKind::special;
  if (is_ours) {
    if (const auto why = why_not_ours(path, is_ours)) fail_output(path, *why);
  }
  return OutputKind::file;
}

int connected_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) fail_output(path, ENAMETOOLONG);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  Descriptor socket(stream_socket(AF_UNIX, Calls::wait));
  if (!socket.open() || connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fail_output(path, errno);
  }
  return socket.release();
}

/// Opens a device or pipe. Fails if a regular file has replaced it since it was examined.
int opened_special(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  if (!file.open()) fail_output(path, errno);
  if (file.is_regular_file()) fail_output(path, "another file has taken its name");
  return file.release();
}

}  // namespace

OutputFile::OutputFile(std::string path, const IsOurs& is_ours) : path_(std::move(path)) {
  int opened = -1;
  switch (output_kind(path_, is_ours)) {
    case OutputKind::output:
    case OutputKind::errors:
      return;
    case OutputKind::descriptor:
      opened = fcntl(*descriptor_in(path_), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
      break;
    case OutputKind::socket:
      opened = connected_to(path_);
      break;
    case OutputKind::special:
      opened = opened_special(path_);
      break;
    case OutputKind::file:
      draft_ = path_ + ".new-XXXXXX";
      opened = mkostemp(draft_.data(), O_CLOEXEC);
      if (opened < 0) draft_.clear();
      break;
  }
  if (opened < 0) fail_output(path_, errno);
  buffer_ = std::make_unique<FileBuffer>(opened);
  stream_ = std::make_unique<std::ostream>(buffer_.get());
}

OutputFile::~OutputFile() {
  if (!draft_.empty()) unlink(draft_.c_str());
}

std::ostream& OutputFile::stream() {
  if (stream_) return *stream_;
  return path_ == "/dev/stderr" ? std::cerr : std::cout;
}

void OutputFile::commit() {
  if (!stream_) return;
  errno = 0;
  stream_->flush();
  // An earlier failed write leaves no errno. The usual cause is a full disk.
  if (!*stream_) fail_output(path_, errno != 0 ? errno : ENOSPC);
  buffer_.reset();
  stream_->rdbuf(nullptr);
  if (draft_.empty()) return;
  if (output_kind(path_, {}) != OutputKind::file) fail_output(path_, "something else has taken its name");
  if (rename(draft_.c_str(), path_.c_str()) != 0) fail_output(path_, errno);
  draft_.clear();
}

std::optional<std::string> OutputFile::why_not(const std::string& path, const IsOurs& is_ours) {
  try {
    const OutputKind kind = output_kind(path, is_ours);
    const bool has_name = kind == OutputKind::special || kind == OutputKind::socket;
    const std::string folder = std::filesystem::path(path).parent_path().string();
    const char* const written = has_name ? path.c_str() : folder.empty() ? "." : folder.c_str();
    if ((has_name || kind == OutputKind::file) && access(written, W_OK) != 0) fail_output(path, errno);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return std::nullopt;
}

}  // namespace tapedeck::base
