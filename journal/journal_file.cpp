#include "journal/journal_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "base/descriptor.h"

namespace tapedeck::journal {

JournalFile::JournalFile(const std::string& path)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)) {
  const std::string refused = "cannot write the journal " + path + ": ";
  if (!file_.open()) throw std::runtime_error(refused + std::strerror(errno));
  if (!file_.is_regular_file()) throw std::runtime_error(refused + "it is no regular file");
  fchmod(file_.number(), 0600);
  thread_ = std::thread([this] { work(); });
}

JournalFile::~JournalFile() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  added_.notify_one();
  thread_.join();
}

void JournalFile::add(JournalLine line) {
  {
    const std::lock_guard lock(mutex_);
    if (lines_.size() >= most_waiting) {
      ++not_written_;
      return;
    }
    lines_.push_back(std::move(line));
    if (lines_.size() != most_waiting / 4) return;
  }
  added_.notify_one();
}

void JournalFile::work() {
  for (bool ends = false; !ends;) {
    std::deque<JournalLine> lines;
    {
      std::unique_lock lock(mutex_);
      // Looks from time to time: to be woken for each line would cost every answer a system call.
      added_.wait_for(lock, std::chrono::milliseconds(20),
                      [this] { return ends_ || lines_.size() >= most_waiting / 4; });
      lines.swap(lines_);
      ends = ends_;
    }
    write(lines);
  }
}

void JournalFile::write(const std::deque<JournalLine>& lines) {
  constexpr std::size_t block = 64u << 10;
  std::string text;
  std::uint64_t in_text = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text.append(to_json(*lines[i])).append("\n");
    ++in_text;
    if (text.size() < block && i + 1 < lines.size()) continue;
    if (!base::write_all(file_.number(), text)) not_written_ += in_text;
    text.clear();
    in_text = 0;
  }
}

}  // namespace tapedeck::journal
