#include "api/key_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/digest.h"
#include "base/text.h"
#include "base/text_hash.h"
#include "base/utf8.h"

namespace tapedeck::api {
namespace {

constexpr std::uint8_t bit_of(KeyTextPart part) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(part)); }

/// For each byte, the bits of the key parts in which it needs no escape.
constexpr std::array<std::uint8_t, 256> stands_for_itself = [] {
  std::array<std::uint8_t, 256> table{};
  const auto holds = [](std::string_view marks, int byte) { return marks.find(static_cast<char>(byte)) != marks.npos; };
  for (int byte = 0x21; byte < 0x7f; ++byte) {
    if (holds("%&=+<>#", byte)) continue;
    std::uint8_t bits = bit_of(KeyTextPart::value);
    if (!holds("?", byte)) bits |= bit_of(KeyTextPart::path);
    if (!holds("?/", byte)) bits |= bit_of(KeyTextPart::segment);
    table[static_cast<std::size_t>(byte)] = bits;
  }
  return table;
}();

/// Returns the length of the UTF-8 sequence of two to four bytes at the beginning of a text, or 0. Returns 0 also for
/// C1 controls, so that they are escaped.
std::size_t sequence_length(std::string_view text) {
  const base::Utf8Front front = base::utf8_front(text);
  return front.code_point < 0xa0 ? 0 : front.length;
}

void append_percent(std::string& out, std::uint8_t byte) {
  out += '%';
  base::append_hex(out, static_cast<char>(byte), true);
}

constexpr std::size_t digits_of_stand_in = 18;

/// Calls found(at) for each place of as many digits as a stand-in has.
template <class Found>
void each_number(std::string_view text, Found&& found) {
  std::size_t digits = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    digits = base::is_digit(text[at]) ? digits + 1 : 0;
    if (digits >= digits_of_stand_in) found(at + 1 - digits_of_stand_in);
  }
}

/// The numbers that replace holes while the value around them is made canonical. Digits are valid both as a JSON number
/// and in a string. Each number depends on its label, so that object keys with equal labels sort alike. The value does
/// not contain it.
class StandIns {
 public:
  explicit StandIns(std::string_view value) {
    each_number(value, [&](std::size_t at) { taken_.insert(value.substr(at, digits_of_stand_in)); });
  }

  const std::string& of(const std::string& label) {
    std::string& number = numbers_[label];
    if (!number.empty()) return number;
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : label) hash = (hash ^ static_cast<std::uint8_t>(c)) * 1099511628211ULL;
    std::uint64_t next = 100000000000000000ULL + hash % 900000000000000000ULL;
    while (taken_.contains(std::to_string(next)) || labels_.contains(std::to_string(next))) ++next;
    number = std::to_string(next);
    labels_.emplace(number, label);
    return number;
  }

  /// Returns `text` with the labels in place of the numbers.
  [[nodiscard]] std::string labeled(std::string_view text) const {
    std::string result;
    std::size_t done = 0;
    each_number(text, [&](std::size_t at) {
      const auto found = at < done ? labels_.end() : labels_.find(text.substr(at, digits_of_stand_in));
      if (found == labels_.end()) return;
      result.append(text, done, at - done);
      append_hole(result, found->second);
      done = at + digits_of_stand_in;
    });
    return result.append(text, done);
  }

 private:
  std::unordered_set<std::string_view> taken_;
  std::unordered_map<std::string, std::string> numbers_;                                  ///< by label
  std::unordered_map<std::string, std::string, base::TextHash, std::equal_to<>> labels_;  ///< by number
};

std::string value_around_holes(const Param& param) {
  const std::vector<Hole>& holes = param.holes;
  std::string text;
  if (holes.size() == 1 && holes.front().span == http::Span{0, param.value.size()}) {
    append_hole(text, holes.front().label);
    return text;
  }
  StandIns stand_ins(param.value);
  std::size_t done = 0;
  for (const Hole& hole : holes) {
    text.append(param.value, done, hole.span.offset - done);
    text += stand_ins.of(hole.label);
    done = hole.span.offset + hole.span.length;
  }
  text.append(param.value, done);
  std::string result;
  append_escaped(result, canonical_value(text));
  return stand_ins.labeled(result);
}

}  // namespace

void append_escaped(std::string& out, std::string_view text, KeyTextPart part) {
  const auto is_marked = [bit = bit_of(part)](char c) {
    return (stands_for_itself[static_cast<std::uint8_t>(c)] & bit) == 0;
  };
  while (!text.empty()) {
    const auto marked = std::find_if(text.begin(), text.end(), is_marked);
    const auto plain = static_cast<std::size_t>(marked - text.begin());
    const std::size_t sequence = marked == text.end() ? 0 : sequence_length(text.substr(plain));
    out.append(text.substr(0, plain + sequence));
    text.remove_prefix(plain + sequence);
    if (marked == text.end() || sequence > 0) continue;
    append_percent(out, static_cast<std::uint8_t>(text.front()));
    text.remove_prefix(1);
  }
}

void append_hole(std::string& out, std::string_view label) {
  out += '<';
  append_escaped(out, label);
  out += '>';
}

void append_key_value(std::string& out, const Param& param) {
  if (param.filename) {
    out += '@';
    append_escaped(out, *param.filename);
    out.append(":").append(content_name(param.value, !param.holes.empty()));
  } else if (!param.holes.empty()) {
    out += value_around_holes(param);
  } else {
    append_escaped(out, canonical_value(param.value));
  }
  if (param.part_head.empty()) return;
  out += '+';  // is escaped everywhere else
  append_escaped(out, param.part_head);
}

std::string content_name(std::string_view text, bool is_redacted) {
  constexpr std::size_t digits = 16;
  return std::string(is_redacted ? redacted_content : "") + base::to_hex(base::sha256(text)).substr(0, digits);
}

std::vector<Hole> holes_in_order(const std::vector<Hole>& holes, RequestPart part) {
  std::vector<Hole> found;
  std::copy_if(holes.begin(), holes.end(), std::back_inserter(found),
               [part](const Hole& hole) { return hole.part == part && hole.span.length > 0; });
  std::stable_sort(found.begin(), found.end(),
                   [](const Hole& a, const Hole& b) { return a.span.offset < b.span.offset; });
  std::size_t reached = 0;
  std::erase_if(found, [&reached](const Hole& hole) {
    if (hole.span.offset < reached) return true;
    reached = hole.span.offset + hole.span.length;
    return false;
  });
  return found;
}

std::vector<Hole> holes_within(const std::vector<Hole>& in_order, http::Span within) {
  std::vector<Hole> found;
  const std::size_t end = within.offset + within.length;
  auto hole = std::partition_point(in_order.begin(), in_order.end(), [&within](const Hole& one) {
    return one.span.offset + one.span.length <= within.offset;
  });
  for (; hole != in_order.end() && hole->span.offset < end; ++hole) {
    const std::size_t first = std::max(hole->span.offset, within.offset);
    const std::size_t last = std::min(hole->span.offset + hole->span.length, end);
    found.push_back({hole->part, {first - within.offset, last - first}, hole->label});
  }
  return found;
}

}  // namespace tapedeck::api
