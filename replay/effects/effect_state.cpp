#include "replay/effects/effect_state.h"

#include <algorithm>

#include "api/request_key.h"
#include "replay/effects/effect_set.h"
#include "replay/effects/effect_values.h"

namespace tapedeck::replay {
namespace {

bool has_value(const api::Call& read, const std::string& name, const std::optional<std::string>& wanted) {
  const auto value = read.value(name);
  return value && (!wanted || is_same_value(*value, *wanted));
}

/// Whether all conditions are met with one set of the write's values.
bool meets(const NamedTexts& where, const WriteValues& values, const api::Call& read) {
  const ValueSets sets(values, params_in(where));
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const bool fits = std::all_of(where.begin(), where.end(), [&](const auto& one) {
      const auto wanted = one.second ? sets.render(*one.second, set) : std::nullopt;
      return (wanted || !one.second) && has_value(read, one.first, wanted);
    });
    if (fits) return true;
  }
  return false;
}

/// Whether every parameter that both have is equal.
bool agrees(const WriteValues& values, const api::Call& read) {
  return std::all_of(read.params().begin(), read.params().end(), [&](const api::Param& param) {
    const std::string* const written = values.param(param.name);
    return written == nullptr || is_same_value(*written, param.value);
  });
}

bool is_repeated(const PendingChange& earlier, const PendingChange& later) {
  return earlier.effect->id == later.effect->id && earlier.change == later.change &&
         earlier.values->params == later.values->params;
}

}  // namespace

const std::string* WriteValues::param(std::string_view name) const {
  const auto found = std::find_if(params.begin(), params.end(), [name](const auto& one) { return one.first == name; });
  return found == params.end() ? nullptr : &found->second;
}

std::size_t WriteValues::bytes() const {
  std::size_t sum = sizeof(WriteValues) + session_id.size() + session_token.size() + session_device_id.size();
  for (const auto& [name, value] : params) sum += name.size() + value.size();
  return sum;
}

bool PendingChange::is_for(const api::Call& read) const {
  const EffectChange& meant = what();
  return meant.in.fits(read) && !is_never_changed(read.name().rest) && meets(meant.where, *values, read) &&
         (!meant.merges_params || agrees(*values, read));
}

bool EffectState::add(std::vector<PendingChange> changes) {
  for (PendingChange& change : changes) {
    // What a recorded write shows in its place makes an equal one before it superfluous.
    if (change.recorded) {
      std::erase_if(changes_, [&](const PendingChange& other) {
        const bool goes = is_repeated(other, change) && other.values != change.values;
        if (goes) bytes_ -= other.values->bytes();
        return goes;
      });
    }
    bytes_ += change.values->bytes();
    changes_.push_back(std::move(change));
  }
  bool is_over = false;
  while (changes_.size() > most_changes || bytes_ > most_bytes) {
    bytes_ -= changes_.front().values->bytes();
    changes_.pop_front();
    is_over = true;
  }
  return is_over && !std::exchange(has_warned_, true);
}

std::vector<PendingChange> EffectState::for_read(const api::Call& read) const {
  std::vector<PendingChange> found;
  const WriteValues* recorded = nullptr;
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
    if (recorded != nullptr && change->values.get() != recorded) continue;
    if (!change->is_for(read)) continue;
    found.push_back(*change);
    if (change->recorded) recorded = change->values.get();
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::uint64_t EffectState::next_count(const Effect& effect) {
  const auto found =
      std::find_if(counts_.begin(), counts_.end(), [&](const auto& one) { return one.first == effect.id; });
  if (found != counts_.end()) return ++found->second;
  counts_.emplace_back(effect.id, 1);
  return 1;
}

void EffectState::keep_only(const std::vector<EffectPtr>& effects) {
  std::erase_if(changes_, [&](const PendingChange& change) {
    const bool stays = std::any_of(effects.begin(), effects.end(),
                                   [&](const EffectPtr& effect) { return effect->id == change.effect->id; });
    if (!stays) bytes_ -= change.values->bytes();
    return !stays;
  });
}

}  // namespace tapedeck::replay
