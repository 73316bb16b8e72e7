#include "scrubbers/counterparts.h"

#include <algorithm>
#include <array>

#include "api/call.h"
#include "http/message/urlencoded.h"
#include "scrubbers/redaction/replace.h"
#include "scrubbers/rules/named_finds.h"

namespace tapedeck::scrubbers {
namespace {

/// Returns true if `to` can replace `from` in place. In base64, characters share bits with their neighbors in groups of
/// three bytes, so the sizes must agree modulo 3.
bool fits(const Spot& spot, std::string_view from, std::string_view to) {
  const bool is_grouped = spot.encoding.find("base64") != std::string::npos;
  return !is_grouped || from.size() % 3 == to.size() % 3;
}

/// Percent-encodes replacements of values that were written without encoding in a query or form, because the new value
/// may need it.
void write_percent(std::vector<Spot>& spots) {
  for (Spot& spot : spots) {
    if (spot.encoding.empty()) spot.encoding = "percent";
  }
}

}  // namespace

Counterparts::Counterparts(const CompiledRules& rules, const std::vector<Pair>& pairs)
    : rules_(rules), search_(std::make_unique<SecretSearch>(arena_)) {
  for (const Pair& pair : pairs) {
    if (pair.from.empty() || pair.to.empty()) continue;
    const Known& known = known_.emplace_back(Known{pair.secret_class, arena_.keep(pair.from), arena_.keep(pair.to)});
    if (known.from.size() < SecretSearch::shortest || known.from == known.to) continue;
    search_->add(static_cast<std::uint32_t>(known_.size() - 1), known.from);
  }
}

std::size_t Counterparts::Written::place_of(std::size_t old_place) const {
  const auto next = std::upper_bound(moves.begin(), moves.end(), old_place,
                                     [](std::size_t place, const Move& move) { return place < move.old_end; });
  return next == moves.begin() ? old_place : std::prev(next)->new_end + (old_place - std::prev(next)->old_end);
}

const Counterparts::Known* Counterparts::of_class(SecretClass secret_class) const {
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [secret_class](const Known& one) { return one.secret_class == secret_class; });
  return found == known_.end() ? nullptr : &*found;
}

void Counterparts::search(std::string_view text, std::vector<Spot>& spots) const {
  for (SearchHit& hit : search_->search(text)) {
    Spot spot;
    spot.begin = hit.begin;
    spot.end = hit.end;
    spot.value = hit.value;
    spot.encoding = std::move(hit.encoding);
    spots.push_back(std::move(spot));
  }
}

Counterparts::Written Counterparts::write(std::string_view text, std::vector<Spot> spots) const {
  Written written;
  std::size_t copied = 0;
  for (const Spot& spot : without_overlaps(std::move(spots), {})) {
    const Known& known = known_[spot.value];
    if (spot.fragment || !fits(spot, known.from, known.to)) continue;
    written.text.append(text, copied, spot.begin - copied).append(encode(known.to, spot.encoding));
    copied = spot.end;
    written.moves.push_back({spot.end, written.text.size()});
  }
  written.text.append(text, copied);
  return written;
}

Counterparts::Written Counterparts::written(std::string_view text) const {
  std::vector<Spot> spots;
  search(text, spots);
  return write(text, std::move(spots));
}

std::vector<SecretClass> Counterparts::write_into(http::Request& request, std::string_view base_path) const {
  const CallContext context(api::Call::from(request, base_path));
  const Texts texts(request);
  NamedFinds named;
  NamedFinder(rules_, context, texts, named).request(request.headers);
  std::array<std::vector<Spot>, 3> spots;
  for (std::size_t part = 0; part < spots.size(); ++part) search(texts[static_cast<Part>(part)], spots.at(part));
  std::vector<SecretClass> classes;
  for (const NamedFind& find : named.finds) {
    const Known* const known = of_class(find.secret_class);
    const auto part = static_cast<std::size_t>(find.part);
    if (known == nullptr || part >= spots.size() || find.begin == find.end) continue;
    Spot spot;
    spot.begin = find.begin;
    spot.end = find.end;
    spot.value = static_cast<std::uint32_t>(known - known_.data());
    spot.encoding = find.encoding;
    spot.named = true;
    spots.at(part).push_back(std::move(spot));
  }
  for (const auto& in_part : spots) {
    for (const Spot& spot : in_part) classes.push_back(known_[spot.value].secret_class);
  }
  write_percent(spots[0]);
  if (http::is_form(request.headers)) write_percent(spots[2]);
  if (!spots[0].empty()) request.target = write(request.target, std::move(spots[0])).text;
  if (!spots[1].empty()) {
    request.headers = http::Headers::from_text(write(texts[Part::request_headers], std::move(spots[1])).text);
  }
  if (!spots[2].empty()) request.body = write(request.body, std::move(spots[2])).text;
  return classes;
}

void Counterparts::write_into(http::Headers& headers) const {
  for (http::Header& line : headers) {
    Written written = this->written(line.value);
    if (!written.moves.empty()) line.value = std::move(written.text);
  }
}

std::size_t Counterparts::waiting_bytes(std::string_view text) const {
  std::size_t most = 0;
  for (const Known& known : known_) {
    for (std::size_t length = std::min(known.from.size() - 1, text.size()); length > most; --length) {
      if (text.ends_with(known.from.substr(0, length))) most = length;
    }
  }
  return most;
}

}  // namespace tapedeck::scrubbers
