#include "journal/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "api/call.h"
#include "api/json_spans.h"
#include "base/descriptor.h"
#include "base/own_file.h"
#include "base/text.h"

namespace tapedeck::journal {
namespace {

constexpr std::size_t most_kinds = 10'000;

/// Appends `,"name":"value"`, unless the value is empty.
void append_member(std::string& line, std::string_view name, std::string_view value) {
  if (!value.empty()) line.append(",\"").append(name).append("\":").append(api::json_quoted(value));
}

template <typename Number>
void append_number(std::string& line, std::string_view name, const std::optional<Number>& value) {
  if (value) line.append(",\"").append(name).append("\":").append(std::to_string(*value));
}

bool agrees(const std::optional<std::string>& wanted, const std::string& value) { return !wanted || *wanted == value; }

bool same_api(const std::string& wanted, const std::string& api) {
  if (wanted == api) return true;
  const std::string rest = api::ApiName::split(api).rest;
  return wanted == rest || api::ApiName::split(wanted).rest == rest;
}

void hide_in(JournalEntry& entry, const Hide& hide) {
  for (const NamedMember& member : named_members) {
    std::string& text = entry.*member.text;
    if (!text.empty()) text = hide(text);
  }
}

/// Returns true if the text begins with a line of a journal.
bool is_journal(std::string_view head) {
  return head.starts_with("{\"") && head.substr(0, head.find('\n')).find("\"number\":") != std::string_view::npos;
}

constexpr int how_to_open = O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

}  // namespace

/// Appends lines on its own thread, so that requests do not wait for the disk.
class Journal::File {
 public:
  /// Limit for waiting lines; further ones are left out of the file.
  static constexpr std::size_t most_waiting = 50'000;

  /// Opens the file with mode 0600. Does not follow links, and only writes to an empty file or an earlier journal.
  /// Throws std::runtime_error.
  explicit File(const std::string& path);
  /// Writes the remaining lines.
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Creates the part file, which gets the following lines. Throws std::runtime_error.
  void begin_part();
  void add(JournalLine line);
  /// Writes the remaining lines, then moves those of the part file to the file. Nothing can be added afterwards.
  void finish(const std::function<std::string(std::string_view lines)>& clean);
  [[nodiscard]] std::uint64_t not_written() const { return not_written_; }

 private:
  void stop();
  void work();
  void write(const std::deque<JournalLine>& lines, int file);

  const std::string path_;
  base::Descriptor file_;
  std::string part_path_;
  std::mutex mutex_;
  base::Descriptor part_;  ///< guarded by mutex_ until stop()
  std::condition_variable ending_;
  std::deque<JournalLine> lines_;  ///< guarded by mutex_
  bool ends_ = false;              ///< guarded by mutex_
  std::atomic<std::uint64_t> not_written_ = 0;
  std::thread thread_;
};

Journal::File::File(const std::string& path) : path_(path), file_(::open(path.c_str(), O_RDWR | how_to_open, 0600)) {
  const std::string refused = "cannot write the journal " + path + ": ";
  if (!file_.open()) throw std::runtime_error(refused + std::strerror(errno));
  if (const auto why = base::why_not_ours(file_, is_journal)) throw std::runtime_error(refused + *why);
  fchmod(file_.number(), 0600);
  thread_ = std::thread([this] { work(); });
}

Journal::File::~File() {
  stop();
  if (part_.open() && part_.size() == 0) ::unlink(part_path_.c_str());
}

void Journal::File::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

void Journal::File::begin_part() {
  constexpr int most_parts = 1'000;  // of runs at the same time, and of killed ones
  const std::lock_guard lock(mutex_);
  for (int number = 1; !part_.open() && number <= most_parts; ++number) {
    part_path_ = path_ + ".part-" + std::to_string(number);
    part_ = base::Descriptor(::open(part_path_.c_str(), O_RDWR | O_EXCL | how_to_open, 0600));
    if (!part_.open() && errno != EEXIST) break;
  }
  if (!part_.open()) throw std::runtime_error("cannot write the journal " + part_path_ + ": " + std::strerror(errno));
}

void Journal::File::finish(const std::function<std::string(std::string_view lines)>& clean) {
  stop();
  if (!part_.open()) return;
  std::string lines(part_.size(), '\0');
  lines.resize(base::read_at(part_.number(), 0, lines));
  if (base::write_all(file_.number(), clean(lines))) {
    ::unlink(part_path_.c_str());
    part_.close();
  } else {
    not_written_ += static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
  }
}

void Journal::File::add(JournalLine line) {
  const std::lock_guard lock(mutex_);
  if (lines_.size() >= most_waiting) {
    ++not_written_;
    return;
  }
  lines_.push_back(std::move(line));
}

void Journal::File::work() {
  for (bool ends = false; !ends;) {
    std::deque<JournalLine> lines;
    int file = -1;
    {
      std::unique_lock lock(mutex_);
      // Polls, because a notification for each line would cost every response a system call.
      ending_.wait_for(lock, std::chrono::milliseconds(20), [this] { return ends_; });
      lines.swap(lines_);
      ends = ends_;
      file = part_.open() ? part_.number() : file_.number();
    }
    write(lines, file);
  }
}

void Journal::File::write(const std::deque<JournalLine>& lines, int file) {
  constexpr std::size_t block = 64u << 10;
  std::string text;
  std::uint64_t in_text = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text.append(to_json(*lines[i])).append("\n");
    ++in_text;
    if (text.size() < block && i + 1 < lines.size()) continue;
    if (!base::write_all(file, text)) not_written_ += in_text;
    text.clear();
    in_text = 0;
  }
}

