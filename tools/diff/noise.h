#pragma once
// Recognizes noise: values that differ between responses although nothing has changed. It is learned from the
// recordings of a call, and known for some calls from docs/device-notes.md ("What changes from poll to poll");
// and IDs that the device draws anew.

#include <map>
#include <optional>
#include <set>
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

/// IDs that a device draws and clients send back, such as those of tasks: each has another one in another recording.
/// They are known by the name of their member or parameter, and, unless that is a task's, also by their look.
class DrawnIds {
 public:
  /// Keeps the pair of IDs in a difference between two responses to the same call.
  void learn(const Change& change);
  /// Returns the text of a key of the second cassette with the IDs that the first one has in their place, and adds
  /// them to `used`.
  [[nodiscard]] std::string renamed(const std::string& key_text, std::set<std::string>& used) const;
  /// Says that a client has sent these back.
  void confirm(const std::set<std::string>& used) { confirmed_.insert(used.begin(), used.end()); }
  /// Returns true for another ID of a task, and for a pair that was confirmed.
  [[nodiscard]] bool contains(const Change& change) const;

 private:
  [[nodiscard]] std::string renamed_value(std::string value, std::set<std::string>& used) const;

  std::map<std::string, std::string> firsts_;  ///< an ID of the second cassette: that of the first; both as in keys
  std::set<std::string> confirmed_;            ///< of the first
};

}  // namespace tapedeck::tools
