#include "scan/view_scanner.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "base/utf8.h"
#include "scan/byte_tables.h"

namespace tapedeck::scan {

namespace {

/// the charged cost of trying one frame, which limits the work for false magic numbers
constexpr std::uint64_t attempt_cost = 512;

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return byte_of(c) < 0x80; });
}

/// Returns true if the beginning has bytes that do not occur in text.
bool looks_binary(std::string_view view) {
  const std::string_view head = view.substr(0, 64);
  return std::any_of(head.begin(), head.end(), [](char c) { return byte_of(c) < 9 || byte_of(c) >= 0x80; });
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

/// Returns the values that are searched for everywhere, and the UTF-16 forms of those with non-ASCII characters.
std::vector<Matcher::Pattern> patterns_of(const LearnedValues* learned, base::SecretArena& variants) {
  auto patterns = searched_as<Matcher::Pattern>(Search::anywhere, learned);
  for (std::size_t i = 0, values = patterns.size(); i < values; ++i) {
    const Matcher::Pattern pattern = patterns[i];
    if (is_ascii(pattern.text)) continue;
    for (const bool big_endian : {false, true}) {
      std::string units = base::to_utf16(pattern.text, big_endian);
      if (units.size() >= LearnedValues::min_anywhere) patterns.push_back({variants.keep(units), pattern.id});
      explicit_bzero(units.data(), units.size());
    }
  }
  return patterns;
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
  static constexpr std::array<std::string_view, 15> names = {"percent", "form",   "json",    "html",  "quoted",
                                                             "base32",  "base64", "hex",     "utf16", "utf32",
                                                             "gzip",    "zlib",   "deflate", "zstd",  "brotli"};
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) {
    if (i > 0) text += '>';
    text += names[static_cast<std::size_t>(steps[i])];
  }
  return text;
}

ViewScanner::Step ViewScanner::step_of(Coding coding) {
  static constexpr std::array<Step, 5> steps = {Step::gzip, Step::zlib, Step::deflate, Step::brotli, Step::zstd};
  return steps[static_cast<std::size_t>(coding)];
}

ViewScanner::ViewScanner(const ScanOptions& options, Findings& findings, ScanReport& report)
    : options_(options),
      findings_(findings),
      report_(report),
      matcher_(patterns_of(options.learned, variants_)),
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
  seen_frames_.clear();
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
  scan_view(bytes, {}, shape, nullptr);
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

bool ViewScanner::first_sight(std::unordered_map<std::uint64_t, std::size_t>& seen, std::string_view bytes,
                              std::size_t depth) {
  const auto [entry, added] = seen.try_emplace(quick_hash(bytes), depth);
  if (!added && entry->second <= depth) return false;
  entry->second = depth;
  return true;
}

void ViewScanner::search(std::string_view view, const Trail& trail) {
  matcher_.find(view, [&](std::size_t id, std::size_t at) {
    findings_.learned("learned-value", id, trail.text(), trail.depth == 0 ? at : 0);
  });
  words_.find(view, [&](std::size_t id, std::size_t at) {
    if (!is_whole_word(view, at, options_.learned->entries()[id].value.size())) return;
    findings_.learned("learned-value", id, trail.text(), trail.depth == 0 ? at : 0);
  });
  heuristics_.scan(view, [&](const Heuristics::Suspect& suspect) { report(suspect, view, trail); });
}

void ViewScanner::scan_view(std::string_view view, const Trail& trail, Shape shape, const Changed* changed) {
  search(view, trail);
  if (trail.depth == trail.steps.size()) return;
  unpack_frames(view, trail, shape);
  decode_texts(view, trail);
  decode_runs(view, trail, changed);
}

void ViewScanner::scan_child(std::string_view view, const Trail& trail, Step step, Shape shape,
                             const Changed* changed) {
  const Trail longer = trail.with(step);
  if (view.empty()) return;
  // Views are charged even if they were seen before, because a decompression bomb yields the same piece repeatedly.
  if (!spend(view.size()) || !first_sight(seen_views_, view, longer.depth)) return;
  report_.bytes_decoded += view.size();
  scan_view(view, longer, shape, changed);
}