std::string to_json(const JournalEntry& entry) {
  std::string line = "{\"number\":" + std::to_string(entry.number) + ",\"at_us\":" + std::to_string(entry.at_us);
  append_member(line, "session", entry.session);
  append_member(line, "scope", entry.scope);
  append_member(line, "verb", entry.verb);
  append_member(line, "api", entry.api);
  append_member(line, "version", entry.version);
  append_member(line, "method", entry.method);
  append_member(line, "key", entry.key);
  append_number(line, "part", entry.part);
  append_member(line, "outcome", entry.outcome);
  append_member(line, "recording", entry.recording);
  append_number(line, "position", entry.position);
  append_number(line, "of", entry.of);
  append_member(line, "match", entry.match);
  append_member(line, "overlay", entry.overlay);
  append_number(line, "status", std::optional(entry.status));
  append_number(line, "code", entry.code);
  append_number(line, "duration_us", entry.duration_us);
  append_number(line, "bytes", entry.bytes);
  append_member(line, "reason", entry.reason);
  if (const auto& messages = entry.messages) {
    line += ",\"messages\":{\"sent\":" + std::to_string(messages->sent) +
            ",\"received\":" + std::to_string(messages->received) +
            ",\"different\":" + std::to_string(messages->different) + "}";
  }
  return line + "}";
}

bool JournalMatch::fits(const JournalEntry& entry) const {
  if (api && !same_api(*api, entry.api)) return false;
  if (status && *status != entry.status) return false;
  if (code && code != entry.code) return false;
  return agrees(version, entry.version) && agrees(method, entry.method) && agrees(outcome, entry.outcome) &&
         agrees(session, entry.session) && agrees(scope, entry.scope) && agrees(verb, entry.verb) &&
         agrees(key, entry.key) && agrees(recording, entry.recording);
}

Journal::Journal(JournalOptions options)
    : ring_(std::max<std::size_t>(1, options.capacity)),
      most_kept_(options.kept_bytes),
      kept_(most_kept_ > 0 ? ring_.size() : 0) {
  if (!options.file.empty()) file_ = std::make_unique<File>(options.file);
}

Journal::~Journal() { stop_waiting(); }

void Journal::hide_with(Hide hide) {
  if (file_) file_->begin_part();
  const std::lock_guard lock(mutex_);
  hide_ = std::make_shared<const Hide>(std::move(hide));
}

std::shared_ptr<const Hide> Journal::hide() const {
  const std::lock_guard lock(mutex_);
  return hide_;
}

std::string Journal::hidden(std::string_view text) const {
  const auto hide = this->hide();
  return hide == nullptr ? std::string(text) : (*hide)(text);
}

