#include "scrubbers/search/secret_search.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/base64.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/wipe.h"
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

/// Returns all needles of a value: the value itself, base64 at three alignments (in both alphabets if they differ), hex
/// in both cases with and without spaces, and UTF-16LE.
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

bool is_wide(char c) { return static_cast<std::uint8_t>(c) >= 0x80; }

/// Returns true if `outside` continues the word or number that ends in `inside`.
bool continues(char inside, char outside, bool is_number) {
  if (is_number && std::string_view(".-+").find(outside) != std::string_view::npos) return true;
  if (is_wide(inside)) return is_wide(outside) || base::is_alnum(outside);
  return (base::is_alnum(inside) || inside == '_') && (base::is_alnum(outside) || outside == '_');
}

bool is_token(std::string_view text, Place place) {
  const std::string_view value = text.substr(place.begin, place.end - place.begin);
  const bool is_number = std::all_of(value.begin(), value.end(), base::is_digit);
  if (place.begin > 0 && continues(value.front(), text[place.begin - 1], is_number)) return false;
  return place.end == text.size() || !continues(value.back(), text[place.end], is_number);
}

/// Returns true if the place is in quotes and no key, a parameter, the text of a tag, a path segment, or a whole text.
bool is_whole(std::string_view text, Place place) {
  const char before = place.begin == 0 ? '\0' : text[place.begin - 1];
  const char behind = place.end == text.size() ? '\0' : text[place.end];
  const bool ends = place.end == text.size() || std::string_view("&;#?\"' \t\r\n<>\\").find(behind) != base::npos;
  switch (before) {
    case '"':
    case '\'': {
      if (behind != before) return false;
      const std::size_t next = std::min(text.find_first_not_of(" \t\r\n", place.end + 1), text.size());
      return next == text.size() || text[next] != ':';
    }
    case '=':
      return ends;
    case '>':
      return behind == '<';
    case '/':
      return place.end == text.size() || behind == '/' || behind == '?' || behind == '#';
    case '\n':  // a multipart field
      return text.substr(0, place.begin).ends_with("\r\n\r\n") && text.substr(place.end).starts_with("\r\n--");
    default:
      return place.begin == 0 && place.end == text.size();
  }
}

/// Returns true if no letter or digit continues a text in base64 or hex. The other characters of base64 also separate.
bool is_whole_run(std::string_view text, Place place) {
  const bool begins = place.begin == 0 || !base::is_alnum(text[place.begin - 1]);
  return begins && (place.end == text.size() || !base::is_alnum(text[place.end]));
}

bool is_within_reach(Reach reach, std::string_view text, Place place, std::optional<Form> form) {
  if (reach == Reach::anywhere) return true;
  if (form && !is_whole_run(text, place)) return false;
  if (reach == Reach::token) return form || is_token(text, place);
  for (unsigned padding = 0; form == Form::base64 && padding < 2 && text.substr(place.end).starts_with('=');
       ++padding) {
    ++place.end;
  }
  return is_whole(text, place);
}

}  // namespace

std::vector<SearchHit> SearchHits::take() {
  const auto before = [](const SearchHit& a, const SearchHit& b) {
    return std::tie(a.begin, a.end, a.value) < std::tie(b.begin, b.end, b.value);
  };
  const auto structure =
      std::stable_partition(hits_.begin(), hits_.end(), [](const SearchHit& hit) { return !hit.is_structure; });
  std::sort(structure, hits_.end(), before);
  const auto kept = std::remove_if(hits_.begin(), structure, [&](const SearchHit& hit) {
    return std::binary_search(structure, hits_.end(), hit, before);
  });
  hits_.erase(kept, hits_.end());
  return std::move(hits_);
}

struct SecretSearch::Found {
  std::size_t begin, end;
  Encoding encoding;
  const KnownNeedle& needle;

  /// Returns true if its surroundings decide whether it counts.
  [[nodiscard]] bool is_bounded() const { return needle.reach != Reach::anywhere; }
  [[nodiscard]] bool counts_in(std::string_view text) const {
    return is_within_reach(needle.reach, text, {begin, end}, needle.form);
  }
};

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

