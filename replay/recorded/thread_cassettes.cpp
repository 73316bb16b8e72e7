#include "replay/recorded/thread_cassettes.h"

#include <utility>

namespace tapedeck::replay {

bool ThreadCassettes::begin_with_newest(const CassetteWatch& watch) {
  bool has_other_paths = false;
  if (!newest_ || newest_->version != watch.version()) {
    auto found = watch.newest();
    has_other_paths = newest_ && newest_->base_paths != found->base_paths;
    newest_ = std::move(found);
  }
  if (playing_ != newest_) play(newest_);
  return has_other_paths;
}

void ThreadCassettes::play(std::shared_ptr<const CassetteSet> set) {
  if (playing_ == set) return;
  playing_ = std::move(set);
  lookups_.clear();
  first_with_.clear();
  std::erase_if(made_, [](const Made& made) { return made.cassette->is_over.load(); });
  for (const auto& cassette : playing_->cassettes) {
    lookups_.push_back(lookup_of(cassette, static_cast<std::uint32_t>(lookups_.size())));
  }
  const bool any = std::any_of(begin(), end(), [](const auto& lookup) { return lookup->continued().any(); });
  for (const auto& lookup : lookups_) lookup->set_may_be_continued(any && size() > 1);
}

std::size_t ThreadCassettes::first_with(const api::RequestKey& key) {
  if (size() < 2) return 0;
  if (const std::size_t* known = first_with_.find(std::string_view(key.text))) return *known;
  const auto found = std::find_if(begin(), end(), [&](const auto& lookup) { return lookup->has(key); });
  const auto place = static_cast<std::size_t>(found - begin());
  return *first_with_.insert(key.text, place, 2 * key.text.size() + 128);
}

std::shared_ptr<SequenceLookup> ThreadCassettes::lookup_of(const std::shared_ptr<OpenCassette>& cassette,
                                                           std::uint32_t number) {
  for (const Made& made : made_) {
    if (made.cassette == cassette) return made.lookup;
  }
  LookupOptions options = common_;
  options.number = number;
  options.cassette_id = cassette->id;
  options.scopes = cassette->scopes.get();
  options.usage = cassette->usage.get();
  made_.push_back({cassette, std::make_shared<SequenceLookup>(reader_of(cassette), options)});
  return made_.back().lookup;
}

}  // namespace tapedeck::replay
