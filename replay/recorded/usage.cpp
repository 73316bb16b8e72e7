#include "replay/recorded/usage.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "api/scope_name.h"
#include "cassettes/read/superseded.h"

namespace tapedeck::replay {
namespace {

constexpr std::uint64_t word_bits = 64;

std::uint64_t bit(std::int64_t number) { return std::uint64_t{1} << (static_cast<std::uint64_t>(number) % 64); }

}  // namespace

Usage::Usage(std::uint64_t interactions) : bits_(std::min(interactions, most_interactions) / word_bits + 1) {}

void Usage::mark(std::int64_t number) {
  const std::uint64_t word = static_cast<std::uint64_t>(number) / word_bits;
  if (word >= bits_.size() || (bits_[word].load(std::memory_order_relaxed) & bit(number)) != 0) return;
  bits_[word].fetch_or(bit(number), std::memory_order_relaxed);
}

bool Usage::has(std::int64_t number) const {
  const std::uint64_t word = static_cast<std::uint64_t>(number) / word_bits;
  return word < bits_.size() && (bits_[word].load(std::memory_order_relaxed) & bit(number)) != 0;
}

void each_answer(const cassettes::CassetteReader& reader, const Usage& usage, const SequenceName& name,
                 const std::function<void(const cassettes::ListedInteraction&, bool played)>& visit) {
  std::string scope;  // as stored
  reader.scopes([&](const cassettes::ScopeTake& one) {
    const bool is_meant = !name.scope.empty() && api::shown_scope(one.name) == name.scope;
    if (is_meant) scope = one.name;
    return !is_meant;
  });
  if (scope.empty() != name.scope.empty()) return;
  using Lane = cassettes::Superseded::Lane;
  const bool is_continued = !reader.info().continuing().empty();
  const auto superseded = is_continued ? std::make_unique<const cassettes::Superseded>(reader) : nullptr;
  const Lane wanted{name.take, name.lane};
  reader.list([&](const cassettes::ListedInteraction& line) {
    if (line.key != name.key || line.scope != scope) return true;
    const bool is_elsewhere = superseded && line.is_played;
    const Lane lane = is_elsewhere ? superseded->played_with(line) : Lane{line.take, line.lane};
    if (lane == wanted) visit(line, line.is_played && usage.has(line.interaction));
    return true;
  });
}

void each_use(const cassettes::CassetteReader& reader, const Usage& usage, const std::string& path,
              const std::function<bool(const SequenceUse&)>& visit) {
  const cassettes::Superseded superseded(reader);
  std::vector<SequenceUse> uses;  // of one key; takes that continue each other contribute to the same ones
  bool goes_on = true;
  const auto end_key = [&] {
    for (const SequenceUse& use : std::exchange(uses, {})) goes_on = goes_on && visit(use);
  };
  const auto use_of = [&](const cassettes::ListedInteraction& line) -> SequenceUse& {
    const cassettes::Superseded::Lane lane = superseded.played_with(line);
    const auto is_of = [&lane](const SequenceUse& use) { return use.take == lane.take && use.lane == lane.lane; };
    if (!uses.empty() && is_of(uses.back())) return uses.back();
    const auto known = lane.take == line.take ? uses.end() : std::find_if(uses.begin(), uses.end(), is_of);
    if (known != uses.end()) return *known;
    return uses.emplace_back(
        SequenceUse{path, line.scope, true, line.key, lane.take, lane.lane, 0, 0, false, superseded(line)});
  };
  reader.list([&](const cassettes::ListedInteraction& line) {
    if (!line.is_played) return true;
    if (!uses.empty() && (uses.front().key != line.key || uses.front().scope != line.scope)) end_key();
    if (!goes_on) return false;
    SequenceUse& use = use_of(line);
    const bool is_used = usage.has(line.interaction);
    ++use.recordings;
    use.played += is_used ? 1 : 0;
    use.finished = is_used;
    return true;
  });
  if (goes_on) end_key();
}

}  // namespace tapedeck::replay
