#include "scan/view_scanner.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "scan/byte_tables.h"
#include "scan/decoders.h"

namespace tapedeck::scan {

namespace {

/// the charged cost of trying one frame, which limits the work for false magic numbers
constexpr std::uint64_t attempt_cost = 512;

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return byte_of(c) < 0x80; });
}

/// Returns the values that are searched for in this way, with their indexes.
template <class One>
std::vector<One> searched_as(Search search, const LearnedValues* learned) {
  std::vector<One> all;
  for (std::size_t i = 0; learned != nullptr && i < learned->size(); ++i) {
    const LearnedValues::Entry& entry = learned->entries()[i];
    if (entry.search == search) all.push_back({entry.value, i});
  }
  return all;
}

/// The beginning of a compressed frame. Most of these are not frames.
struct Frame {
  std::size_t start = std::string_view::npos;
  base::Coding coding = base::Coding::gzip;
};

/// Searches for the rarest byte of each magic number: the second one of gzip, the fourth one of zstd.
Frame first_frame(std::string_view view, std::size_t from) {
  Frame first;
  constexpr auto npos = std::string_view::npos;
  for (std::size_t at = view.find('\xfd', from + 3); at != npos && first.start == npos;
       at = view.find('\xfd', at + 1)) {
    if (view.substr(at - 3, 3) == "\x28\xb5\x2f") first = {at - 3, base::Coding::zstd};
  }
  for (std::size_t at = view.find('\x8b', from + 1); at < first.start; at = view.find('\x8b', at + 1)) {
    const bool begins = view[at - 1] == '\x1f' && view.substr(at + 1, 1) == "\x08" && at + 2 < view.size();
    if (begins && byte_of(view[at + 2]) < 0x20 && at - 1 < first.start) return {at - 1, base::Coding::gzip};
  }
  return first;
}

/// Returns the first place at or after `from` where a frame may begin.
Frame next_frame(std::string_view view, std::size_t from) {
  // Searches window by window. Otherwise, each occurrence of one magic number would cause a search for the others to
  // the end of the view.
  constexpr std::size_t step = 4096, longest_magic = 4;
  for (; from < view.size(); from += step) {
    const Frame first = first_frame(view.substr(0, from + step + longest_magic - 1), from);
    if (first.start < from + step) return first;
  }
  return {};
}

bool is_whole_word(std::string_view view, std::size_t at, std::size_t length) {
  const std::size_t end = at + length;
  return (at == 0 || !base::is_alnum(view[at - 1])) && (end >= view.size() || !base::is_alnum(view[end]));
}

}  // namespace

ViewScanner::Trail ViewScanner::Trail::with(Step step) const {
  Trail longer = *this;
  longer.steps[longer.depth++] = step;
  return longer;
}

std::string ViewScanner::Trail::text() const {
  static constexpr std::array<std::string_view, 7> names = {"percent", "form", "json", "base64", "hex", "gzip", "zstd"};
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) {
    if (i > 0) text += '>';
    text += names[static_cast<std::size_t>(steps[i])];
  }
  return text;
}

ViewScanner::ViewScanner(const ScanOptions& options, Findings& findings, ScanReport& report)
    : options_(options),
      findings_(findings),
      report_(report),
      matcher_(searched_as<Matcher::Pattern>(Search::anywhere, options.learned)),
      words_(searched_as<Matcher::Pattern>(Search::word, options.learned)),
      heuristics_(options.heuristics, searched_as<Heuristics::Named>(Search::named, options.learned)) {
  if (options.learned != nullptr) {
    for (const auto& entry : options.learned->entries()) {
      // A named value and its name together are at least as long as a short value.
      shortest_ = std::min(shortest_, std::max(entry.value.size(), LearnedValues::min_anywhere));
      longest_ = std::max(longest_, entry.value.size());
      beyond_ascii_ = beyond_ascii_ || !is_ascii(entry.value);
      spaces_ = spaces_ || entry.value.find(' ') != std::string_view::npos;
    }
  }
  constexpr std::size_t escape_growth = 8;  // each character may itself be another escape, such as \\u0041
  margin_ = std::clamp<std::size_t>(longest_ * escape_growth, 256, 16 * 1024);
}

void ViewScanner::begin_file(std::uint64_t size) {
  constexpr std::uint64_t growth = 100;
  file_left_ = options_.file_budget + growth * size;
}

void ViewScanner::begin_item(std::size_t size) {
  constexpr std::uint64_t growth = 32;
  item_left_ = options_.item_budget + growth * size;
  item_short_ = false;
  constexpr std::size_t usual_buckets = 1024;
  if (seen_views_.bucket_count() > usual_buckets) seen_views_ = {};
  if (!seen_views_.empty()) seen_views_.clear();
}

void ViewScanner::scan_item(std::string_view bytes, Shape shape) {
  begin_item(bytes.size());
  scan_view(bytes, {}, shape);
}

void ViewScanner::check_named(std::string_view name, std::string_view value) {
  heuristics_.check(name, value, [&](const Heuristics::Suspect& suspect) { report(suspect, value, {}); });
}

void ViewScanner::report(const Heuristics::Suspect& suspect, std::string_view view, const Trail& trail) {
  const std::size_t offset = trail.depth == 0 ? static_cast<std::size_t>(suspect.value.data() - view.data()) : 0;
  if (suspect.learned != Heuristics::none) {
    findings_.learned(suspect.rule, suspect.learned, trail.text(), offset);
  } else {
    findings_.heuristic(suspect.rule, suspect.value, trail.text(), offset);
  }
}

