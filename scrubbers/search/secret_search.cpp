#include "scrubbers/search/secret_search.h"

#include <string.h>

#include <array>

#include "scrubbers/text/codec.h"

namespace tapedeck::scrubbers {
namespace {

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
  // Returns the name of the encoding that the outer text uses for the place `inside`.
  [[nodiscard]] std::string name_outside(Place inside, Place outside) const {
    return name_of_encoding(codec, outer_text.substr(outside.begin, outside.end - outside.begin),
                            std::string_view(view.text).substr(inside.begin, inside.end - inside.begin));
  }
};

void SecretSearch::add(std::uint32_t number, std::string_view value) {
  if (number >= values_.size()) values_.resize(number + 1);
  values_[number] = value;
  for (Needle& needle : needles_of(value)) {
    const std::string_view bytes = needle.form == Form::raw ? value : arena_->keep(needle.bytes);
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
    std::string chain = layer.name_outside(inside, place);
    if (outer != nullptr) {
      if (!outer->view.map.has_escape(place.begin, place.end)) return;
      const Place raw = outer->place_outside(place);
      chain = join_chain(outer->name_outside(place, raw), chain);
      place = raw;
    }
    hits.add({place.begin, place.end, number, join_chain(std::move(chain), occurrence.encoding)});
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
