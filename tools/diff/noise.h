#pragma once
// Recognizes noise: values that differ between responses although nothing has changed. Noise is learned from the
// recordings of a call, and defined for some calls in docs/device-notes.md ("What changes from poll to poll"). Also
// recognizes IDs that the device generates anew in each recording.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/request_key.h"
#include "tools/diff/change.h"
#include "tools/diff/response_diff.h"

namespace tapedeck::tools {

/// The noise of one call.
class NoiseModel {
 public:
  explicit NoiseModel(const api::RequestKey& key) : key_(key) {}

  /// Learns from responses in recorded order that have no write between them. Every difference is noise.
  void learn(const std::vector<scrubbers::InteractionRecord>& responses);
  /// Learns from one response of each take. With three takes or more, values that differ from each take to the next are
  /// noise.
  void learn_takes(const std::vector<scrubbers::InteractionRecord>& responses);

  /// Returns the kind of noise of a change between two responses, or nothing if the change matters.
  [[nodiscard]] std::optional<Noise> of(const Change& change, const scrubbers::InteractionRecord& a,
                                        const scrubbers::InteractionRecord& b) const;

 private:
  [[nodiscard]] std::optional<Noise> known(const Change& change) const;
  [[nodiscard]] static std::string place_of(const Change& change);

  api::RequestKey key_;
  std::map<std::string, Noise> learned_;  ///< key: the result of place_of()
};

/// IDs that a device generates and clients send back, such as those of tasks, which differ in each recording. They are
/// recognized by the name of their member or parameter. If it does not name a task, they must also look generated.
class GeneratedIds {
 public:
  /// Keeps the pair of IDs in a difference between two responses to the same call.
  void learn(const Change& change);
  /// Returns a key of the second cassette, with each of its IDs replaced by the matching ID of the first cassette.
  /// Adds those IDs of the first cassette to `used`.
  [[nodiscard]] std::string renamed(const std::string& key_text, std::set<std::string>& used) const;
  /// Notes that a client has sent these IDs back.
  void confirm(const std::set<std::string>& used) { confirmed_.insert(used.begin(), used.end()); }
  /// Returns true if the change is a different task ID, or a confirmed pair of IDs.
  [[nodiscard]] bool contains(const Change& change) const;

 private:
  [[nodiscard]] std::string renamed_value(std::string value, std::set<std::string>& used) const;

  /// Key: the ID in the second cassette; value: the ID in the first one; both as in keys.
  std::map<std::string, std::string> firsts_;
  std::set<std::string> confirmed_;  ///< IDs of the first cassette
};

}  // namespace tapedeck::tools