std::uint64_t Journal::add(JournalEntry entry, Kept beside) {
  if (const auto hide = this->hide()) hide_in(entry, *hide);
  const auto kept = std::make_shared<JournalEntry>(std::move(entry));
  using std::chrono::microseconds;
  kept->at_us = now_us();
  JournalLine gone;  // destroyed outside of the lock, as are the lines below
  std::vector<Kept> no_longer_kept;
  bool wake = false;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = kept->number = ++total_;
    count(*kept);
    gone = std::exchange(ring_[(total_ - 1) % ring_.size()], kept);
    if (file_) file_->add(kept);
    if (!kept_.empty()) keep(std::move(beside), no_longer_kept);
    wake = waiting_ > 0;
  }
  if (wake) added_.notify_all();
  return number;
}

void Journal::keep(Kept kept, std::vector<Kept>& gone) {
  const auto drop = [&](std::uint64_t number) {
    Kept& place = kept_[(number - 1) % kept_.size()];
    if (place == nullptr) return;
    kept_bytes_ -= place->bytes();
    gone.push_back(std::move(place));
    place = nullptr;
  };
  if (total_ > kept_.size()) {
    drop(total_ - kept_.size());
    oldest_kept_ = std::max(oldest_kept_, total_ - kept_.size() + 1);
  }
  const std::size_t bytes = kept == nullptr ? 0 : kept->bytes();
  if (bytes == 0 || bytes > most_kept_) return;
  while (kept_bytes_ + bytes > most_kept_ && oldest_kept_ < total_) drop(oldest_kept_++);
  kept_bytes_ += bytes;
  kept_[(total_ - 1) % kept_.size()] = std::move(kept);
}

std::shared_ptr<const KeptRequest> Journal::kept(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  if (kept_.empty() || number == 0 || number > total_ || total_ - number >= kept_.size()) return nullptr;
  return kept_[(number - 1) % kept_.size()];
}

void Journal::count(const JournalEntry& entry) {
  const auto known = totals_.find(std::tie(entry.api, entry.method, entry.outcome));
  if (known != totals_.end()) {
    ++known->second;
  } else {
    const bool room = totals_.size() < most_kinds;
    ++totals_[room ? Kind(entry.api, entry.method, entry.outcome) : Kind("(other)", "", entry.outcome)];
  }
}

std::int64_t Journal::now_us() const {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start_).count();
}

std::uint64_t Journal::total() const {
  const std::lock_guard lock(mutex_);
  return total_;
}

std::uint64_t Journal::oldest() const {
  const std::lock_guard lock(mutex_);
  return total_ - std::min<std::uint64_t>(total_, ring_.size()) + 1;
}

std::vector<JournalLine> Journal::entries(std::uint64_t from, std::size_t limit) const {
  std::vector<JournalLine> lines;
  {
    const std::lock_guard lock(mutex_);
    const std::uint64_t oldest = total_ - std::min<std::uint64_t>(total_, ring_.size()) + 1;
    for (std::uint64_t number = std::max(from, oldest); number <= total_ && lines.size() < limit; ++number) {
      lines.push_back(ring_[(number - 1) % ring_.size()]);
    }
  }
  const auto hide = this->hide();
  for (JournalLine& line : lines) {
    if (hide == nullptr) break;
    auto entry = std::make_shared<JournalEntry>(*line);
    hide_in(*entry, *hide);
    line = std::move(entry);
  }
  return lines;
}

bool Journal::wait_beyond(std::uint64_t number, std::chrono::steady_clock::time_point deadline) const {
  std::unique_lock lock(mutex_);
  ++waiting_;
  added_.wait_until(lock, deadline, [&] { return stopped_ || total_ > number; });
  --waiting_;
  return !stopped_ && total_ > number;
}

void Journal::stop_waiting() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  added_.notify_all();
}

std::vector<JournalTotal> Journal::totals() const {
  Totals sum;
  {
    const std::lock_guard lock(mutex_);
    sum = totals_;
  }
  if (const auto hide = this->hide()) {
    Totals known;
    for (const auto& [kind, count] : sum) {
      known[{(*hide)(std::get<0>(kind)), (*hide)(std::get<1>(kind)), std::get<2>(kind)}] += count;
    }
    sum = std::move(known);
  }
  std::vector<JournalTotal> all;
  for (const auto& [kind, count] : sum) {
    all.push_back({std::get<0>(kind), std::get<1>(kind), std::get<2>(kind), count});
  }
  return all;
}

void Journal::finish_file(const std::function<std::string(std::string_view lines)>& clean) {
  if (file_) file_->finish(clean);
}

std::uint64_t Journal::not_written() const { return file_ ? file_->not_written() : 0; }

}  // namespace tapedeck::journal
