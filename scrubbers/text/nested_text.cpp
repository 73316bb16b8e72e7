#include "scrubbers/text/nested_text.h"

#include <algorithm>

#include "base/base64.h"
#include "base/text.h"

namespace tapedeck::scrubbers {
namespace {

bool is_printable(char c) { return static_cast<std::uint8_t>(c) >= ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

NestedText::NestedText(const NestedText& outer, std::size_t begin, std::size_t end, std::optional<Codec> codec)
    : outer_(&outer), begin_(begin), codec_(codec), text_(outer.piece(begin, end)) {
  if (codec && decode_view(*codec, text_, view_)) text_ = view_.text;
}

NestedText::NestedText(const NestedText& outer, std::size_t begin, std::size_t end, Base64)
    : outer_(&outer), begin_(begin), text_(outer.piece(begin, end)) {
  constexpr std::size_t shortest = 16;
  std::string_view raw = text_;
  while (raw.ends_with('=')) raw.remove_suffix(1);
  const auto is_base64 = [](char c) { return base::base64_value(c) >= 0; };
  if (raw.size() < shortest || !std::all_of(raw.begin(), raw.end(), is_base64)) return;
  const std::string head = base::from_base64(raw.substr(0, shortest));
  if (!std::all_of(head.begin(), head.end(), is_printable)) return;
  view_.text = base::from_base64(raw);
  if (!std::all_of(view_.text.begin(), view_.text.end(), is_printable)) return;
  form_ = raw.find_first_of("-_") == base::npos ? Form::base64 : Form::base64url;
  text_ = view_.text;
}

std::optional<NestedText::Place> NestedText::place_in_base64(std::size_t begin, std::size_t end) const {
  if (begin == end) return std::nullopt;
  constexpr std::size_t group = 3, characters = 4;
  const std::size_t from = begin_ + begin / group * characters + begin % group;
  const std::size_t to = begin_ + (end - 1) / group * characters + (end - 1) % group + 2;
  const std::string_view raw = outer_->piece(from, to);
  EncodingStep step{*form_, static_cast<std::uint8_t>(begin % group)};
  const unsigned left_bits = base::base64_left_bits(step.before);
  const unsigned right_bits = base::base64_right_bits(step.before, end - begin);
  const auto first = static_cast<unsigned>(base::base64_value(raw.front()));
  const auto last = static_cast<unsigned>(base::base64_value(raw.back()));
  if (left_bits != 0) step.left = static_cast<std::uint8_t>(first >> (6 - left_bits));
  if (right_bits != 0) step.right = static_cast<std::uint8_t>(last & ((1u << right_bits) - 1));
  if (encode(piece(begin, end), {step}) != raw) return std::nullopt;
  return Place{from, to, {step}};
}

std::optional<NestedText::Place> NestedText::place(std::size_t begin, std::size_t end, Encoding inner) const {
  if (outer_ == nullptr) return Place{begin, end, std::move(inner)};
  if (form_) {
    auto outside = place_in_base64(begin, end);
    return outside ? outer_->place(outside->begin, outside->end, nested(std::move(outside->encoding), inner))
                   : std::nullopt;
  }
  const std::size_t from = begin_ + view_.map.raw_begin(begin), to = begin_ + view_.map.raw_end(end);
  if (!view_.map.has_escape(begin, end)) return outer_->place(from, to, std::move(inner));
  return outer_->place(from, to, nested(encoding_of(*codec_, outer_->piece(from, to), piece(begin, end)), inner));
}

}  // namespace tapedeck::scrubbers
