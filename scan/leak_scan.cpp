#include "scan/leak_scan.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "scan/findings.h"
#include "scan/sqlite_pages.h"
#include "scan/sqlite_rows.h"
#include "scan/view_scanner.h"

namespace tapedeck::scan {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t whole_file = 64ull << 20;  ///< a plain file up to this size is searched as one item;
constexpr std::size_t window = 16 << 20;           ///< a longer one is searched in pieces of this size,
constexpr std::size_t window_overlap = 1 << 20;    ///< which overlap by this size
constexpr std::string_view withheld = "<withheld>";

enum class Links { follow, refuse };

/// Opens a regular file, or returns a closed descriptor. Does not block on a pipe.
base::Descriptor open_regular(const fs::path& path, Links links) {
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (links == Links::refuse ? O_NOFOLLOW : 0);
  base::Descriptor file(::open(path.c_str(), flags));
  return file.is_regular_file() ? std::move(file) : base::Descriptor();
}

bool is_recording(const base::Descriptor& file) {
  std::array<char, 4> id{};
  constexpr std::uint64_t place_of_application_id = 68;
  return base::read_at(file.number(), place_of_application_id, id) == id.size() &&
         std::string_view(id.data(), id.size()) == "Tpdr";
}

struct Target {
  fs::path path;
  Links links;
  std::uint64_t size;
};

class Run {
 public:
  explicit Run(const ScanOptions& options)
      : options_(options), findings_(options, report_), scanner_(options, findings_, report_) {}

  void add(const fs::path& path);
  void scan_all();
  void scan_memory(std::string_view bytes, std::string_view name);
  [[nodiscard]] ScanReport take() { return std::move(report_); }

 private:
  void add_file(const fs::path& path, Links links);
  void add_side_files(const fs::path& path);
  void add_folder(const fs::path& path);
  void note(const fs::path& path, std::string_view why);
  [[nodiscard]] std::string shown(const fs::path& path);
  void scan(const Target& target);
  void scan_database(const Target& target, const base::Descriptor& file, const PageLayout& layout);
  /// Scans the values and other bytes of all pages, except those that were scanned before.
  void scan_pages(const base::Descriptor& file, const PageLayout& layout, ScannedValues& scanned, std::uint64_t part);
  /// Scans the file from an offset to its end.
  void scan_bytes_of(const base::Descriptor& file, std::uint64_t from = 0);
  void advance(std::uint64_t bytes);

  const ScanOptions& options_;
  ScanReport report_;
  Findings findings_;
  ViewScanner scanner_;
  std::vector<Target> targets_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t told_ = 0;
};

void Run::note(const fs::path& path, std::string_view why) {
  findings_.begin_file({});
  scanner_.begin_file(0);
  report_.incomplete.push_back(shown(path) + ": " + std::string(why));
}

/// Returns the path, with components that contain findings withheld.
std::string Run::shown(const fs::path& path) {
  fs::path safe;
  for (const fs::path& part : path) safe /= scanner_.would_find(part.native()) ? fs::path(withheld) : part;
  return safe.string();
}

void Run::add_file(const fs::path& path, Links links) {
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  targets_.push_back({path, links, error ? 0 : size});
  total_ += targets_.back().size;
}

void Run::add_side_files(const fs::path& path) {
  for (const std::string_view suffix : {"-wal", "-journal", "-shm", ".recording", ".recording-wal", ".recording-shm",
                                        ".recording-journal", ".finishing", ".unmerged", ".failed", ".quarantined"}) {
    fs::path side = path;
    side += suffix;
    std::error_code error;
    if (fs::is_regular_file(fs::symlink_status(side, error))) add_file(side, Links::refuse);
  }
}

void Run::add_folder(const fs::path& path) {
  std::error_code error;
  std::vector<fs::path> files;
  const auto options = fs::directory_options::none;
  for (fs::recursive_directory_iterator at(path, options, error), end; !error && at != end; at.increment(error)) {
    std::error_code unreadable;
    const fs::file_status status = at->symlink_status(unreadable);
    if (fs::is_regular_file(status)) files.push_back(at->path());
    // A folder that cannot be read must be reported.
    if (fs::is_directory(status) && (fs::directory_iterator(at->path(), unreadable), unreadable)) {
      note(at->path(), "cannot be read");
      at.disable_recursion_pending();
    }
  }
  if (error) note(path, "the folder could not be read completely");
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) add_file(file, Links::refuse);
}

void Run::add(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) {
    add_folder(path);
  } else if (fs::is_regular_file(status)) {
    add_file(path, Links::follow);
    add_side_files(path);
  } else {
    // An unfinished cassette exists only under other names beside this one.
    const std::size_t before = targets_.size();
    if (!fs::exists(status)) add_side_files(path);
    if (targets_.size() > before) return;
    const char* const why = status.type() == fs::file_type::not_found ? "does not exist" : "cannot be read";
    note(path, fs::exists(status) ? "is neither a file nor a folder" : why);
  }
}

void Run::advance(std::uint64_t bytes) {
  constexpr std::uint64_t step = 4 << 20;
  done_ = std::min(total_, done_ + bytes);
  if (!options_.progress || (done_ - told_ < step && done_ < total_)) return;
  told_ = done_;
  options_.progress(done_, total_);
}

void Run::scan_all() {
  std::sort(targets_.begin(), targets_.end(), [](const Target& a, const Target& b) { return a.path < b.path; });
  const auto same = [](const Target& a, const Target& b) { return a.path == b.path; };
  targets_.erase(std::unique(targets_.begin(), targets_.end(), same), targets_.end());
  for (const Target& target : targets_) scan(target);
  if (options_.progress && told_ < total_) options_.progress(total_, total_);
}

