#include "replay/recorded/cassette_set.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/text.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::replay {

OpenCassette::OpenCassette(const std::string& path, std::uint32_t cassette_id, bool counts_use)
    : id(cassette_id),
      reader(path),
      scopes(ScopeNames::of(reader)),
      usage(counts_use ? std::make_unique<Usage>(reader.info().interactions) : nullptr) {}

std::shared_ptr<const cassettes::CassetteReader> reader_of(const std::shared_ptr<OpenCassette>& cassette) {
  if (!cassette->is_played.exchange(true)) return {cassette, &cassette->reader};
  return std::make_shared<const cassettes::CassetteReader>(cassette->reader.clone());
}

CassetteWatch::CassetteWatch(std::vector<std::string> paths, bool counts_use, std::vector<std::string> match_headers)
    : paths_(std::move(paths)),
      counts_use_(counts_use),
      match_headers_(std::move(match_headers)),
      watched_(paths_.size()) {
  std::vector<std::shared_ptr<OpenCassette>> cassettes;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    const auto stamp = base::stamp_of(paths_[i]);
    if (stamp) watched_[i].playing = stamp->file;
    cassettes.push_back(std::make_shared<OpenCassette>(paths_[i], cassettes_made_++, counts_use_));
  }
  put(std::move(cassettes));
}

std::shared_ptr<const CassetteSet> CassetteWatch::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

void CassetteWatch::put(std::vector<std::shared_ptr<OpenCassette>> cassettes) {
  auto set = std::make_shared<CassetteSet>();
  set->cassettes = std::move(cassettes);
  set->facts = std::make_shared<DeviceFacts>();
  std::vector<std::string>& bases = set->base_paths;
  for (const auto& cassette : set->cassettes) {
    if (set->device.empty()) set->device = cassette->reader.info().device;
    const std::string& base = cassette->reader.info().base_path;
    if (!base.empty() && std::find(bases.begin(), bases.end(), base) == bases.end()) bases.push_back(base);
  }
  // Longest first, so that "/dsm/one" is tried before "/dsm".
  std::sort(bases.begin(), bases.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  identify(*set);
  const std::lock_guard lock(mutex_);
  set->version = version_.load() + 1;
  newest_ = set;
  version_.store(set->version, std::memory_order_release);
}

/// Determines the headers that tell requests apart, over all cassettes together.
void CassetteWatch::identify(CassetteSet& set) const {
  std::vector<cassettes::CassetteReader> clones;
  std::vector<const cassettes::CassetteReader*> readers;
  clones.reserve(set.cassettes.size());
  for (const auto& cassette : set.cassettes) {
    // Later, threads use the readers.
    readers.push_back(version_ > 0 ? &clones.emplace_back(cassette->reader.clone()) : &cassette->reader);
  }
  set.identity = api::IdentityHeaders::known();
  for (const std::string& name : match_headers_) set.identity.add(name);
  for (const std::string& name : cassettes::learned_identity_headers(readers)) set.identity.add(name);
  for (const auto* const reader : readers) {
    set.identities.push_back(std::make_shared<const cassettes::RequestIdentities>(*reader, set.identity));
  }
}

/// Returns the replaced cassette, or null if it was not replaced or is not ready yet.
std::shared_ptr<OpenCassette> CassetteWatch::replacement(std::size_t place, std::vector<std::string>& lines) {
  Watched& watched = watched_[place];
  const std::string& path = paths_[place];
  const auto stamp = base::stamp_of(path);
  const auto before = std::exchange(watched.seen, stamp);
  if (!stamp || stamp->file == watched.playing || stamp == watched.refused || stamp != before) return nullptr;
  std::shared_ptr<OpenCassette> cassette;
  try {
    cassette = std::make_shared<OpenCassette>(path, cassettes_made_, counts_use_);
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
  ++cassettes_made_;
  watched.playing = stamp->file;
  watched.refused.reset();
  watched.was_told = false;
  lines.push_back(path + " was replaced; all positions in it start over");
  for (std::string& warning : warnings_of(path, cassette->reader.info())) lines.push_back(std::move(warning));
  return cassette;
}

std::vector<std::string> CassetteWatch::look_again() {
  const std::lock_guard looking(looking_);
  std::vector<std::string> lines;
  std::vector<std::shared_ptr<OpenCassette>> cassettes = newest()->cassettes;
  bool is_replaced = false;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    if (auto cassette = replacement(i, lines)) {
      cassettes[i] = std::move(cassette);
      is_replaced = true;
    }
  }
  if (is_replaced) put(std::move(cassettes));
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