bool ViewScanner::would_find(std::string_view text) {
  findings_.begin_probe();
  scan_item(text, Shape::part);
  return findings_.end_probe();
}

bool ViewScanner::spend(std::uint64_t bytes) {
  if (bytes <= item_left_ && bytes <= file_left_) {
    item_left_ -= bytes;
    file_left_ -= bytes;
    return true;
  }
  if (!item_short_) findings_.incomplete("the decoding budget is used up");
  item_short_ = true;
  item_left_ = 0;
  return false;
}

bool ViewScanner::first_sight(std::string_view bytes, std::size_t depth) {
  const auto [entry, added] = seen_views_.try_emplace(quick_hash(bytes), depth);
  if (!added && entry->second <= depth) return false;
  entry->second = depth;
  return true;
}

void ViewScanner::search(std::string_view view, const Trail& trail, Shape shape) {
  matcher_.find(view, [&](std::size_t id, std::size_t at) {
    findings_.learned("learned-value", id, trail.text(), trail.depth == 0 ? at : 0);
  });
  words_.find(view, [&](std::size_t id, std::size_t at) {
    if (!is_whole_word(view, at, options_.learned->entries()[id].value.size())) return;
    findings_.learned("learned-value", id, trail.text(), trail.depth == 0 ? at : 0);
  });
  heuristics_.scan(view, [&](const Heuristics::Suspect& suspect) {
    // The next value may follow without a break and make a short value look like a longer one.
    const bool needs_end =
        suspect.learned == Heuristics::none && (suspect.rule.starts_with("named:") || suspect.rule == "url-userinfo");
    if (shape != Shape::rest || !needs_end) report(suspect, view, trail);
  });
}

void ViewScanner::scan_view(std::string_view view, const Trail& trail, Shape shape) {
  search(view, trail, shape);
  if (trail.depth == trail.steps.size()) return;
  unpack_frames(view, trail, shape);
  decode(view, trail);
}

void ViewScanner::scan_child(std::string_view view, const Trail& trail, Step step) {
  const Trail longer = trail.with(step);
  if (view.empty()) return;
  // Views are charged even if they were seen before, because a decompression bomb yields the same piece repeatedly.
  if (!spend(view.size()) || !first_sight(view, longer.depth)) return;
  report_.bytes_decoded += view.size();
  const bool is_run = step == Step::base64 || step == Step::hex;
  scan_view(view, longer, is_run ? Shape::whole : Shape::part);
}

void ViewScanner::decode(std::string_view view, const Trail& trail) {
  std::string out;
  if (decode_percent(view, margin_, false, out)) scan_child(out, trail, Step::percent);
  if (spaces_ && decode_percent(view, margin_, true, out)) scan_child(out, trail, Step::form);
  if (decode_json_escapes(view, margin_, out)) scan_child(out, trail, Step::json);
  const auto scan_as = [&](Step step) {
    return [this, &trail, step](const std::string& decoded) { scan_child(decoded, trail, step); };
  };
  decode_base64(view, (shortest_ * 4 + 2) / 3, beyond_ascii_, scan_as(Step::base64));
  decode_hex(view, shortest_ * 2, beyond_ascii_, scan_as(Step::hex));
}

/// Unpacks the frame at the start of `input` and ignores bytes after it. Also scans the output before an error, because
/// a cut or damaged frame may contain a secret. Pieces of a long output overlap, so that a secret at a boundary is
/// complete in one of them.
base::StreamResult ViewScanner::unpack(base::Coding coding, std::string_view input, const Trail& trail) {
  constexpr std::size_t long_piece = 8 << 20, overlap = 64 << 10;
  if (!spend(attempt_cost)) return {};
  const Step step = coding == base::Coding::zstd ? Step::zstd : Step::gzip;
  std::string piece;
  std::size_t scanned = 0;  // bytes at the front of the piece that the one before ended with
  const auto result = base::decode_stream(coding, input, [&](std::string_view more) {
    // A piece is charged when it is scanned.
    const std::uint64_t size = piece.size() + more.size();
    if (size > item_left_ && !spend(size)) return false;
    piece += more;
    if (piece.size() < long_piece) return true;
    scan_child(piece, trail, step);
    piece.erase(0, piece.size() - overlap);
    scanned = overlap;
    return item_left_ > 0;
  });
  if (piece.size() > scanned) scan_child(piece, trail, step);
  return result;
}

void ViewScanner::unpack_frames(std::string_view view, const Trail& trail, Shape shape) {
  for (Frame frame = next_frame(view, 0); frame.start != std::string_view::npos && item_left_ > 0;) {
    const std::string_view input = view.substr(frame.start);
    const base::StreamResult result = unpack(frame.coding, input, trail);
    const bool is_zstd = frame.coding == base::Coding::zstd;
    if (shape == Shape::whole && frame.start == 0 && is_zstd &&
        ZSTD_getDictID_fromFrame(input.data(), input.size()) > 0) {
      findings_.incomplete("a compressed value needs a dictionary");
    }
    if (trail.depth == 0 && result.end == base::StreamEnd::cut && shape == Shape::continued) {
      findings_.incomplete("a compressed frame is longer than the part of the file that is held at once");
    }
    frame = next_frame(view, frame.start + (result.end == base::StreamEnd::whole ? result.used : 1));
  }
}

}  // namespace tapedeck::scan
