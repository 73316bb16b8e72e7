#include "replay/overlays/overlay_store.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/clock.h"
#include "base/digest.h"
#include "replay/effects/effect_reader.h"

namespace tapedeck::replay {
namespace {

/// Returns true if the file was written so recently that a further write might not change its time stamp: file clocks
/// tick a few hundred times a second, or less on a busy system.
bool is_fresh(const std::optional<base::FileStamp>& stamp) {
  constexpr std::int64_t while_fresh_us = 300'000;
  return stamp && stamp->changed_ns / 1000 + while_fresh_us > base::now_us();
}

constexpr const char* simulated_name = "simulated device";

std::string counted(std::size_t count) { return std::to_string(count) + (count == 1 ? " overlay" : " overlays"); }

}  // namespace

OverlayStore::OverlayStore(std::vector<std::string> files, std::vector<EffectPtr> builtin, std::string_view simulated)
    : files_(std::move(files)), builtin_(std::move(builtin)), watched_(files_) {
  if (!simulated.empty()) {
    OverlayFile device = read_overlay_toml(simulated, simulated_name, {});
    for (Effect& effect : device.effects) effect.is_builtin = true;
    const auto effects = number_effects(std::move(device.effects), simulated_name);
    builtin_.insert(builtin_.begin(), effects.begin(), effects.end());
    std::vector<OverlaySet::Rule> rules;
    for (const OverlayPtr& overlay : number_overlays(std::move(device.overlays), simulated_name)) {
      rules.push_back({overlay, std::make_shared<std::atomic<std::uint64_t>>(0)});
    }
    simulated_ = std::make_shared<const OverlaySet>(std::move(rules));
  }
  take(read(texts()));
}

std::vector<std::string> OverlayStore::texts() const {
  std::vector<std::string> found;
  for (const std::string& file : files_) found.push_back(overlay_file_text(file));
  return found;
}

OverlayStore::Read OverlayStore::read(const std::vector<std::string>& texts) const {
  Read found;
  found.watched = files_;
  std::vector<Overlay> overlays;
  std::vector<Effect> effects;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    OverlayFile one = read_overlay_file(files_[i], texts[i]);
    found.digest += base::to_hex(base::sha256(texts[i]));
    for (const Overlay& overlay : one.overlays) found.digest += overlay.fingerprint;
    std::move(one.effects.begin(), one.effects.end(), std::back_inserter(effects));
    std::move(one.overlays.begin(), one.overlays.end(), std::back_inserter(overlays));
    found.watched.insert(found.watched.end(), one.read.begin() + 1, one.read.end());
  }
  found.overlays = number_overlays(std::move(overlays), "");
  found.effects = number_effects(std::move(effects), "");
  return found;
}

void OverlayStore::take(Read found) {
  of_files_ = std::move(found.overlays);
  effects_of_files_ = std::move(found.effects);
  watched_ = std::move(found.watched);
  digest_ = std::move(found.digest);
  read_stamps_ = stamps();
  put_in_force();
}

OverlayStore::Stamps OverlayStore::stamps() const {
  Stamps found;
  for (const std::string& path : watched_) found.push_back(base::stamp_of(path));
  return found;
}

std::shared_ptr<const OverlaySet> OverlayStore::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

std::optional<std::string> OverlayStore::look_again() {
  const std::lock_guard lock(mutex_);
  Stamps found = stamps();
  const bool has_fresh = std::any_of(found.begin(), found.end(), is_fresh);
  const bool may_differ = found != read_stamps_ || has_fresh;
  // The cause of a failure may be a file that is not watched yet.
  if (!may_differ && last_failure_.empty()) return std::nullopt;
  read_stamps_ = std::move(found);
  try {
    const std::vector<std::string> now = texts();
    // An editor that writes in place empties the file first.
    const bool has_empty = std::any_of(now.begin(), now.end(), [](const std::string& text) { return text.empty(); });
    if (has_fresh && has_empty) {
      read_stamps_.clear();  // looks again
      return std::nullopt;
    }
    Read again = read(now);
    if (again.digest == digest_ && last_failure_.empty()) return std::nullopt;
    last_failure_.clear();
    take(std::move(again));
    return "reloaded overlays: " + counted(of_files_.size());
  } catch (const std::exception& error) {
    const std::string failure = std::string("keeping the previous overlays: ") + error.what();
    return std::exchange(last_failure_, failure) == failure ? std::nullopt : std::optional(failure);
  }
}

