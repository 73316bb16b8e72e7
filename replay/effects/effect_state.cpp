#include "replay/effects/effect_state.h"

#include <algorithm>
#include <unordered_map>

#include "api/request_key.h"
#include "replay/effects/changed_elements.h"
#include "replay/effects/effect_set.h"
#include "replay/effects/effect_values.h"

namespace tapedeck::replay {
namespace {

using ReadParams = PendingChange::ReadParams;

std::size_t bytes_of(const ReadParams& params) {
  std::size_t sum = sizeof(ReadParams);
  for (const auto& [name, value] : params) sum += sizeof(params.front()) + name.size() + (value ? value->size() : 0);
  return sum;
}

/// Returns the conditions for each set of the write's values. Leaves out conditions in which a mark has no value or is
/// too long for any request. Stops at the limit of an owner.
std::vector<ReadParams> conditions_of(const NamedTexts& where, const WriteValues& values) {
  std::vector<ReadParams> found;
  const ValueSets sets(values, params_in(where));
  const auto rendered = [&sets](const TemplateText& text, std::size_t set) -> std::optional<std::string> {
    try {
      return sets.render(text, set, EffectState::most_bytes);
    } catch (const api::TooLong&) {
      return std::nullopt;
    }
  };
  std::size_t bytes = 0;
  for (std::size_t set = 0; set < sets.size() && bytes <= EffectState::most_bytes; ++set) {
    ReadParams params;
    for (const auto& [name, text] : where) {
      const auto wanted = text ? rendered(*text, set) : std::nullopt;
      if (wanted || !text) params.emplace_back(name, wanted ? std::optional(normalized(*wanted)) : std::nullopt);
    }
    if (params.size() != where.size()) continue;
    bytes += bytes_of(params);
    found.push_back(std::move(params));
  }
  return found;
}

bool has(const ReadParams& params, const ReadParams::value_type& wanted) {
  return std::any_of(params.begin(), params.end(), [&](const auto& one) {
    return one.first == wanted.first && (!wanted.second || one.second == wanted.second);
  });
}

/// Returns the read's parameters that a condition may name.
ReadParams params_of(const api::Call& read) {
  ReadParams params;
  for (const api::Param& param : read.params()) params.emplace_back(param.name, normalized(param.value));
  return params;
}

/// Returns true if all parameters that both calls have are equal.
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

PendingChange::PendingChange(EffectPtr of, std::size_t number, WriteValuesPtr with,
                             std::optional<RecordedWrite> where_recorded)
    : effect(std::move(of)),
      change(number),
      values(std::move(with)),
      recorded(where_recorded),
      where(conditions_of(what().where, *values)) {}

std::size_t PendingChange::bytes() const {
  std::size_t sum = values->bytes();
  for (const ReadParams& params : where) sum += bytes_of(params);
  return sum;
}

bool PendingChange::is_for(const api::Call& read, const ReadParams& params) const {
  const bool is_met = std::any_of(where.begin(), where.end(), [&](const ReadParams& conditions) {
    return std::all_of(conditions.begin(), conditions.end(), [&](const auto& one) { return has(params, one); });
  });
  return is_met && (!what().merges_params || agrees(*values, read));
}

bool EffectState::add(std::vector<PendingChange> changes) {
  for (PendingChange& change : changes) {
    // The responses after a recorded write show its effect, so an equal earlier change is no longer needed.
    if (change.recorded) {
      std::erase_if(changes_, [&](const PendingChange& other) {
        const bool goes = is_repeated(other, change) && other.values != change.values;
        if (goes) bytes_ -= other.bytes();
        return goes;
      });
    }
    bytes_ += change.bytes();
    changes_.push_back(std::move(change));
  }
  bool is_over = false;
  while (changes_.size() > most_changes || bytes_ > most_bytes) {
    bytes_ -= changes_.front().bytes();
    changes_.pop_front();
    is_over = true;
  }
  return is_over && !std::exchange(has_warned_, true);
}

std::vector<PendingChange> EffectState::for_read(const api::Call& read) const {
  std::vector<PendingChange> found;
  if (changes_.empty() || is_never_changed(read.name().rest)) return found;
  const ReadParams params = params_of(read);
  std::unordered_map<const EffectChange*, bool> fits;  // many changes share few effects
  std::vector<const PendingChange*> recorded;
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
    const auto [known, is_new] = fits.try_emplace(&change->what(), false);
    if (is_new) known->second = change->what().in.fits(read);
    if (!known->second || !change->is_for(read, params)) continue;
    const bool is_replaced = std::any_of(recorded.begin(), recorded.end(), [&](const PendingChange* later) {
      return later->values != change->values && change_same_element(*later, *change);
    });
    if (is_replaced) continue;
    found.push_back(*change);
    if (change->recorded) recorded.push_back(&*change);
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
    if (!stays) bytes_ -= change.bytes();
    return !stays;
  });
}

}  // namespace tapedeck::replay
