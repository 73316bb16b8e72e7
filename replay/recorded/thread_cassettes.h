#pragma once
// Stores the cassettes of one loop thread, so that a plain hit shares no data with other threads.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/text_hash.h"
#include "base/two_generations.h"
#include "replay/recorded/cassette_set.h"
#include "replay/recorded/sequence_lookup.h"

namespace tapedeck::replay {

class ThreadCassettes {
 public:
  /// `common` are the options of all lookups. `place_bytes` limits the memory of first_with().
  ThreadCassettes(std::size_t place_bytes, const LookupOptions& common) : common_(common), first_with_(place_bytes) {}

  /// Called before each request. Uses the newest cassettes from then on. Returns true if base paths have changed.
  bool begin_with_newest(const CassetteWatch& watch);
  [[nodiscard]] const CassetteSet& set() const { return *set_; }

  /// Iterates in the order of the command line.
  [[nodiscard]] auto begin() const { return lookups_.begin(); }
  [[nodiscard]] auto end() const { return lookups_.end(); }
  [[nodiscard]] std::size_t size() const { return lookups_.size(); }
  [[nodiscard]] bool empty() const { return lookups_.empty(); }
  [[nodiscard]] SequenceLookup& at(std::size_t place) const { return *lookups_.at(place); }

  [[nodiscard]] api::KeyPolicy policy() const {
    return empty() ? api::KeyPolicy::current() : lookups_.front()->policy();
  }
  /// Returns true if a cassette has scopes.
  [[nodiscard]] bool has_scopes() const {
    return std::any_of(begin(), end(), [](const auto& lookup) { return lookup->has_scopes(); });
  }
  /// Returns true if a rule binds parameters (--bind).
  [[nodiscard]] bool binds() const { return !empty() && lookups_.front()->binds(); }
  /// Returns the index of the first cassette with exactly this key, recorded without a scope, or size() if there is
  /// none. The other cassettes then need not be searched.
  [[nodiscard]] std::size_t first_with(const api::RequestKey& key);

 private:
  [[nodiscard]] std::shared_ptr<SequenceLookup> lookup_of(const std::shared_ptr<OpenCassette>& cassette,
                                                          std::uint32_t number) const;

  LookupOptions common_;
  std::shared_ptr<const CassetteSet> set_;
  std::vector<std::shared_ptr<SequenceLookup>> lookups_;  ///< of the cassettes in `set_`
  base::TwoGenerations<std::string, std::size_t, base::TextHash, std::equal_to<>> first_with_;  ///< key: the key's text
};

}  // namespace tapedeck::replay
