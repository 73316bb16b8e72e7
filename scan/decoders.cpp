#include "scan/decoders.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include "base/escapes.h"
#include "scan/byte_tables.h"

namespace tapedeck::scan {

namespace {

constexpr std::size_t longest_run = 64 * 1024;
constexpr std::string_view separator = " \n \n";
constexpr char run_separator = '\n';

using base::Escape;

Escape percent_at(std::string_view view, std::size_t at) { return base::percent_escape(view.substr(at)); }

Escape form_at(std::string_view view, std::size_t at) {
  return view[at] == '+' ? base::escape_of_byte(' ', 1) : percent_at(view, at);
}

Escape json_at(std::string_view view, std::size_t at) { return base::json_escape(view.substr(at)); }

/// Copies the surroundings of escapes, and writes separators between escapes that are far apart.
class WindowWriter {
 public:
  WindowWriter(std::string_view view, std::size_t margin, std::string& out) : view_(view), margin_(margin), out_(out) {}

  void write(std::size_t at, const Escape& escape) {
    if (copied_ > 0 && at - copied_ <= margin_) {
      out_.append(view_, copied_, at - copied_);
    } else {
      write_gap(at);
    }
    out_.append(escape.bytes.data(), escape.size);
    copied_ = at + escape.length;
  }

  void finish() { out_.append(view_, copied_, right_edge(view_.size()) - copied_); }

 private:
  void write_gap(std::size_t at) {
    const std::size_t keep_until = right_edge(at);
    std::size_t from = left_edge(at);
    if (copied_ > 0) {
      if (from <= keep_until) {
        from = copied_;
      } else {
        out_.append(view_, copied_, keep_until - copied_).append(separator);
      }
    }
    out_.append(view_, from, at - from);
  }
  /// Returns a position outside of any value, because a cut value would look like another one.
  [[nodiscard]] std::size_t right_edge(std::size_t limit) const {
    std::size_t edge = std::min(limit, copied_ + margin_);
    const std::size_t last = std::min(limit, copied_ + longest_run);
    while (edge < last && is_in_value(view_[edge])) ++edge;
    return edge;
  }
  [[nodiscard]] std::size_t left_edge(std::size_t at) const {
    const std::size_t floor = std::max(copied_, at > longest_run ? at - longest_run : 0);
    std::size_t edge = at - std::min(at - floor, margin_);
    while (edge > floor && base64_value(view_[edge - 1]) >= 0) --edge;
    return edge;
  }

