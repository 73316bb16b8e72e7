// Finds values that are cut at the beginning or end of a response or of a part of a file.

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/text.h"
#include "scrubbers/search/secret_search.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::scrubbers {
namespace {

constexpr std::size_t telling = 6;  // the number of bytes that identify a value
constexpr int deepest = 2;          // the same depth as in search()

/// Returns `text` without an incomplete escape at its end.
std::string_view without_cut_escape(Codec codec, std::string_view text) {
  constexpr std::size_t longest_escape = 12;
  const std::size_t from = text.size() - std::min(text.size(), longest_escape);
  const std::size_t lead = text.rfind(escape_mark(codec));
  View view;
  if (lead == std::string_view::npos || lead < from || decode_view(codec, text.substr(lead), view)) return text;
  return text.substr(0, lead);
}

/// Returns true for a text that may be the end of an escape whose beginning is missing: of %HH, \\uXXXX, \\n, &#xHH; or
/// &amp;.
bool is_rest_of_escape(std::string_view text) {
  if (text.ends_with(';')) {
    text.remove_suffix(1);
    return std::all_of(text.begin(), text.end(), [](char c) { return base::is_alnum(c) || c == '#'; });
  }
  if (text.size() == 1 && std::string_view("\"\\/bfnrt").find(text[0]) != std::string_view::npos) return true;
  if (text.starts_with('u')) text.remove_prefix(1);
  return text.empty() || (text.size() <= 4 && base::is_hex(text));
}

}  // namespace

bool SecretSearch::has_part_at(Edge edge, std::string_view text) const {
  return std::any_of(needles_.begin(), needles_.end(), [&](const KnownNeedle& known) {
    if (known.reach != Reach::anywhere) return false;
    const std::string_view needle = known.bytes;
    const std::string_view value = values_[known.number];
    const std::size_t least = (telling * needle.size() + value.size() - 1) / value.size();
    // The outermost base64 character may be missing, because it also has bits of a neighboring byte.
    const bool is_shared =
        known.form == Form::base64 && (edge == Edge::end ? base::base64_right_bits(known.alignment, value.size()) != 0
                                                         : base::base64_left_bits(known.alignment) != 0);
    const std::size_t most = needle.size() - (is_shared ? 0 : 1);
    for (std::size_t length = std::min(most, text.size()); length >= least; --length) {
      const bool ends = edge == Edge::end && text.ends_with(needle.substr(0, length));
      if (ends || (edge == Edge::begin && text.starts_with(needle.substr(needle.size() - length)))) return true;
    }
    return false;
  });
}

bool SecretSearch::is_cut_at(Edge edge, std::string_view text, int levels) const {
  // The longest rest of an escape: all but the first byte of &#xHH; or \uXXXX.
  constexpr std::size_t most_left = 6;
  if (has_part_at(edge, text)) return true;
  if (levels == 0) return false;
  std::array<std::size_t, most_left + 1> starts{};  // 0, and the end of each possible rest of an escape
  std::size_t count = 1;
  for (std::size_t left = 1; edge == Edge::begin && left <= most_left && left < text.size(); ++left) {
    if (!is_rest_of_escape(text.substr(0, left))) continue;
    if (has_part_at(edge, text.substr(left))) return true;
    starts[count++] = left;
  }
  View view;
  for (const Codec codec : {Codec::percent, Codec::form, Codec::json, Codec::html}) {
    if (text.find(codec == Codec::form ? '+' : escape_mark(codec)) == std::string_view::npos) continue;
    const std::string_view whole = edge == Edge::end ? without_cut_escape(codec, text) : text;
    if (whole.size() < text.size() && has_part_at(edge, whole)) return true;
    for (std::size_t i = 0; i < count; ++i) {
      if (decode_view(codec, whole.substr(starts[i]), view) && is_cut_at(edge, std::string(view.text), levels - 1)) {
        return true;
      }
    }
  }
  return false;
}

bool SecretSearch::ends_in_part_of_a_value(std::string_view text) const {
  constexpr std::size_t reach = 16 * 1024;
  if (needles_.empty()) return false;
  return is_cut_at(Edge::end, text.substr(text.size() - std::min(text.size(), reach)), deepest);
}

bool SecretSearch::is_cut_within_a_value(std::string_view text) const {
  constexpr std::size_t reach = 4 * 1024, shortest_piece = 3;
  if (needles_.empty()) return false;
  if (ends_in_part_of_a_value(text) || is_cut_at(Edge::begin, text.substr(0, reach), deepest)) return true;
  if (text.size() < shortest_piece) return false;
  return std::any_of(needles_.begin(), needles_.end(), [text](const KnownNeedle& known) {
    return known.reach == Reach::anywhere && text.size() < known.bytes.size() &&
           known.bytes.find(text) != std::string_view::npos;
  });
}

}  // namespace tapedeck::scrubbers
