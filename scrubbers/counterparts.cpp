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
  return !has_base64(spot.encoding) || from.size() % 3 == to.size() % 3;
}

/// Percent-encodes replacements of values that were written without encoding in a query or form, because the new value
/// may need it.
void write_percent(std::vector<Spot>& spots) {
  for (Spot& spot : spots) {
    if (spot.encoding.empty()) spot.encoding = {{Form::percent}};
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

const Counterparts::Known* Counterparts::of_class(SecretClass secret_class) const {
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [secret_class](const Known& one) { return one.secret_class == secret_class; });
  return found == known_.end() ? nullptr : &*found;
}

void Counterparts::search(std::string_view text, std::vector<Spot>& spots) const {
  for (SearchHit& hit : search_->search(text)) {
    spots.push_back({hit.begin, hit.end, hit.value, std::move(hit.encoding), {}, false, false});
  }
}

Replaced Counterparts::write(std::string_view text, std::vector<Spot> spots) const {
  spots = without_overlaps(std::move(spots), {});
  std::erase_if(spots, [this](const Spot& spot) {
    const Known& known = known_[spot.value];
    return spot.fragment || !fits(spot, known.from, known.to);
  });
  return replace(text, std::move(spots),
                 [this](const Spot& spot, std::string_view) { return encode(known_[spot.value].to, spot.encoding); });
}

Replaced Counterparts::written(std::string_view text) const {
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
    const auto number = static_cast<std::uint32_t>(known - known_.data());
    spots.at(part).push_back({find.begin, find.end, number, find.encoding, {}, true, false});
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
    line.value = written(line.value).text;
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