  std::string_view view_;
  std::size_t margin_;
  std::string& out_;
  std::size_t copied_ = 0;  ///< everything before this is copied or skipped
};

/// The loop of all decoders. `triggers` are the characters that begin an escape.
template <class EscapeAt>
bool decode(std::string_view view, std::size_t margin, std::string& out, std::string_view triggers,
            EscapeAt escape_at) {
  const auto next = [&](std::size_t at) {
    return triggers.size() == 1 ? view.find(triggers.front(), at) : view.find_first_of(triggers, at);
  };
  WindowWriter writer(view, margin, out);
  bool any = false;
  for (std::size_t at = next(0); at != std::string_view::npos;) {
    const Escape escape = escape_at(view, at);
    if (escape.length > 0) {
      if (!any) out.clear();
      any = true;
      writer.write(at, escape);
    }
    at = next(at + std::max<std::size_t>(1, escape.length));
  }
  if (any) writer.finish();
  return any;
}

/// Returns the next run of at least `least` characters for which `belongs(c)` is true, starting at `from`, or {npos,
/// 0}. Examines only every `least`-th character until it finds one in a run.
struct Span {
  std::size_t start = std::string_view::npos;
  std::size_t size = 0;
};
template <class Belongs>
Span next_run(std::string_view view, std::size_t from, std::size_t least, Belongs belongs) {
  std::size_t start = from;
  while (start + least <= view.size()) {
    std::size_t probe = start + least;
    while (probe > start && belongs(view[probe - 1])) --probe;
    if (probe > start) {
      start = probe;
      continue;
    }
    std::size_t end = start + least;
    while (end < view.size() && belongs(view[end])) ++end;
    return {start, end - start};
  }
  return {};
}

// Function objects can be template arguments and are inlined.
constexpr auto is_base64 = [](char c) { return base64_value(c) >= 0; };
constexpr auto is_hex = [](char c) { return hex_value(c) >= 0; };

/// Returns true if three bytes begin a gzip or zstd frame.
bool is_magic(std::uint32_t bits) { return bits == 0x1f8b08 || bits == 0x28b52f; }

/// Ends the run that begins at `start`, or removes it.
void end_run(std::string& out, std::size_t start, bool kept) {
  if (kept) {
    out += run_separator;
  } else {
    out.resize(start);
  }
}

/// Appends the decoded run, unless it looks like noise.
void append_base64(std::string_view run, bool keep_noise, std::string& out) {
  constexpr std::uint32_t high_bits = 0x808080;
  const std::size_t groups = run.size() / 4;
  const std::size_t rest = run.size() % 4;
  const std::size_t start = out.size();
  out.resize(start + groups * 3 + (rest > 1 ? rest - 1 : 0));
  char* to = out.data() + start;
  const auto value = [&](std::size_t i) { return static_cast<std::uint32_t>(base64_value(run[i])); };
  std::size_t i = 0;
  bool kept = keep_noise;
  bool text_before = false;
  for (std::size_t group = 0; group < groups; ++group, i += 4) {
    const std::uint32_t bits = value(i) << 18 | value(i + 1) << 12 | value(i + 2) << 6 | value(i + 3);
    const bool text = (bits & high_bits) == 0;
    // Eight consecutive bytes of text contain at least two whole groups.
    kept = kept | (text & text_before) | is_magic(bits);
    text_before = text;
    *to++ = static_cast<char>(bits >> 16);
    *to++ = static_cast<char>(bits >> 8);
    *to++ = static_cast<char>(bits);
  }
  if (rest > 1) *to++ = static_cast<char>((value(i) << 18 | value(i + 1) << 12) >> 16);
  if (rest > 2) *to++ = static_cast<char>((value(i + 1) << 12 | value(i + 2) << 6) >> 8);
  end_run(out, start, kept);
}

/// Does the same for hex, with one pair every `stride` characters.
void append_hex(std::string_view run, std::size_t stride, bool keep_noise, std::string& out) {
  constexpr unsigned least = 8;
  const std::size_t start = out.size();
  out.resize(start + (run.size() + stride - 2) / stride);
  char* to = out.data() + start;
  bool kept = keep_noise;
  unsigned text = 0;
  for (std::size_t i = 0; i + 2 <= run.size(); i += stride) {
    const int byte = hex_value(run[i]) * 16 + hex_value(run[i + 1]);
    text = byte < 0x80 ? text + 1 : 0;
    kept = kept | (text == least);
    *to++ = static_cast<char>(byte);
  }
  if (!kept && out.size() >= start + 3)
    kept = is_magic(std::uint32_t{byte_of(out[start])} << 16 | std::uint32_t{byte_of(out[start + 1])} << 8 |
                    byte_of(out[start + 2]));
  end_run(out, start, kept);
}

/// Returns true if a run is at least nine tenths of its view, so that it is not there by chance.
bool fills(std::string_view run, std::string_view view) { return run.size() * 10 >= view.size() * 9; }

/// Returns the end of a run that is split into lines of `line-length` characters, as in mail and PEM.
std::size_t end_of_lines(std::string_view view, std::size_t start, std::size_t end) {
  constexpr std::size_t shortest_line = 40;
  for (std::size_t line = end - start; line >= shortest_line;) {
    std::size_t next = end;
    if (next < view.size() && view[next] == '\r') ++next;
    if (next >= view.size() || view[next] != '\n') break;
    ++next;
    std::size_t stop = next;
    while (stop < view.size() && is_base64(view[stop])) ++stop;
    if (stop == next) break;
    line = stop - next;
    end = stop;
  }
  return end;
}

/// Returns the same run without line breaks.
std::string_view joined_lines(std::string_view run, std::string& joined) {
  if (run.find('\n') == std::string_view::npos) return run;
  joined.clear();
  std::copy_if(run.begin(), run.end(), std::back_inserter(joined), is_base64);
  return joined;
}

/// Returns true for two hex digits at `at`, followed by the character `between`.
bool is_pair(std::string_view view, std::size_t at, char between) {
  return is_hex(view[at]) && is_hex(view[at + 1]) && view[at + 2] == between;
}

constexpr std::array<bool, 256> separates_pairs = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view(" :-,\n\r\t+.;|_/")) table[byte_of(c)] = true;
  return table;
}();

