// Decodes whole runs of characters: base64, hex, and UTF-16.

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "scan/byte_tables.h"
#include "scan/text_decoders.h"

namespace tapedeck::scan {

namespace {

constexpr char run_separator = '\n';

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
constexpr auto is_base32 = [](char c) { return base32_value(c) >= 0; };
constexpr auto is_hex = [](char c) { return hex_value(c) >= 0; };

/// Returns true if three bytes begin a gzip, zstd, or zlib frame.
bool is_magic(std::uint32_t bits) {
  const std::uint32_t pair = bits >> 8;
  return bits == 0x1f8b08 || bits == 0x28b52f || pair == 0x7801 || pair == 0x785e || pair == 0x789c || pair == 0x78da;
}

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

/// Does the same for base32, with five bits in each character.
void append_base32(std::string_view run, bool keep_noise, std::string& out) {
  constexpr unsigned least = 8;
  const std::size_t start = out.size();
  bool kept = keep_noise;
  unsigned text = 0, held = 0, count = 0;
  for (const char c : run) {
    held = (held << 5 | static_cast<unsigned>(base32_value(c))) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    const auto byte = static_cast<char>(held >> count);
    text = is_printable(byte) ? text + 1 : 0;
    kept = kept | (text == least);
    out += byte;
  }
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

/// Reports whether a text decoder changed something in a range. Ranges must be queried in ascending order.
class Changes {
 public:
  explicit Changes(const std::vector<std::size_t>* places) : places_(places) {}
  [[nodiscard]] bool in(std::size_t start, std::size_t end) {
    if (places_ == nullptr) return true;
    while (next_ < places_->size() && (*places_)[next_] < start) ++next_;
    return next_ < places_->size() && (*places_)[next_] < end;
  }

 private:
  const std::vector<std::size_t>* places_;
  std::size_t next_ = 0;
};

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
void decode_spaced_hex(std::string_view view, std::size_t least_pairs, RunChoice choice, std::string& out) {
  Changes changes(choice.changed);
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
      if (changes.in(start, end)) append_hex(view.substr(start, end - start), 3, choice.keep_noise, out);
      probe = end / stride * stride;
      break;
    }
  }
}

/// Returns true if two "0x" are close together. Single ones occur in large binary files by chance.
bool has_signs_in_a_row(std::string_view view) {
  constexpr std::size_t farthest = 16;
  std::size_t last = view.find("0x");
  while (last != std::string_view::npos) {
    const std::size_t next = view.find("0x", last + 2);
    if (next != std::string_view::npos && next - last <= farthest) return true;
    last = next;
  }
  return false;
}

/// Removes "0x" and separators: "0x61, 0x62", "0x61,+0x62", and `["0x61","0x62"]` contain "61,62" afterwards.
std::string without_signs(std::string_view view) {
  std::string bare;
  for (std::size_t at = 0; at < view.size(); ++at) {
    const bool is_sign = view[at] == '0' && at + 2 < view.size() && view[at + 1] == 'x' && is_hex(view[at + 2]);
    if (is_sign) {
      ++at;
    } else if (view[at] == '"' || view[at] == '\\') {
      continue;
    } else if ((view[at] != ' ' && view[at] != '+') || bare.empty() || bare.back() != ',') {
      bare += view[at];
    }
  }
  return bare;
}

bool is_latin1(char c) { return byte_of(c) >= 0x20 || c == '\n' || c == '\r' || c == '\t'; }

void append_latin1(char c, std::string& out) {
  const std::uint8_t byte = byte_of(c);
  if (byte < 0x80) {
    out += c;
  } else {
    out += static_cast<char>(0xc0 | byte >> 6);
    out += static_cast<char>(0x80 | (byte & 63));
  }
}

/// Finds changed runs of at least `least` characters. `end_of(start, end)` returns the end of a run.
template <class Belongs, class EndOf>
std::vector<std::string_view> runs_in(std::string_view view, std::size_t least, RunChoice choice, Belongs belongs,
                                      const EndOf& end_of) {
  std::vector<std::string_view> runs;
  Changes changes(choice.changed);
  for (Span run = next_run(view, 0, least, belongs); run.size > 0;) {
    const std::size_t end = end_of(run.start, run.start + run.size);
    if (changes.in(run.start, end)) runs.push_back(view.substr(run.start, end - run.start));
    run = next_run(view, end, least, belongs);
  }
  return runs;
}

std::size_t own_end(std::size_t, std::size_t end) { return end; }

}  // namespace

void decode_base64(std::string_view view, std::size_t min_run, RunChoice choice, const Decoded& decoded) {
  const auto runs = runs_in(view, min_run, choice, is_base64,
                            [view](std::size_t start, std::size_t end) { return end_of_lines(view, start, end); });
  std::string joined, out;
  for (std::size_t alignment = 0; alignment < 4 && !runs.empty(); ++alignment) {
    out.clear();
    for (const std::string_view run : runs) {
      const std::string_view text = joined_lines(run, joined);
      append_base64(text.substr(alignment), choice.keep_noise || (alignment == 0 && fills(text, view)), out);
    }
    decoded(out);
  }
}

void decode_hex(std::string_view view, std::size_t min_digits, RunChoice choice, const Decoded& decoded) {
  const auto runs = runs_in(view, min_digits, choice, is_hex, own_end);
  std::string out;
  for (const std::string_view run : runs) append_hex(run, 2, choice.keep_noise || fills(run, view), out);
  if (has_signs_in_a_row(view)) {
    decode_spaced_hex(without_signs(view), min_digits / 2, {choice.keep_noise, nullptr}, out);
  }
  decode_spaced_hex(view, min_digits / 2, choice, out);
  decoded(out);
  out.clear();
  for (const std::string_view run : runs) append_hex(run.substr(1), 2, choice.keep_noise, out);
  decoded(out);
}

void decode_base32(std::string_view view, std::size_t min_run, RunChoice choice, const Decoded& decoded) {
  constexpr std::size_t alignments = 8;
  const auto runs = runs_in(view, min_run, choice, is_base32, own_end);
  std::string out;
  for (std::size_t alignment = 0; alignment < alignments && !runs.empty(); ++alignment) {
    out.clear();
    for (const std::string_view run : runs) append_base32(run.substr(alignment), choice.keep_noise, out);
    decoded(out);
  }
}

bool decode_wide(std::string_view view, std::size_t width, std::string& out) {
  constexpr std::size_t least = 8;
  const std::string_view zeros = std::string_view("\0\0\0", 3).substr(0, width - 1);
  bool any = false;
  for (std::size_t at = view.find(zeros); at != std::string_view::npos;) {
    // In both byte orders, zeros separate the characters. The orders differ only in where the first zeros belong.
    std::string text;
    if (at > 0 && is_latin1(view[at - 1])) append_latin1(view[at - 1], text);
    std::size_t end = at + zeros.size();
    while (end < view.size() && is_latin1(view[end])) {
      append_latin1(view[end], text);
      if (view.substr(end + 1, zeros.size()) != zeros) break;
      end += width;
    }
    if (text.size() >= least) {
      out.append(text).append(1, run_separator);
      any = true;
    }
    // In a series of zeros, only the last ones can begin a run.
    const std::size_t other = view.find_first_not_of('\0', end);
    if (other == std::string_view::npos) break;
    at = view.find(zeros, other > end ? std::max(end, other - zeros.size()) : end);
  }
  return any;
}

}  // namespace tapedeck::scan
