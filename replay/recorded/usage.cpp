#include "replay/recorded/usage.h"

#include <algorithm>
#include <utility>

#include "api/scope_name.h"
#include "cassettes/read/superseded.h"

namespace tapedeck::replay {
namespace {

constexpr std::uint64_t word_bits = 64;

std::uint64_t bit(std::int64_t number) { return std::uint64_t{1} << (static_cast<std::uint64_t>(number) % 64); }

/// The sequences of one key, to which the takes that continue each other contribute.
class UsesOfKey {
 public:
  UsesOfKey(const Usage& usage, const cassettes::Superseded& superseded) : usage_(usage), superseded_(superseded) {}

  [[nodiscard]] bool is_of(const cassettes::ListedInteraction& line) const {
    return !uses_.empty() && uses_.front().key == line.key && uses_.front().scope == line.scope;
  }
  /// Adds a recording that can be replayed, after those before it in the list, and returns its sequence.
  const SequenceUse& add(const std::string& path, const cassettes::ListedInteraction& line) {
    SequenceUse& use = use_of(path, line);
    const bool is_used = usage_.has(line.interaction);
    ++use.recordings;
    use.played += is_used ? 1 : 0;
    use.finished = is_used;
    return use;
  }
  [[nodiscard]] std::vector<SequenceUse> take() { return std::exchange(uses_, {}); }

 private:
  SequenceUse& use_of(const std::string& path, const cassettes::ListedInteraction& line) {
    const auto [take, lane] = superseded_.played_with(line);
    const auto is_of = [&, &take = take, &lane = lane](const SequenceUse& use) {
      return use.take == take && use.lane == lane;
    };
    if (!uses_.empty() && is_of(uses_.back())) return uses_.back();
    const auto known = take == line.take ? uses_.end() : std::find_if(uses_.begin(), uses_.end(), is_of);
    if (known != uses_.end()) return *known;
    return uses_.emplace_back(
        SequenceUse{path, line.scope, true, line.key, take, lane, 0, 0, false, superseded_(line)});
  }

  const Usage& usage_;
  const cassettes::Superseded& superseded_;
  std::vector<SequenceUse> uses_;
};

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
  const cassettes::Superseded superseded(reader);
  UsesOfKey uses(usage, superseded);
  reader.list([&](const cassettes::ListedInteraction& line) {
    if (line.key != name.key || line.scope != scope) return true;
    if (!line.is_played) {
      if (line.take == name.take && line.lane == name.lane) visit(line, false);
      return true;
    }
    const SequenceUse& use = uses.add({}, line);
    if (use.take == name.take && use.lane == name.lane) visit(line, usage.has(line.interaction));
    return true;
  });
}

void each_use(const cassettes::CassetteReader& reader, const Usage& usage, const std::string& path,
              const std::function<bool(const SequenceUse&)>& visit) {
  const cassettes::Superseded superseded(reader);
  UsesOfKey uses(usage, superseded);
  bool goes_on = true;
  const auto end_key = [&] {
    for (const SequenceUse& use : uses.take()) goes_on = goes_on && visit(use);
  };
  reader.list([&](const cassettes::ListedInteraction& line) {
    if (!line.is_played) return true;
    if (!uses.is_of(line)) end_key();
    if (goes_on) uses.add(path, line);
    return goes_on;
  });
  if (goes_on) end_key();
}

}  // namespace tapedeck::replay
