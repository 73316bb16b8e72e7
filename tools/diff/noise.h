#pragma once
// Recognizes noise: values that differ between responses although nothing has changed. It is learned from the
// recordings of a call, and known for some calls from docs/device-notes.md ("What changes from poll to poll").

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/request_key.h"
#include "tools/diff/change.h"
#include "tools/diff/answer_diff.h"

namespace tapedeck::tools {

/// The noise of one call.
class NoiseModel {
 public:
  explicit NoiseModel(const api::RequestKey& key) : key_(key) {}

  /// Learns from responses in recorded order without a write in between. Every difference is noise.
  void learn(const std::vector<ComparedAnswer>& answers);
  /// Learns from one response of each take. With three takes or more, values that differ from each take to the next are
  /// noise.
  void learn_takes(const std::vector<ComparedAnswer>& answers);

  /// Returns the kind of noise of a change between two responses, or nothing if the change matters.
  [[nodiscard]] std::optional<Noise> of(const Change& change, const ComparedAnswer& a, const ComparedAnswer& b) const;

 private:
  [[nodiscard]] std::optional<Noise> known(const Change& change) const;
  [[nodiscard]] static std::string place_of(const Change& change);

  api::RequestKey key_;
  std::map<std::string, Noise> learned_;  ///< by the result of place_of()
};

}  // namespace tapedeck::tools
