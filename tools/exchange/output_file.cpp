#include "tools/exchange/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include "base/digest.h"

namespace tapedeck::tools {

namespace {

[[noreturn]] void fail(const std::string& path, int code) {
  throw std::runtime_error(path + " cannot be written: " + std::generic_category().message(code));
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty() || path_ == "-") return;
  draft_ = path_ + ".new-" + base::to_hex(base::random_bytes(6));
  const int descriptor = open(draft_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    draft_.clear();
    fail(path_, errno);
  }
  close(descriptor);
  file_.open(draft_, std::ios::binary);
  if (!file_) fail(path_, errno);
}

OutputFile::~OutputFile() {
  if (!draft_.empty()) unlink(draft_.c_str());
}

std::ostream& OutputFile::stream() { return draft_.empty() ? std::cout : file_; }

void OutputFile::commit() {
  if (draft_.empty()) return;
  errno = 0;
  file_.flush();
  // What was refused earlier has left no number; it is the disk that fills while an export is written.
  if (!file_) fail(path_, errno != 0 ? errno : ENOSPC);
  file_.close();
  if (rename(draft_.c_str(), path_.c_str()) != 0) fail(path_, errno);
  draft_.clear();
}

}  // namespace tapedeck::tools