void SecretSearch::add(std::uint32_t number, std::string_view value, Reach reach) {
  if (number >= values_.size()) values_.resize(number + 1);
  values_[number] = value;
  for (Needle& needle : needles_of(value)) {
    if (reach != Reach::anywhere && needle.alignment != 0) continue;
    const std::size_t size = needle.bytes.size();
    if (size < LiteralIndex::shortest && needle.form == Form::base64) needle.bytes = base::base64_form(value);
    const bool is_short = needle.bytes.size() < LiteralIndex::shortest;
    if (is_short && (needle.form || short_.size() >= most_short)) continue;
    const std::string_view bytes = !needle.form ? value : arena_->keep(needle.bytes);
    base::wipe(needle.bytes.data(), needle.bytes.size());
    const auto id = static_cast<std::uint32_t>(needles_.size());
    needles_.push_back({bytes, size, number, needle.form, needle.alignment, reach});
    if (is_short) {
      short_.push_back(id);
    } else {
      index_.add(bytes, id);
    }
  }
}

template <class Hit>
void SecretSearch::each_needle(std::string_view text, Hit&& hit) const {
  const auto check = [&](std::size_t at, const KnownNeedle& needle) {
    auto found = locate(text, at, needle.size, needle.form, needle.alignment, values_[needle.number]);
    if (found) hit(Found{found->begin, found->end, std::move(found->encoding), needle});
  };
  index_.search(text, [&](std::size_t at, std::uint32_t id) { check(at, needles_[id]); });
  for (const std::uint32_t id : short_) {
    const std::string_view bytes = needles_[id].bytes;
    for (std::size_t at = text.find(bytes); at != base::npos; at = text.find(bytes, at + 1)) check(at, needles_[id]);
  }
}

void SecretSearch::search_layer(const Layer& layer, const Layer* outer, SearchHits& hits,
                                const IsStructure& is_structure) const {
  each_needle(layer.view.text, [&](const Found& found) {
    const Place inside{found.begin, found.end};
    if (!found.counts_in(layer.view.text)) return;
    Place place = layer.place_outside(inside);
    const bool is_escaped = layer.view.map.has_escape(inside.begin, inside.end);
    const bool is_escaped_twice = outer == nullptr || outer->view.map.has_escape(place.begin, place.end);
    // A value without an escape was already found in the outer text, unless an escape is beside it.
    const bool is_known = !found.is_bounded() && (!is_escaped || !is_escaped_twice);
    const std::uint32_t number = found.needle.number;
    const bool is_of_structure = is_structure && is_structure(layer.view.text, inside.begin, inside.end, number);
    if (is_known && !is_of_structure) return;
    Encoding chain = is_escaped ? layer.encoding_outside(inside, place) : Encoding();
    if (outer != nullptr) {
      const Place raw = outer->place_outside(place);
      if (is_escaped_twice) chain = nested(outer->encoding_outside(place, raw), chain);
      place = raw;
    }
    hits.add({place.begin, place.end, number, nested(std::move(chain), found.encoding), found.needle.reach,
              is_of_structure});
  });
}

std::vector<SearchHit> SecretSearch::search(std::string_view text) const {
  SearchHits hits;
  search(text, hits);
  return hits.take();
}

void SecretSearch::search(std::string_view text, SearchHits& hits, const IsStructure& is_structure) const {
  if (needles_.empty()) return;
  each_needle(text, [&](const Found& found) {
    if (!found.counts_in(text)) return;
    const std::uint32_t number = found.needle.number;
    const bool is_of_structure = is_structure && is_structure(text, found.begin, found.end, number);
    hits.add({found.begin, found.end, number, found.encoding, found.needle.reach, is_of_structure});
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
    search_layer(first, nullptr, hits, is_structure);
    for (const Codec inner : codecs) {
      if (decodes(second, inner, first.view.text)) search_layer(second, &first, hits, is_structure);
    }
  }
}

bool SecretSearch::occurs_plainly(std::string_view text) const {
  bool occurs = false;
  each_needle(text, [&occurs](const Found& found) { occurs = occurs || !found.is_bounded(); });
  return occurs;
}

bool SecretSearch::occurs(std::string_view text) const {
  const std::vector<SearchHit> hits = search(text);
  return std::any_of(hits.begin(), hits.end(), [](const SearchHit& hit) { return hit.reach == Reach::anywhere; });
}

}  // namespace tapedeck::scrubbers
