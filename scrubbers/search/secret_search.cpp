#include "scrubbers/search/secret_search.h"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <system_error>

#include "scrubbers/search/opening_marks.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::scrubbers {
namespace {

constexpr std::size_t worth_compiling = 64;
constexpr std::size_t due_part = 3;  // compiled anew when so large a part of the compiled ones has been added
constexpr std::size_t smallest_index = 4096;
// Compiling a needle takes as long as an index needs for so many bytes: what is spent on either is at most twice the
// less.
constexpr std::uint64_t bytes_per_needle = 64 * 1024;

struct Place {
  std::size_t begin = 0;
  std::size_t end = 0;
};

}  // namespace

// A decoded text and the one that it was decoded from.
struct SecretSearch::Layer {
  View view;
  Codec codec = Codec::percent;
  std::string_view outer_text;

  [[nodiscard]] Place place_outside(Place inside) const {
    return {view.map.raw_begin(inside.begin), view.map.raw_end(inside.end)};
  }
  // The chain's name for how the outer text says what stands at `inside`.
  [[nodiscard]] std::string name_outside(Place inside, Place outside) const {
    return name_of_encoding(codec, outer_text.substr(outside.begin, outside.end - outside.begin),
                            std::string_view(view.text).substr(inside.begin, inside.end - inside.begin));
  }
};

SecretSearch::~SecretSearch() {
  if (compiling_.valid()) compiling_.wait();
}

void SecretSearch::add(std::uint32_t number, std::string_view value) {
  if (number >= values_.size()) values_.resize(number + 1);
  values_[number] = value;
  settle();
  for (Needle& needle : needles_of(value)) {
    const std::string_view bytes = needle.form == Form::raw ? value : arena_->keep(needle.bytes);
    explicit_bzero(needle.bytes.data(), needle.bytes.size());
    add_fresh(bytes, static_cast<std::uint32_t>(needles_.size()));
    needles_.push_back({bytes, number, needle.form, needle.alignment});
  }
  compile_if_due();
}

void SecretSearch::add_fresh(std::string_view bytes, std::uint32_t id) {
  auto& fresh = tiers_.fresh;
  if (fresh.size() == covered_) {
    fresh.push_back(std::make_unique<LiteralIndex>(std::max(smallest_index, compiled_count() / due_part * 2)));
  } else if (fresh.back()->full()) {
    fresh.push_back(std::make_unique<LiteralIndex>(fresh.back()->capacity() * 4));
  }
  fresh.back()->add(bytes, id);
}

void SecretSearch::settle() {
  if (!compiling_.valid()) return compile_if_due();
  if (compiling_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  Tiers before;
  try {
    before.compiled = compiling_.get();
  } catch (const std::exception&) {
    covered_ = 0;
    return;  // the indexes still hold all that is not compiled; what is added later asks again
  }
  std::swap(before.compiled, tiers_.compiled);
  const auto end_of_covered = tiers_.fresh.begin() + static_cast<std::ptrdiff_t>(covered_);
  before.fresh.assign(std::make_move_iterator(tiers_.fresh.begin()), std::make_move_iterator(end_of_covered));
  tiers_.fresh.erase(tiers_.fresh.begin(), end_of_covered);
  covered_ = 0;
  free_elsewhere(std::move(before));
  compile_if_due();
}

void SecretSearch::free_elsewhere(Tiers tiers) {
  // Wiping and freeing a set of some megabytes takes as many milliseconds. What a task merely holds would be freed with
  // its future, on this thread.
  try {
    freeing_ = std::async(std::launch::async, [held = std::move(tiers)]() mutable { held = {}; });
  } catch (const std::system_error&) {
    return;  // no thread to be had: it was freed here
  }
}

bool SecretSearch::is_due() const {
  const std::size_t added = needles_.size() - asked_;
  if (compiling_.valid() || added == 0) return false;
  return added >= std::max(worth_compiling, compiled_count() / due_part) ||
         indexed_bytes_ >= needles_.size() * bytes_per_needle;
}

void SecretSearch::compile_if_due() {
  if (!is_due()) return;
  std::vector<std::string_view> literals;
  literals.reserve(needles_.size());
  for (const KnownNeedle& needle : needles_) literals.push_back(needle.bytes);
  try {
    compiling_ = std::async(std::launch::async, [literals = std::move(literals)] {
      auto compiled = std::make_unique<HyperscanSet>(literals);
      malloc_trim(0);  // compiling takes many times what it leaves, and the allocator would keep it
      return compiled;
    });
  } catch (const std::system_error&) {
    return;  // no thread to be had: the next value asks again
  }
  asked_ = needles_.size();
  covered_ = tiers_.fresh.size();
  indexed_bytes_ = 0;
}

template <class Hit>
void SecretSearch::each_needle(std::string_view text, Hit&& hit) const {
  const auto found = [&](std::size_t at, std::uint32_t id) {
    const KnownNeedle& needle = needles_[id];
    auto occurrence = locate(text, at, needle.bytes.size(), needle.form, needle.alignment, values_[needle.number]);
    if (occurrence) hit(*std::move(occurrence), needle.number);
  };
  if (tiers_.compiled) tiers_.compiled->search(text, found);
  for (const auto& index : tiers_.fresh) index->search(text, found);
  if (!tiers_.fresh.empty()) indexed_bytes_.fetch_add(text.size(), std::memory_order_relaxed);
}

void SecretSearch::search_layer(const Layer& layer, const Layer* outer, SearchHits& hits) const {
  each_needle(layer.view.text, [&](Occurrence occurrence, std::uint32_t number) {
    const Place inside{occurrence.begin, occurrence.end};
    // Without an escape in it, it stands in the outer text too, and was found there.
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
  search(text, may_open_something(text), hits);
  return hits.take();
}

void SecretSearch::search(std::string_view text, bool opens, SearchHits& hits) const {
  if (needles_.empty()) return;
  each_needle(text, [&](Occurrence occurrence, std::uint32_t number) {
    hits.add({occurrence.begin, occurrence.end, number, std::move(occurrence.encoding)});
  });
  if (!opens) return;  // nothing to decode
  Layer first;
  Layer second;
  const auto decodes = [](Layer& layer, Codec codec, std::string_view from) {
    // Without a '+' the percent view says the same.
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
