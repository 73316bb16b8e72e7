#include "tests/support/power/power_log.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "tests/support/process.h"

namespace tapedeck::tests::power {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t sector = 512;

void put(std::string& content, std::uint64_t offset, std::string_view bytes) {
  if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size());
  std::memcpy(content.data() + offset, bytes.data(), bytes.size());
}

/// Calls piece(offset, bytes) for the parts of a write that lie in one unit each.
template <typename Piece>
void each_unit(std::uint64_t offset, std::string_view bytes, std::size_t unit, Piece piece) {
  while (!bytes.empty()) {
    const std::size_t size = std::min<std::size_t>(unit - offset % unit, bytes.size());
    piece(offset, bytes.substr(0, size));
    offset += size;
    bytes.remove_prefix(size);
  }
}

/// Applies a write of which the disk stored some pages, and of some of those a part.
void put_some(std::string& content, std::uint64_t offset, std::string_view bytes, std::mt19937& random) {
  each_unit(offset, bytes, page, [&](std::uint64_t at, std::string_view of_page) {
    const unsigned fate = random() % 8;
    if (fate < 3) return;
    if (fate < 7) return put(content, at, of_page);
    each_unit(at, of_page, sector, [&](std::uint64_t start, std::string_view of_sector) {
      if (random() % 2 == 0) put(content, start, of_sector);
    });
  });
}

/// The names of the folder, and the changes that may not be on the disk yet.
struct Names {
  std::map<std::string, std::uint64_t> names;

  template <typename Step>
  void apply(const Step& step) {
    switch (step.op) {
      case Op::create:
        names[step.path] = step.inode;
        break;
      case Op::rename:
        if (const auto found = names.find(step.path); found != names.end()) {
          names[step.bytes] = found->second;
          names.erase(step.path);
        }
        break;
      default:
        names.erase(step.path);
    }
  }
};

}  // namespace

std::vector<std::pair<std::string, std::string>> environment(const std::string& tracer, const std::string& folder,
                                                             const std::string& trace) {
  return {{"LD_PRELOAD", tracer}, {folder_variable, folder}, {trace_variable, trace}};
}

void append_mark(const std::string& trace, const std::string& text) {
  TraceRecord head;
  head.bytes_size = text.size();
  std::string whole(reinterpret_cast<const char*>(&head), sizeof head);
  whole += text;
  std::ofstream out(trace, std::ios::binary | std::ios::app);
  out.write(whole.data(), static_cast<std::streamsize>(whole.size()));
}

PowerLog::PowerLog(std::filesystem::path folder) : folder_(std::move(folder)) {
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    struct stat status {};
    if (stat(entry.path().c_str(), &status) != 0) throw std::runtime_error("cannot look at " + entry.path().string());
    names_[entry.path().filename().string()] = status.st_ino;
    contents_[status.st_ino] = read_file(entry.path());
  }
}

void PowerLog::read(const std::string& trace) {
  const std::string all = read_file(trace);
  const auto relative = [this](const std::string& path) { return path.substr(folder_.string().size() + 1); };
  for (std::size_t at = 0; at < all.size();) {
    TraceRecord head;
    if (all.size() - at < sizeof head) throw std::runtime_error("the trace ends within a record");
    std::memcpy(&head, all.data() + at, sizeof head);
    at += sizeof head;
    if (all.size() - at < head.path_size + head.bytes_size) throw std::runtime_error("the trace ends within a record");
    Step step{head.op, head.inode, head.offset, all.substr(at, head.path_size),
              all.substr(at + head.path_size, head.bytes_size)};
    at += head.path_size + head.bytes_size;
    if (!step.path.empty()) step.path = relative(step.path);
    if (step.op == Op::rename) step.bytes = relative(step.bytes);
    steps_.push_back(std::move(step));
  }
}

std::set<std::string> PowerLog::marks(std::size_t steps) const {
  std::set<std::string> found;
  for (std::size_t i = 0; i < steps; ++i) {
    if (steps_[i].op == Op::mark) found.insert(steps_[i].bytes);
  }
  return found;
}

std::vector<std::size_t> PowerLog::turning_points() const {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].op == Op::write || steps_[i].op == Op::truncate) continue;
    points.push_back(i);
    points.push_back(i + 1);
  }
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

void PowerLog::restore(std::size_t steps, std::mt19937& random, const std::filesystem::path& to,
                       bool are_syncs_kept) const {
  std::map<std::uint64_t, std::string> contents = contents_;
  std::map<std::uint64_t, std::vector<const Step*>> of_files;
  Names names{names_};
  std::vector<const Step*> of_names;
  for (std::size_t i = 0; i < steps; ++i) {
    const Step& step = steps_[i];
    if (step.op == Op::write || step.op == Op::truncate) {
      of_files[step.inode].push_back(&step);
    } else if (step.op == Op::create || step.op == Op::rename || step.op == Op::unlink) {
      of_names.push_back(&step);
    } else if (step.op == Op::sync && are_syncs_kept) {
      std::string& content = contents[step.inode];
      for (const Step* one : std::exchange(of_files[step.inode], {})) {
        if (one->op == Op::truncate) content.resize(one->offset);
        if (one->op == Op::write) put(content, one->offset, one->bytes);
      }
    } else if (step.op == Op::sync_folder && are_syncs_kept) {
      for (const Step* one : std::exchange(of_names, {})) names.apply(*one);
    }
  }
  // Names change in order (a journal of the file system), and contents in any order.
  of_names.resize(of_names.empty() ? 0 : random() % (of_names.size() + 1));
  for (const Step* one : of_names) names.apply(*one);
  for (const auto& [inode, pending] : of_files) {
    std::string& content = contents[inode];
    for (const Step* one : pending) {
      if (one->op == Op::write) put_some(content, one->offset, one->bytes, random);
      if (one->op == Op::truncate && random() % 2 == 0) content.resize(one->offset);
    }
  }
  for (const auto& [name, inode] : names.names) write_file(to / name, contents[inode]);
}

}  // namespace tapedeck::tests::power
