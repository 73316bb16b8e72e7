#include "scrubbers/search/secret_search.h"

#include <string.h>

#include <array>

#include "base/base64.h"
#include "base/utf8.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::scrubbers {
namespace {

struct Needle {
  std::string bytes;
  std::optional<Form> form;
  std::uint8_t alignment = 0;  ///< for base64: bytes before the value in its group of three
};

/// The place of the value if a needle was found at `at`, and its encoding.
struct Occurrence {
  std::size_t begin = 0;
  std::size_t end = 0;
  Encoding encoding;
};

// Returns the base64 characters that depend on the value alone, without a first and last one that also have bits of
// neighboring bytes.
std::string base64_core(std::string_view value, std::string_view alphabet, unsigned alignment) {
  std::string core = base::to_base64(value, alphabet, alignment, 0, 0);
  if (base::base64_right_bits(alignment, value.size()) != 0) core.pop_back();
  if (base::base64_left_bits(alignment) != 0) core.erase(0, 1);
  return core;
}

void add_base64(std::vector<Needle>& needles, std::string_view value) {
  for (std::uint8_t alignment = 0; alignment < 3; ++alignment) {
    std::string standard = base64_core(value, base::base64_alphabet, alignment);
    std::string url = base64_core(value, base::base64url_alphabet, alignment);
    if (url != standard) needles.push_back({std::move(url), Form::base64, alignment});
    needles.push_back({std::move(standard), Form::base64, alignment});
  }
}

bool is_url_run(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::size_t reach = 256;  // limits the work; enough characters to decide
  const std::string_view own = text.substr(begin, end - begin);
  if (own.find_first_of("-_") != std::string_view::npos) return true;
  if (own.find_first_of("+/") != std::string_view::npos) return false;
  for (std::size_t at = end; at < text.size() && at < end + reach && base::base64_value(text[at]) >= 0; ++at) {
    if (text[at] == '-' || text[at] == '_') return true;
    if (text[at] == '+' || text[at] == '/') return false;
  }
  for (std::size_t at = begin; at > 0 && at + reach > begin && base::base64_value(text[at - 1]) >= 0; --at) {
    if (text[at - 1] == '-' || text[at - 1] == '_') return true;
    if (text[at - 1] == '+' || text[at - 1] == '/') return false;
  }
  return false;
}

std::optional<Occurrence> locate_base64(std::string_view text, std::size_t at, std::size_t size, unsigned alignment,
                                        std::string_view value) {
  Occurrence found{at, at + size, {}};
  const unsigned left_bits = base::base64_left_bits(alignment);
  const unsigned right_bits = base::base64_right_bits(alignment, value.size());
  unsigned left = 0;
  unsigned right = 0;
  if (left_bits != 0) {
    const int character = at == 0 ? -1 : base::base64_value(text[at - 1]);
    if (character < 0) return std::nullopt;
    const unsigned own_bits = 6 - left_bits;
    const auto own = static_cast<unsigned>(static_cast<std::uint8_t>(value.front()) >> (8 - own_bits));
    if ((static_cast<unsigned>(character) & ((1u << own_bits) - 1)) != own) return std::nullopt;
    left = static_cast<unsigned>(character) >> own_bits;
    --found.begin;
  }
  if (right_bits != 0) {
    const int character = found.end == text.size() ? -1 : base::base64_value(text[found.end]);
    if (character < 0) return std::nullopt;
    const unsigned own_bits = 6 - right_bits;
    const unsigned own = static_cast<std::uint8_t>(value.back()) & ((1u << own_bits) - 1);
    if (static_cast<unsigned>(character) >> right_bits != own) return std::nullopt;
    right = static_cast<unsigned>(character) & ((1u << right_bits) - 1);
    ++found.end;
  }
  const Form form = is_url_run(text, found.begin, found.end) ? Form::base64url : Form::base64;
  found.encoding = {
      {form, static_cast<std::uint8_t>(alignment), static_cast<std::uint8_t>(left), static_cast<std::uint8_t>(right)}};
  return found;
}

/// Returns all needles of a value of at least 8 bytes: the value itself, base64 at three alignments (in both alphabets
/// if they differ), hex in both cases with and without spaces, and UTF-16LE. Each has at least 8 bytes.
std::vector<Needle> needles_of(std::string_view value) {
  std::vector<Needle> needles;
  needles.push_back({std::string(value), std::nullopt, 0});
  add_base64(needles, value);
  needles.push_back({hex_form(value, false, false), Form::hex, 0});
  needles.push_back({hex_form(value, false, true), Form::spaced_hex, 0});
  if (std::string upper = hex_form(value, true, false); upper != needles[needles.size() - 2].bytes) {
    needles.push_back({std::move(upper), Form::upper_hex, 0});
    needles.push_back({hex_form(value, true, true), Form::upper_spaced_hex, 0});
  }
  needles.push_back({base::to_utf16(value), Form::utf16le, 0});
  return needles;
}

/// Returns nothing if the characters around a base64 needle do not have the rest of the value's bits.
std::optional<Occurrence> locate(std::string_view text, std::size_t at, std::size_t needle_size,
                                 std::optional<Form> form, unsigned alignment, std::string_view value) {
  if (form == Form::base64) return locate_base64(text, at, needle_size, alignment, value);
  return Occurrence{at, at + needle_size, form ? Encoding{{*form}} : Encoding()};
}

struct Place {
  std::size_t begin = 0;
  std::size_t end = 0;
};

}  // namespace

