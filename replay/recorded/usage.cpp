#include "replay/recorded/usage.h"

#include <algorithm>

#include "api/scope_name.h"

namespace tapedeck::replay {
namespace {

constexpr std::uint64_t word_bits = 64;

std::uint64_t bit(std::int64_t number) { return std::uint64_t{1} << (static_cast<std::uint64_t>(number) % 64); }

SequenceUse use_of(const cassettes::SequenceInfo& sequence, const Usage& usage) {
  SequenceUse use;
  use.take = sequence.take;
  use.lane = sequence.lane;
  use.recordings = sequence.count;
  for (std::uint32_t i = 0; i < sequence.count; ++i) use.played += usage.has(sequence.number + i) ? 1 : 0;
  use.finished = sequence.count > 0 && usage.has(sequence.number + sequence.count - 1);
  return use;
}

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
  std::string scope;  // as it is stored
  reader.scopes([&](const cassettes::ScopeTake& one) {
    const bool is_meant = !name.scope.empty() && api::shown_scope(one.name) == name.scope;
    if (is_meant) scope = one.name;
    return !is_meant;
  });
  if (scope.empty() != name.scope.empty()) return;
  const auto sequences = reader.sequences(name.key, scope);
  const auto found = std::find_if(sequences.begin(), sequences.end(), [&](const cassettes::SequenceInfo& one) {
    return one.take == name.take && one.lane == name.lane;
  });
  if (found == sequences.end()) return;
  std::int64_t left = found->rows();
  reader.list([&](const cassettes::ListedInteraction& line) {
    if (line.key != name.key || line.take != name.take || line.lane != name.lane || line.scope != scope) return true;
    visit(line, line.position < found->count && usage.has(found->number + line.position));
    return --left > 0;
  });
}

void each_use(const cassettes::CassetteReader& reader, const Usage& usage, const std::string& path,
              const std::function<bool(const SequenceUse&)>& visit) {
  // A reader of its own: a statement of `reader` is under way while its lines are visited.
  const cassettes::CassetteReader other = reader.clone();
  std::string last, last_scope;
  reader.list([&](const cassettes::ListedInteraction& line) {
    if (line.key == last && line.scope == last_scope) return true;
    last = line.key;
    last_scope = line.scope;
    std::vector<cassettes::SequenceInfo> sequences = other.sequences(line.key, line.scope);
    std::reverse(sequences.begin(), sequences.end());
    for (const cassettes::SequenceInfo& sequence : sequences) {
      if (sequence.count == 0) continue;
      SequenceUse use = use_of(sequence, usage);
      use.cassette = path;
      use.key = line.key;
      use.scope = line.scope;
      if (!visit(use)) return false;
    }
    return true;
  });
}

}  // namespace tapedeck::replay