void ViewScanner::decode_texts(std::string_view view, const Trail& trail) {
  DecodedText out;
  const auto scan_text = [&](Step step) { scan_child(out.text, trail, step, Shape::part, &out.changed); };
  if (decode_percent(view, margin_, false, out)) scan_text(Step::percent);
  if (spaces_ && decode_percent(view, margin_, true, out)) scan_text(Step::form);
  if (decode_json_escapes(view, margin_, out)) scan_text(Step::json);
  if (decode_html_entities(view, margin_, out)) scan_text(Step::html);
  if (decode_quoted_printable(view, margin_, out)) scan_text(Step::quoted);
}

void ViewScanner::decode_runs(std::string_view view, const Trail& trail, const Changed* changed) {
  const RunChoice choice{beyond_ascii_, changed};
  const auto scan_as = [&](Step step) {
    return [this, &trail, step](const std::string& decoded) { scan_child(decoded, trail, step, Shape::whole); };
  };
  decode_base64(view, (shortest_ * 4 + 2) / 3, choice, scan_as(Step::base64));
  decode_hex(view, shortest_ * 2, choice, scan_as(Step::hex));
  decode_base32(view, (shortest_ * 8 + 4) / 5, choice, scan_as(Step::base32));
  std::string text;
  if (decode_wide(view, 2, text)) scan_child(text, trail, Step::utf16);
  text.clear();
  if (decode_wide(view, 4, text)) scan_child(text, trail, Step::utf32);
}

base::StreamResult ViewScanner::unpack_frame(Coding coding, std::string_view view, const Trail& trail) {
  if (!spend(attempt_cost)) return {};
  // Each piece is charged when it is scanned as a child.
  const MayHold may_hold = [this](std::uint64_t bytes) { return bytes <= item_left_ || spend(bytes); };
  const PieceSink sink = [&](std::string_view piece) {
    scan_child(piece, trail, step_of(coding));
    return item_left_ > 0;
  };
  return unpack(coding, view, may_hold, sink);
}

void ViewScanner::unpack_frames(std::string_view view, const Trail& trail, Shape shape) {
  bool any = false;
  for (Frame frame = next_frame(view, 0); frame.start != std::string_view::npos;) {
    any = any || frame.start == 0;
    const std::string_view input = view.substr(frame.start);
    const std::size_t known = frame.coding == Coding::zstd ? zstd_frame_size(input) : 0;
    std::size_t next = frame.start + 1;
    if (known > 0 && !first_sight(seen_frames_, input.substr(0, known), trail.depth)) {
      next = frame.start + known;
    } else {
      if (item_left_ == 0) return;
      const base::StreamResult result = unpack_frame(frame.coding, input, trail);
      if (shape == Shape::whole && frame.start == 0 && frame.coding == Coding::zstd && needs_dictionary(input)) {
        findings_.incomplete("a compressed value needs a dictionary");
      }
      const bool is_cut = result.end == base::StreamEnd::cut;
      if (result.end == base::StreamEnd::whole) {
        next = frame.start + result.used;
      } else if (trail.depth == 0 && is_cut && shape == Shape::continued && frame.coding != Coding::zlib) {
        findings_.incomplete("a compressed frame is longer than the part of the file that is held at once");
      }
    }
    frame = next_frame(view, next);
  }
  if (!any && shape == Shape::whole && looks_binary(view)) unpack_blob(view, trail);
  unpack_archives(view, trail);
}

/// Unpacks zip files by the headers of their entries. The central directory may be wrong or cut off.
void ViewScanner::unpack_archives(std::string_view view, const Trail& trail) {
  constexpr std::string_view header("PK\3\4");
  constexpr std::size_t header_size = 30;
  const auto number = [&](std::size_t at) {
    return std::size_t{byte_of(view[at])} | std::size_t{byte_of(view[at + 1])} << 8;
  };
  for (std::size_t at = view.find(header); at != std::string_view::npos; at = view.find(header, at + header.size())) {
    if (view.size() - at < header_size || item_left_ == 0) return;
    const std::size_t begin = at + header_size + number(at + 26) + number(at + 28);
    constexpr std::size_t deflated = 8;
    if (number(at + 8) != deflated || begin >= view.size()) continue;
    static_cast<void>(unpack_frame(Coding::raw_deflate, view.substr(begin), trail));
  }
}

void ViewScanner::unpack_blob(std::string_view view, const Trail& trail) {
  constexpr std::size_t shortest = 8;
  if (view.size() < shortest) return;
  static_cast<void>(unpack_frame(Coding::raw_deflate, view, trail));
}

}  // namespace tapedeck::scan
