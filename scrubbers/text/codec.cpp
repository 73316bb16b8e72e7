#include "scrubbers/text/codec.h"

#include <algorithm>
#include <cstring>

#include "base/escapes.h"

namespace tapedeck::scrubbers {
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

const char* next_candidate(Codec codec, const char* from, const char* end) {
  const auto length = static_cast<std::size_t>(end - from);
  if (codec == Codec::form) {
    return std::find_if(from, end, [](char c) { return c == '%' || c == '+'; });
  }
  const char lead = codec == Codec::json ? '\\' : codec == Codec::html ? '&' : '%';
  const void* found = length == 0 ? nullptr : std::memchr(from, lead, length);
  return found == nullptr ? end : static_cast<const char*>(found);
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
  const char* const end = raw.data() + raw.size();
  for (const char* at = raw.data(); (at = next_candidate(codec, at, end)) != end; ++at) ++count;
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
  const char* const begin = raw.data();
  const char* const end = begin + raw.size();
  const char* copied = begin;
  view.text.clear();
  view.map = {};
  for (const char* at = next_candidate(codec, begin, end); at != end;) {
    const base::Escape escape = escape_at(codec, {at, static_cast<std::size_t>(end - at)});
    if (escape.length == 0) {
      at = next_candidate(codec, at + 1, end);
      continue;
    }
    if (view.map.empty()) {
      view.text.reserve(raw.size());
      view.map.reserve(room_for_escapes(codec, raw));
    }
    view.text.append(copied, at);
    view.map.add(view.text.size(), escape.size, static_cast<std::size_t>(at - begin), escape.length);
    view.text.append(escape.bytes.data(), escape.size);
    copied = at + escape.length;
    at = next_candidate(codec, copied, end);
  }
  if (view.map.empty()) return false;
  view.text.append(copied, end);
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
