#include "replay/recorded/thread_cassettes.h"

#include <utility>

namespace tapedeck::replay {

bool ThreadCassettes::begin_with_newest(const CassetteWatch& watch) {
  if (set_ && set_->version == watch.version()) return false;
  auto found = watch.newest();
  const bool has_other_paths = set_ && set_->base_paths != found->base_paths;
  std::vector<std::shared_ptr<SequenceLookup>> lookups;
  for (std::size_t place = 0; place < found->cassettes.size(); ++place) {
    const auto& cassette = found->cassettes[place];
    const bool is_kept = set_ && set_->cassettes[place] == cassette;
    lookups.push_back(is_kept ? lookups_[place] : lookup_of(cassette, static_cast<std::uint32_t>(place)));
    lookups.back()->use(found->identities[place]);
  }
  set_ = std::move(found);
  lookups_ = std::move(lookups);
  first_with_.clear();
  return has_other_paths;
}

std::size_t ThreadCassettes::first_with(const api::RequestKey& key) {
  if (size() < 2) return 0;
  if (const std::size_t* known = first_with_.find(std::string_view(key.text))) return *known;
  const auto found = std::find_if(begin(), end(), [&](const auto& lookup) { return lookup->has(key); });
  const auto place = static_cast<std::size_t>(found - begin());
  return *first_with_.insert(key.text, place, 2 * key.text.size() + 128);
}

std::shared_ptr<SequenceLookup> ThreadCassettes::lookup_of(const std::shared_ptr<OpenCassette>& cassette,
                                                           std::uint32_t number) const {
  LookupOptions options = common_;
  options.number = number;
  options.cassette_id = cassette->id;
  options.scopes = cassette->scopes.get();
  options.usage = cassette->usage.get();
  return std::make_shared<SequenceLookup>(reader_of(cassette), options);
}

}  // namespace tapedeck::replay
