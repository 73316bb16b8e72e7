#include "scrubbers/text/codec.h"

#include <algorithm>

#include "base/escapes.h"
#include "base/text.h"

namespace tapedeck::scrubbers {

char escape_mark(Codec codec) { return codec == Codec::json ? '\\' : codec == Codec::html ? '&' : '%'; }

namespace {

base::Escape escape_at(Codec codec, std::string_view text) {
  switch (codec) {
    case Codec::percent:
    case Codec::form:
      return text[0] == '+' ? base::escape_of_byte(' ', 1) : base::percent_escape(text);
    case Codec::json:
      return base::json_escape(text);
    case Codec::html:
      return base::html_escape(text);
  }
  return {};
}

/// Returns the next place at or after `at` where an escape may begin, or npos.
std::size_t next_escape(Codec codec, std::string_view text, std::size_t at) {
  if (codec != Codec::form) return text.find(escape_mark(codec), at);
  // find_first_of() compares each byte with its whole set, which is slower.
  const auto found = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size())), text.end(),
                                  [](char c) { return c == '%' || c == '+'; });
  return found == text.end() ? base::npos : static_cast<std::size_t>(found - text.begin());
}

/// Returns the first form of a codec, which all other ones follow. The last one is that with a free choice of escapes.
Form first_form(Codec codec) {
  return codec == Codec::json ? Form::json : codec == Codec::html ? Form::html : Form::percent;
}
Form free_form(Codec codec) {
  return codec == Codec::json ? Form::json_any : codec == Codec::html ? Form::html_any : Form::percent_any;
}

/// Returns the maximum number of escapes in a long text, or 0 for short ones. A vector that grows step by step would
/// temporarily need three times the memory.
std::size_t room_for_escapes(Codec codec, std::string_view raw) {
  constexpr std::size_t long_text = 1u << 20;
  if (raw.size() < long_text) return 0;
  std::size_t count = 0;
  for (std::size_t at = 0; (at = next_escape(codec, raw, at)) != base::npos; ++at) ++count;
  return count;
}

}  // namespace

void PositionMap::add(std::size_t decoded, std::size_t decoded_length, std::size_t raw, std::size_t raw_length) {
  escapes_.push_back({static_cast<std::uint32_t>(decoded), static_cast<std::uint32_t>(raw),
                      static_cast<std::uint8_t>(decoded_length), static_cast<std::uint8_t>(raw_length)});
}

const PositionMap::Escape* PositionMap::last_at_or_before(std::size_t decoded) const {
  const auto after = std::upper_bound(escapes_.begin(), escapes_.end(), decoded,
                                      [](std::size_t at, const Escape& escape) { return at < escape.decoded; });
  return after == escapes_.begin() ? nullptr : &*std::prev(after);
}

std::size_t PositionMap::raw_begin(std::size_t at) const {
  const Escape* escape = last_at_or_before(at);
  if (escape == nullptr) return at;
  const std::size_t into = at - escape->decoded;
  return into < escape->decoded_length ? escape->raw : escape->raw + escape->raw_length + into - escape->decoded_length;
}

std::size_t PositionMap::raw_end(std::size_t end) const {
  if (end == 0) return 0;
  const Escape* escape = last_at_or_before(end - 1);
  if (escape == nullptr) return end;
  const std::size_t into = end - 1 - escape->decoded;
  const std::size_t behind = escape->raw + escape->raw_length;
  return into < escape->decoded_length ? behind : behind + into - escape->decoded_length + 1;
}

bool PositionMap::has_escape(std::size_t begin, std::size_t end) const {
  if (end == 0) return false;
  const Escape* escape = last_at_or_before(end - 1);
  return escape != nullptr && escape->decoded + escape->decoded_length > begin;
}

bool decode_view(Codec codec, std::string_view raw, View& view) {
  std::size_t copied = 0;
  view.text.clear();
  view.map = {};
  for (std::size_t at = 0; (at = next_escape(codec, raw, at)) != base::npos;) {
    const base::Escape escape = escape_at(codec, raw.substr(at));
    if (escape.length == 0) {
      ++at;
      continue;
    }
    if (view.map.empty()) {
      view.text.reserve(raw.size());
      view.map.reserve(room_for_escapes(codec, raw));
    }
    view.text.append(raw, copied, at - copied);
    view.map.add(view.text.size(), escape.size, at, escape.length);
    view.text.append(escape.bytes.data(), escape.size);
    at += escape.length;
    copied = at;
  }
  if (view.map.empty()) return false;
  view.text.append(raw, copied);
  return true;
}

std::string decode_text(Codec codec, std::string_view raw) {
  View view;
  return decode_view(codec, raw, view) ? std::move(view.text) : std::string(raw);
}

Encoding encoding_of(Codec codec, std::string_view raw, std::string_view decoded) {
  if (raw == decoded) return {};
  EncodingStep step{first_form(codec)};
  while (step.form < free_form(codec) && encode(decoded, {step}) != raw) {
    step.form = static_cast<Form>(static_cast<int>(step.form) + 1);
  }
  return {step};
}

std::optional<Codec> codec_of(Form form) {
  if (form == Form::form || form == Form::form_lower) return Codec::form;
  if (form <= Form::percent_any) return Codec::percent;
  if (form <= Form::json_any) return Codec::json;
  return form <= Form::html_any ? std::optional(Codec::html) : std::nullopt;
}

}  // namespace tapedeck::scrubbers