// A decoded text and the text from which it was decoded.
struct SecretSearch::Layer {
  View view;
  Codec codec = Codec::percent;
  std::string_view outer_text;

  [[nodiscard]] Place place_outside(Place inside) const {
    return {view.map.raw_begin(inside.begin), view.map.raw_end(inside.end)};
  }
  // Returns the encoding that the outer text uses for the place `inside`.
  [[nodiscard]] Encoding encoding_outside(Place inside, Place outside) const {
    return encoding_of(codec, outer_text.substr(outside.begin, outside.end - outside.begin),
                       std::string_view(view.text).substr(inside.begin, inside.end - inside.begin));
  }
};

void SecretSearch::add(std::uint32_t number, std::string_view value) {
  if (number >= values_.size()) values_.resize(number + 1);
  values_[number] = value;
  for (Needle& needle : needles_of(value)) {
    const std::string_view bytes = !needle.form ? value : arena_->keep(needle.bytes);
    explicit_bzero(needle.bytes.data(), needle.bytes.size());
    index_.add(bytes, static_cast<std::uint32_t>(needles_.size()));
    needles_.push_back({bytes, number, needle.form, needle.alignment});
  }
}

template <class Hit>
void SecretSearch::each_needle(std::string_view text, Hit&& hit) const {
  index_.search(text, [&](std::size_t at, std::uint32_t id) {
    const KnownNeedle& needle = needles_[id];
    auto occurrence = locate(text, at, needle.bytes.size(), needle.form, needle.alignment, values_[needle.number]);
    if (occurrence) hit(*std::move(occurrence), needle.number);
  });
}

void SecretSearch::search_layer(const Layer& layer, const Layer* outer, SearchHits& hits) const {
  each_needle(layer.view.text, [&](Occurrence occurrence, std::uint32_t number) {
    const Place inside{occurrence.begin, occurrence.end};
    // A value without an escape was already found in the outer text.
    if (!layer.view.map.has_escape(inside.begin, inside.end)) return;
    Place place = layer.place_outside(inside);
    Encoding chain = layer.encoding_outside(inside, place);
    if (outer != nullptr) {
      if (!outer->view.map.has_escape(place.begin, place.end)) return;
      const Place raw = outer->place_outside(place);
      chain = nested(outer->encoding_outside(place, raw), chain);
      place = raw;
    }
    hits.add({place.begin, place.end, number, nested(std::move(chain), occurrence.encoding)});
  });
}

std::vector<SearchHit> SecretSearch::search(std::string_view text) const {
  SearchHits hits;
  search(text, hits);
  return hits.take();
}

void SecretSearch::search(std::string_view text, SearchHits& hits) const {
  if (needles_.empty()) return;
  each_needle(text, [&](Occurrence occurrence, std::uint32_t number) {
    hits.add({occurrence.begin, occurrence.end, number, std::move(occurrence.encoding)});
  });
  Layer first;
  Layer second;
  const auto decodes = [](Layer& layer, Codec codec, std::string_view from) {
    // Without a '+', form decoding equals percent decoding.
    if (codec == Codec::form && from.find('+') == std::string_view::npos) return false;
    layer.codec = codec;
    layer.outer_text = from;
    return decode_view(codec, from, layer.view);
  };
  constexpr std::array<Codec, 4> codecs{Codec::percent, Codec::form, Codec::json, Codec::html};
  for (const Codec codec : codecs) {
    if (hits.is_full() || !decodes(first, codec, text)) continue;
    search_layer(first, nullptr, hits);
    for (const Codec inner : codecs) {
      if (decodes(second, inner, first.view.text)) search_layer(second, &first, hits);
    }
  }
}

bool SecretSearch::occurs_plainly(std::string_view text) const {
  bool found = false;
  each_needle(text, [&found](const Occurrence&, std::uint32_t) { found = true; });
  return found;
}

}  // namespace tapedeck::scrubbers