/// Finds "61 62 63 …" by examining every twelfth position. Eight pairs always cover two whole pairs at one of them.
void decode_spaced_hex(std::string_view view, std::size_t least_pairs, bool keep_noise, std::string& out) {
  constexpr std::size_t stride = 12;
  for (std::size_t probe = 0; probe + stride <= view.size(); probe += stride) {
    for (std::size_t phase = 0; phase < 3; ++phase) {
      const std::size_t at = probe + phase;
      const char between = view[at + 2];
      if (!separates_pairs[byte_of(between)] || view[at + 5] != between) continue;
      if (!is_pair(view, at, between) || !is_pair(view, at + 3, between)) continue;
      std::size_t start = at;
      while (start >= 3 && is_pair(view, start - 3, between)) start -= 3;
      std::size_t end = at;
      while (end + 3 <= view.size() && is_pair(view, end, between)) end += 3;
      if (end + 2 <= view.size() && is_hex(view[end]) && is_hex(view[end + 1])) end += 2;
      if ((end - start + 1) / 3 < least_pairs) continue;
      append_hex(view.substr(start, end - start), 3, keep_noise, out);
      probe = end / stride * stride;
      break;
    }
  }
}

/// Finds runs of at least `least` characters. `end_of(start, end)` returns the end of a run.
template <class Belongs, class EndOf>
std::vector<std::string_view> runs_in(std::string_view view, std::size_t least, Belongs belongs, const EndOf& end_of) {
  std::vector<std::string_view> runs;
  for (Span run = next_run(view, 0, least, belongs); run.size > 0;) {
    const std::size_t end = end_of(run.start, run.start + run.size);
    runs.push_back(view.substr(run.start, end - run.start));
    run = next_run(view, end, least, belongs);
  }
  return runs;
}

}  // namespace

bool decode_percent(std::string_view view, std::size_t margin, bool plus_is_space, std::string& out) {
  return plus_is_space ? decode(view, margin, out, "%+", form_at) : decode(view, margin, out, "%", percent_at);
}

bool decode_json_escapes(std::string_view view, std::size_t margin, std::string& out) {
  return decode(view, margin, out, "\\", json_at);
}

void decode_base64(std::string_view view, std::size_t min_run, bool keep_noise, const Decoded& decoded) {
  const auto runs = runs_in(view, min_run, is_base64,
                            [view](std::size_t start, std::size_t end) { return end_of_lines(view, start, end); });
  std::string joined, out;
  for (std::size_t alignment = 0; alignment < 4 && !runs.empty(); ++alignment) {
    out.clear();
    for (const std::string_view run : runs) {
      const std::string_view text = joined_lines(run, joined);
      append_base64(text.substr(alignment), keep_noise || (alignment == 0 && fills(text, view)), out);
    }
    decoded(out);
  }
}

void decode_hex(std::string_view view, std::size_t min_digits, bool keep_noise, const Decoded& decoded) {
  const auto runs = runs_in(view, min_digits, is_hex, [](std::size_t, std::size_t end) { return end; });
  std::string out;
  for (const std::string_view run : runs) append_hex(run, 2, keep_noise || fills(run, view), out);
  decode_spaced_hex(view, min_digits / 2, keep_noise, out);
  decoded(out);
  out.clear();
  for (const std::string_view run : runs) append_hex(run.substr(1), 2, keep_noise, out);
  decoded(out);
}

}  // namespace tapedeck::scan
