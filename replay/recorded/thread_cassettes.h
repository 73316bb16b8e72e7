#pragma once
// The cassettes as one loop thread plays them, so that a plain hit shares nothing with other threads.

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
  /// `common` is what all lookups have in common; `place_bytes` bounds what first_with() remembers.
  ThreadCassettes(std::size_t place_bytes, const LookupOptions& common) : common_(common), first_with_(place_bytes) {}

  /// Before each request: what has become the newest is played from here on. True where other base paths lead targets
  /// now.
  bool begin_with_newest(const CassetteWatch& watch);
  /// From here on until the next request begins.
  void play(std::shared_ptr<const CassetteSet> set);

  /// As of the request's beginning.
  [[nodiscard]] const std::shared_ptr<const CassetteSet>& newest() const { return newest_; }
  /// That, or an older one: that of the request's scope.
  [[nodiscard]] const CassetteSet& playing() const { return *playing_; }

  /// Of what plays, in the command line's order.
  [[nodiscard]] auto begin() const { return lookups_.begin(); }
  [[nodiscard]] auto end() const { return lookups_.end(); }
  [[nodiscard]] std::size_t size() const { return lookups_.size(); }
  [[nodiscard]] bool empty() const { return lookups_.empty(); }
  [[nodiscard]] SequenceLookup& at(std::size_t place) const { return *lookups_.at(place); }

  [[nodiscard]] api::KeyPolicy policy() const {
    return empty() ? api::KeyPolicy::current() : lookups_.front()->policy();
  }
  /// True when a cassette has scopes.
  [[nodiscard]] bool has_scopes() const {
    return std::any_of(begin(), end(), [](const auto& lookup) { return lookup->has_scopes(); });
  }
  /// Some rule binds parameters (--bind).
  [[nodiscard]] bool binds() const { return !empty() && lookups_.front()->binds(); }
  /// The place of the first that has this very key, recorded without a scope; size() when none has. With many cassettes
  /// the others need not be searched for what is only alike.
  [[nodiscard]] std::size_t first_with(const api::RequestKey& key);

 private:
  struct Made {
    std::shared_ptr<OpenCassette> cassette;
    std::shared_ptr<SequenceLookup> lookup;
  };
  [[nodiscard]] std::shared_ptr<SequenceLookup> lookup_of(const std::shared_ptr<OpenCassette>& cassette,
                                                          std::uint32_t number);

  LookupOptions common_;
  std::shared_ptr<const CassetteSet> newest_, playing_;
  std::vector<std::shared_ptr<SequenceLookup>> lookups_;
  std::vector<Made> made_;  ///< of all cassettes that this thread has played and that are not over
  base::TwoGenerations<std::string, std::size_t, base::TextHash, std::equal_to<>> first_with_;  ///< by the key's text
};

}  // namespace tapedeck::replay
