#include "replay/recorded/usage.h"

#include <algorithm>
#include <optional>

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
  reader.list([&](const cassettes::ListedInteraction& line) {
    const bool is_of = line.key == name.key && line.scope == scope && line.take == name.take && line.lane == name.lane;
    if (is_of) visit(line, line.is_played && usage.has(line.interaction));
    return true;
  });
}

void each_use(const cassettes::CassetteReader& reader, const Usage& usage, const std::string& path,
              const std::function<bool(const SequenceUse&)>& visit) {
  const cassettes::Superseded superseded(reader);
  std::optional<SequenceUse> use;
  bool goes_on = true;
  const auto is_of = [&use](const cassettes::ListedInteraction& line) {
    return use && use->key == line.key && use->scope == line.scope && use->take == line.take && use->lane == line.lane;
  };
  reader.list([&](const cassettes::ListedInteraction& line) {
    if (!line.is_played) return true;
    if (!is_of(line)) {
      goes_on = !use || visit(*use);
      use = SequenceUse{path, line.scope, true, line.key, line.take, line.lane, 0, 0, false, superseded(line)};
    }
    const bool is_used = usage.has(line.interaction);
    ++use->recordings;
    use->played += is_used ? 1 : 0;
    use->finished = is_used;
    return goes_on;
  });
  if (use && goes_on) visit(*use);
}

}  // namespace tapedeck::replay
