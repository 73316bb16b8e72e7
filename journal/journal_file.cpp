#include "journal/journal_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "base/descriptor.h"
#include "base/own_file.h"
#include "base/text.h"

namespace tapedeck::journal {
namespace {

/// Returns true if the text begins with a line of a journal.
bool is_journal(std::string_view head) {
  return head.starts_with("{\"") && head.substr(0, head.find('\n')).find("\"number\":") != std::string_view::npos;
}

}  // namespace

JournalFile::JournalFile(const std::string& path)
    : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)) {
  const std::string refused = "cannot write the journal " + path + ": ";
  if (!file_.open()) throw std::runtime_error(refused + std::strerror(errno));
  if (const auto why = base::why_not_ours(file_, is_journal)) throw std::runtime_error(refused + *why);
  fchmod(file_.number(), 0600);
  begin_ = file_.size();
  thread_ = std::thread([this] { work(); });
}

JournalFile::~JournalFile() { stop(); }

void JournalFile::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

namespace {

/// Rewrites each line of a journal from byte `begin` on.
bool rewrite_lines(const base::Descriptor& file, std::uint64_t begin,
                   const std::function<std::string(std::string_view line)>& change) {
  if (file.size() <= begin) return true;
  std::string text(file.size() - begin, '\0');
  text.resize(base::read_at(file.number(), begin, text));
  std::string changed;
  for (std::string_view rest = text; !rest.empty();) {
    changed.append(change(base::take_until(rest, '\n'))).append("\n");
  }
  if (changed == text) return true;
  // Continues the file where this run began.
  return ftruncate(file.number(), static_cast<off_t>(begin)) == 0 && base::write_all(file.number(), changed);
}

}  // namespace

void JournalFile::rewrite(const std::function<std::string(std::string_view line)>& change) {
  stop();
  if (!rewrite_lines(file_, begin_, change)) ++not_written_;
}

void JournalFile::add(JournalLine line) {
  const std::lock_guard lock(mutex_);
  if (lines_.size() >= most_waiting) {
    ++not_written_;
    return;
  }
  lines_.push_back(std::move(line));
}

void JournalFile::work() {
  for (bool ends = false; !ends;) {
    std::deque<JournalLine> lines;
    {
      std::unique_lock lock(mutex_);
      // Polls, because a notification for each line would cost every response a system call.
      ending_.wait_for(lock, std::chrono::milliseconds(20), [this] { return ends_; });
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