void Run::scan(const Target& target) {
  const base::Descriptor file = open_regular(target.path, target.links);
  if (!file.open()) {
    note(target.path, "cannot be read");
    return;
  }
  ++report_.files;
  report_.bytes_read += file.size();
  scanner_.begin_file(file.size());
  findings_.begin_file(shown(target.path));
  findings_.at({Place::Kind::name, 0, {}, {}});
  scanner_.scan_item(target.path.filename().native(), ViewScanner::Shape::part);
  const std::optional<PageLayout> layout = layout_of(file);
  if (!layout) return scan_bytes_of(file);
  if (!is_log(*layout) && !is_recording(file)) return scan_database(target, file, *layout);
  if (!is_log(*layout)) findings_.unsettled("is an unfinished recording and may still contain secrets");
  ScannedValues scanned;
  scan_pages(file, *layout, scanned, 1);
}

void Run::scan_database(const Target& target, const base::Descriptor& file, const PageLayout& layout) {
  // Two passes read the file, and each counts as half of it.
  std::uint64_t counted = 0;
  const std::uint64_t half = file.size() / 2;
  const auto by_rows = [&](std::uint64_t bytes) {
    const std::uint64_t more = std::min(half - counted, bytes / 2);
    counted += more;
    advance(more);
  };
  ScannedValues scanned;
  const std::string problem = scan_rows(target.path, file.size(), scanner_, findings_, options_, scanned, by_rows);
  advance(half - counted);
  findings_.at({Place::Kind::bytes, 0, {}, {}});
  if (!problem.empty()) findings_.incomplete(problem + " (its bytes were searched)");
  if (!options_.just_written || !problem.empty()) {
    scan_pages(file, layout, scanned, 2);
  } else {
    advance(half);
  }
}

void Run::scan_pages(const base::Descriptor& file, const PageLayout& layout, ScannedValues& scanned,
                     std::uint64_t part) {
  const auto begin = [&](std::string_view bytes, std::uint64_t offset) {
    findings_.at({Place::Kind::raw, static_cast<std::int64_t>(offset), {}, {}});
    return scanned.insert(quick_hash(bytes)).second;
  };
  const PageVisitor visitor{
      [&](std::string_view value, std::string_view before, std::uint64_t offset) {
        if (!begin(value, offset)) return;
        if (!before.empty()) scanner_.check_named(before, value);
        scanner_.scan_item(value, ViewScanner::Shape::whole);
      },
      [&](std::string_view bytes, std::uint64_t offset) {
        if (begin(bytes, offset)) scanner_.scan_item(bytes, ViewScanner::Shape::rest);
      },
      [&](std::uint64_t bytes) { advance(bytes / part); },
  };
  if (!visit_pages(file, layout, visitor)) findings_.incomplete("the file could not be read completely");
  scan_bytes_of(file, end_of_pages(file, layout));
}

void Run::scan_bytes_of(const base::Descriptor& file, std::uint64_t from) {
  const std::uint64_t size = file.size();  // the current size, even if the file grows
  const bool whole = from == 0 && size <= whole_file;
  std::string bytes(static_cast<std::size_t>(whole ? size : std::min<std::uint64_t>(window, size - from)), '\0');
  for (std::uint64_t at = from; at < size;) {
    const std::size_t got = base::read_at(file.number(), at, bytes);
    const bool last = at + got >= size || got < bytes.size();
    findings_.at({Place::Kind::bytes, static_cast<std::int64_t>(at), {}, {}});
    if (at + got < size && last) findings_.incomplete("the file could not be read completely");
    scanner_.scan_item(std::string_view(bytes).substr(0, got), whole  ? ViewScanner::Shape::whole
                                                               : last ? ViewScanner::Shape::part
                                                                      : ViewScanner::Shape::continued);
    const std::size_t moved = last ? got : got - window_overlap;
    advance(moved);
    if (last) return;
    at += moved;
  }
}

void Run::scan_memory(std::string_view bytes, std::string_view name) {
  ++report_.files;
  report_.bytes_read += bytes.size();
  scanner_.begin_file(bytes.size());
  findings_.begin_file(shown(name));
  scanner_.scan_item(bytes, ViewScanner::Shape::whole);
}

}  // namespace

void LearnedValues::add(std::string_view value, Search search) {
  if (value.empty()) return;
  if (value.size() < (search == Search::word ? min_word : min_anywhere)) search = Search::named;
  if (const auto known = known_.find(value); known != known_.end()) {
    Entry& entry = entries_[known->second];
    entry.search = std::max(entry.search, search);
    return;
  }
  const std::string_view kept = arena_.keep(value);
  known_.emplace(kept, entries_.size());
  entries_.push_back({kept, search});
}

ScanReport scan_paths(std::span<const fs::path> paths, const ScanOptions& options) {
  Run run(options);
  for (const fs::path& path : paths) run.add(path);
  run.scan_all();
  return run.take();
}

ScanReport scan_file(const fs::path& path, const ScanOptions& options) {
  return scan_paths(std::span(&path, 1), options);
}

ScanReport scan_bytes(std::string_view bytes, std::string_view name, const ScanOptions& options) {
  Run run(options);
  run.scan_memory(bytes, name);
  return run.take();
}

bool is_fingerprint(std::string_view text) {
  constexpr std::size_t digits = 32;
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace tapedeck::scan