std::string OverlayStore::post(PostedOverlays posted) {
  const std::lock_guard lock(mutex_);
  Set set;
  set.name = posted.set ? *posted.set : "posted " + std::to_string(unnamed_sets_ + 1);
  set.text = std::move(posted.text);
  set.overlays = number_overlays(std::move(posted.overlays), "set " + set.name);
  set.effects = number_effects(std::move(posted.effects), "set " + set.name);
  const auto same = std::find_if(sets_.begin(), sets_.end(), [&](const Set& other) { return other.name == set.name; });
  if (same == sets_.end() && sets_.size() >= most_sets)
    throw std::invalid_argument("the limit of 1,000 sets is reached");
  if (same != sets_.end()) sets_.erase(same);
  if (!posted.set) ++unnamed_sets_;
  sets_.push_front(std::move(set));
  put_in_force();
  return sets_.front().name;
}

std::optional<std::string> OverlayStore::posted(const std::string& set) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(sets_.begin(), sets_.end(), [&](const Set& one) { return one.name == set; });
  return found == sets_.end() ? std::nullopt : std::optional(found->text);
}

bool OverlayStore::remove(const std::string& set) {
  const std::lock_guard lock(mutex_);
  const bool was_there = std::erase_if(sets_, [&](const Set& one) { return one.name == set; }) > 0;
  if (was_there) put_in_force();
  return was_there;
}

bool OverlayStore::enable(const std::string& name, bool is_enabled) {
  const auto has_name = [&](const Listed& one) { return one.overlay->name == name; };
  const std::vector<Listed> all = list();
  if (std::none_of(all.begin(), all.end(), has_name)) return false;
  const std::lock_guard lock(mutex_);
  if (is_enabled) {
    disabled_.erase(name);
  } else {
    disabled_.insert(name);
  }
  put_in_force();
  return true;
}

std::vector<OverlayStore::Listed> OverlayStore::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<Listed> all;
  const auto add = [&](const std::vector<OverlayPtr>& overlays, const std::string& set) {
    for (const OverlayPtr& overlay : overlays) {
      all.push_back({overlay, set, !disabled_.contains(overlay->name), *plays_.at(overlay->id)});
    }
  };
  for (const Set& set : sets_) add(set.overlays, set.name);
  add(of_files_, "");
  return all;
}

std::vector<OverlayStore::ListedEffect> OverlayStore::list_effects() const {
  const std::lock_guard lock(mutex_);
  std::vector<ListedEffect> all;
  for (const Set& set : sets_) {
    for (const EffectPtr& effect : set.effects) all.push_back({effect, set.name});
  }
  for (const auto* const effects : {&effects_of_files_, &builtin_}) {
    for (const EffectPtr& effect : *effects) all.push_back({effect, ""});
  }
  return all;
}

/// Requires the lock.
void OverlayStore::put_in_force() {
  std::vector<OverlaySet::Rule> rules;
  std::unordered_set<std::uint64_t> ids;
  std::set<std::string> names;
  const auto add = [&](const std::vector<OverlayPtr>& overlays) {
    for (const OverlayPtr& overlay : overlays) {
      OverlayPlays& plays = plays_[overlay->id];
      if (!plays) plays = std::make_shared<std::atomic<std::uint64_t>>(0);
      ids.insert(overlay->id);
      names.insert(overlay->name);
      if (!disabled_.contains(overlay->name)) rules.push_back({overlay, plays});
    }
  };
  std::vector<EffectPtr> effects;
  for (const Set& set : sets_) {
    add(set.overlays);
    effects.insert(effects.end(), set.effects.begin(), set.effects.end());
  }
  add(of_files_);
  effects.insert(effects.end(), effects_of_files_.begin(), effects_of_files_.end());
  if (simulated_) {
    for (const OverlaySet::Rule& rule : simulated_->rules()) ids.insert(rule.overlay->id);
  }
  std::erase_if(plays_, [&](const auto& one) { return !ids.contains(one.first); });
  std::erase_if(disabled_, [&](const std::string& name) { return !names.contains(name); });
  effects.insert(effects.end(), builtin_.begin(), builtin_.end());
  counts_.keep_only(ids, effects);
  current_ = std::make_shared<const OverlaySet>(std::move(rules), EffectSet(std::move(effects)));
  version_.fetch_add(1, std::memory_order_release);
}

}  // namespace tapedeck::replay
