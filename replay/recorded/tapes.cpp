#include "replay/recorded/tapes.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/text.h"
#include "replay/builtins/device_facts.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::replay {

Edition::Edition(const std::string& path, std::uint32_t edition_id, bool counts_use)
    : id(edition_id),
      reader(path),
      scopes(ScopeNames::of(reader)),
      usage(counts_use ? std::make_unique<Usage>(reader.info().interactions) : nullptr) {}

std::shared_ptr<const cassettes::CassetteReader> reader_of(const std::shared_ptr<Edition>& edition) {
  if (!edition->is_played.exchange(true)) return {edition, &edition->reader};
  return std::make_shared<const cassettes::CassetteReader>(edition->reader.clone());
}

TapeShelf::TapeShelf(std::vector<std::string> paths, bool counts_use)
    : paths_(std::move(paths)), counts_use_(counts_use), watched_(paths_.size()) {
  std::vector<std::shared_ptr<Edition>> editions;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    const auto stamp = base::stamp_of(paths_[i]);
    if (stamp) watched_[i].playing = stamp->file;
    editions.push_back(std::make_shared<Edition>(paths_[i], editions_made_++, counts_use_));
  }
  put(std::move(editions));
}

std::shared_ptr<const Tapes> TapeShelf::newest() const {
  const std::lock_guard lock(mutex_);
  return kept_.back();
}

void TapeShelf::put(std::vector<std::shared_ptr<Edition>> editions) {
  auto tapes = std::make_shared<Tapes>();
  tapes->editions = std::move(editions);
  tapes->facts = std::make_shared<DeviceFacts>();
  std::vector<std::string>& bases = tapes->base_paths;
  for (const auto& edition : tapes->editions) {
    const std::string& base = edition->reader.info().base_path;
    if (!base.empty() && std::find(bases.begin(), bases.end(), base) == bases.end()) bases.push_back(base);
  }
  // The longest first: "/dsm/one" before "/dsm".
  std::sort(bases.begin(), bases.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  const std::lock_guard lock(mutex_);
  tapes->version = version_.load() + 1;
  kept_.push_back(tapes);
  while (kept_.size() > most_kept) {
    const std::shared_ptr<Tapes> oldest = kept_.front();
    kept_.pop_front();
    oldest->is_over = true;
    for (const auto& edition : oldest->editions) {
      edition->is_over = std::none_of(kept_.begin(), kept_.end(), [&](const auto& other) {
        return std::find(other->editions.begin(), other->editions.end(), edition) != other->editions.end();
      });
    }
  }
  version_.store(tapes->version, std::memory_order_release);
}

/// Null where nothing is to be replaced, or not yet.
std::shared_ptr<Edition> TapeShelf::replacement(std::size_t place, std::vector<std::string>& lines) {
  Watched& watched = watched_[place];
  const std::string& path = paths_[place];
  const auto stamp = base::stamp_of(path);
  const auto before = std::exchange(watched.seen, stamp);
  if (!stamp || stamp->file == watched.playing || stamp == watched.refused || stamp != before) return nullptr;
  std::shared_ptr<Edition> edition;
  try {
    edition = std::make_shared<Edition>(path, editions_made_, counts_use_);
  } catch (const std::exception& error) {
    watched.refused = stamp;
    if (!std::exchange(watched.was_told, true)) {
      std::string_view why = error.what();
      lines.push_back(
          path + " was replaced, but its previous content stays in use: " + std::string(base::take_until(why, '\n')));
    }
    return nullptr;
  }
  if (base::stamp_of(path) != stamp) return nullptr;
  ++editions_made_;
  watched.playing = stamp->file;
  watched.refused.reset();
  watched.was_told = false;
  lines.push_back(path +
                  " was replaced; sessions continue with the new file, and running scopes finish with the old one");
  for (std::string& warning : warnings_of(path, edition->reader.info())) lines.push_back(std::move(warning));
  return edition;
}

std::vector<std::string> TapeShelf::look_again() {
  const std::lock_guard looking(looking_);
  std::vector<std::string> lines;
  std::vector<std::shared_ptr<Edition>> editions = newest()->editions;
  bool is_replaced = false;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    if (auto edition = replacement(i, lines)) {
      editions[i] = std::move(edition);
      is_replaced = true;
    }
  }
  if (is_replaced) put(std::move(editions));
  return lines;
}

std::vector<std::string> warnings_of(const std::string& path, const cassettes::CassetteInfo& info) {
  std::vector<std::string> lines;
  if (!info.finished) lines.push_back(path + " is unfinished; replaying what it contains so far");
  if (!info.verified) {
    lines.push_back(path + " is unverified and may still contain secrets; run `tapedeck scrub` before you share it");
  }
  const std::string today = std::to_string(scrubbers::RuleSet::policy_number);
  const auto made_with = static_cast<std::size_t>(
      std::find_if(info.scrub_policy.begin(), info.scrub_policy.end(), [](char c) { return c < '0' || c > '9'; }) -
      info.scrub_policy.begin());
  if (made_with > 0 && info.scrub_policy.substr(0, made_with) != today) {
    lines.push_back(path + " was scrubbed by policy " + info.scrub_policy.substr(0, made_with) +
                    ", the current one is " + today + ": run `tapedeck scrub`");
  }
  return lines;
}

}  // namespace tapedeck::replay
