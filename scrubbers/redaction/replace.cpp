#include "scrubbers/redaction/replace.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tapedeck::scrubbers {
namespace {

// The ranges in use, as begin -> end, without overlaps.
using Taken = std::map<std::size_t, std::size_t>;

// Returns the unused pieces of [begin, end).
std::vector<std::pair<std::size_t, std::size_t>> free_pieces(const Taken& taken, std::size_t begin, std::size_t end) {
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  auto next = taken.upper_bound(begin);
  if (next != taken.begin()) begin = std::max(begin, std::prev(next)->second);
  for (; begin < end && next != taken.end() && next->first < end; ++next) {
    if (next->first > begin) pieces.emplace_back(begin, next->first);
    begin = std::max(begin, next->second);
  }
  if (begin < end) pieces.emplace_back(begin, end);
  return pieces;
}

bool has_free_choice(const Encoding& encoding) {
  return std::any_of(encoding.begin(), encoding.end(), [](const EncodingStep& step) {
    return step.form == Form::percent_any || step.form == Form::json_any || step.form == Form::html_any;
  });
}

bool wins(const Spot& a, const Spot& b) {
  const auto rank = [](const Spot& spot) {
    return std::tuple(~(spot.end - spot.begin), spot.begin, !spot.named, has_free_choice(spot.encoding),
                      spot.encoding.size());
  };
  const auto rank_a = rank(a), rank_b = rank(b);
  return std::tie(rank_a, a.encoding, a.value, a.rule) < std::tie(rank_b, b.encoding, b.value, b.rule);
}

/// Returns true if the shape of the value may be stored. Replay generates only the IDs of requests again, and the
/// length of a password would help to guess it.
bool keeps_shape(const Redaction& row) {
  return is_id(row.secret_class) || row.secret_class == SecretClass::task_id || row.part >= Part::response_reason;
}

}  // namespace

std::vector<Spot> without_overlaps(std::vector<Spot> spots, const std::vector<Redaction>& fixed) {
  Taken taken;
  for (const Redaction& row : fixed) taken.emplace(row.offset, row.offset + row.length);
  std::sort(spots.begin(), spots.end(), wins);
  std::vector<Spot> kept;
  for (Spot& spot : spots) {
    const auto pieces = free_pieces(taken, spot.begin, spot.end);
    const bool whole = pieces.size() == 1 && pieces[0] == std::pair(spot.begin, spot.end);
    for (const auto& [begin, end] : pieces) {
      taken.emplace(begin, end);
      Spot piece = spot;
      piece.begin = begin;
      piece.end = end;
      if (!whole) {
        piece.fragment = true;
        piece.encoding.clear();
      }
      kept.push_back(std::move(piece));
    }
  }
  std::sort(kept.begin(), kept.end(), [](const Spot& a, const Spot& b) { return a.begin < b.begin; });
  return kept;
}

std::size_t Replaced::place_of(std::size_t old_place) const {
  const auto next = std::upper_bound(moved.begin(), moved.end(), old_place,
                                     [](std::size_t place, const Moved& spot) { return place < spot.end; });
  if (next != moved.end() && next->begin < old_place) return next->new_end;
  return next == moved.begin() ? old_place : std::prev(next)->new_end + (old_place - std::prev(next)->end);
}

Replaced replace(std::string_view text, Part part, const std::vector<Spot>& spots, const std::vector<Redaction>& fixed,
                 const std::function<Redaction(const Spot&)>& describe, const Word& word) {
  Replaced replaced;
  replaced.text.reserve(text.size() + spots.size() * 16);
  std::size_t copied = 0;
  auto next_fixed = fixed.begin();
  const auto keep_fixed_until = [&](std::size_t end) {
    for (; next_fixed != fixed.end() && next_fixed->offset < end; ++next_fixed) {
      Redaction row = *next_fixed;
      row.offset = replaced.text.size() + (next_fixed->offset - copied);
      replaced.text += text.substr(copied, next_fixed->offset + next_fixed->length - copied);
      copied = next_fixed->offset + next_fixed->length;
      replaced.rows.push_back(std::move(row));
    }
  };
  for (const Spot& spot : spots) {
    keep_fixed_until(spot.begin);
    replaced.text += text.substr(copied, spot.begin - copied);
    Redaction row = describe(spot);
    const std::string put =
        word ? word(spot, text.substr(spot.begin, spot.end - spot.begin)) : placeholder(row.secret_class);
    row.part = part;
    row.offset = replaced.text.size();
    row.length = put.size();
    row.encoding = spot.encoding;
    row.rule = spot.rule;
    if (spot.fragment) {
      row.whose = Whose::none;
      row.owner = row.ordinal = 0;
      row.shape = shape_of(text.substr(spot.begin, spot.end - spot.begin));
    }
    if (!keeps_shape(row) || row.secret_class == SecretClass::private_data) row.shape.clear();
    replaced.rows.push_back(std::move(row));
    replaced.text += put;
    copied = spot.end;
    replaced.moved.push_back({spot.begin, spot.end, replaced.text.size()});
  }
  keep_fixed_until(text.size() + 1);
  replaced.text += text.substr(copied);
  return replaced;
}

Replaced replace(std::string_view text, std::vector<Spot> spots, const Word& word) {
  const auto describe = [](const Spot&) { return Redaction(); };
  return replace(text, Part::response_body, without_overlaps(std::move(spots), {}), {}, describe, word);
}

}  // namespace tapedeck::scrubbers
