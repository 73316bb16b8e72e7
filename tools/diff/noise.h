#pragma once
// What differs from answer to answer though nothing has changed: learned from the recordings of a call, and known of
// some calls from docs/device-notes.md ("What changes from poll to poll").

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/request_key.h"
#include "tools/diff/change.h"
#include "tools/diff/answer_diff.h"

namespace tapedeck::tools {

/// Of one call.
class NoiseModel {
 public:
  explicit NoiseModel(const api::RequestKey& key) : key_(key) {}

  /// Answers in recorded order between which nothing was written: whatever differs is noise.
  void learn(const std::vector<ComparedAnswer>& answers);
  /// One answer of each take: what differs from each take to the next is noise, from three takes on.
  void learn_takes(const std::vector<ComparedAnswer>& answers);

  /// A change between two answers to the call; nothing for one that means something.
  [[nodiscard]] std::optional<Noise> of(const Change& change, const ComparedAnswer& a, const ComparedAnswer& b) const;

 private:
  [[nodiscard]] std::optional<Noise> known(const Change& change) const;
  [[nodiscard]] static std::string place_of(const Change& change);

  api::RequestKey key_;
  std::map<std::string, Noise> learned_;  ///< by place_of()
};

}  // namespace tapedeck::tools
