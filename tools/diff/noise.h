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

  /// Learns from responses of one take, in recorded order and without a write between them. Every difference is noise.
  void learn(const std::vector<scrubbers::InteractionRecord>& responses);
  /// Returns the kind of noise of a change between two responses, or nothing if the change matters.
  [[nodiscard]] std::optional<Noise> of(const Change& change, const scrubbers::InteractionRecord& a,
                                        const scrubbers::InteractionRecord& b) const;

 private:
  [[nodiscard]] std::optional<Noise> known(const Change& change) const;
  [[nodiscard]] static std::string place_of(const Change& change);

  api::RequestKey key_;
  std::map<std::string, Noise> learned_;  ///< key: the result of place_of()
};

/// IDs that a device generates, such as those of tasks, which differ in each recording. They are recognized by the name
/// of their member or parameter. If it does not name a task, they must also look generated, and a client must have sent
/// them back. Pairs of IDs map one to one throughout: an ID is never paired with two.
class GeneratedIds {
 public:
  /// Keeps the pair of IDs in a difference between two responses to the same call, unless one of them has another
  /// partner.
  void learn(const Change& change);
  /// Returns a key of the second cassette, with each of its IDs replaced by the matching ID of the first cassette.
  /// Adds those IDs of the first cassette to `used`.
  [[nodiscard]] std::string renamed(const std::string& key_text, std::set<std::string>& used) const;
  /// Notes that a client has sent these IDs back.
  void confirm(const std::set<std::string>& used) { confirmed_.insert(used.begin(), used.end()); }
  /// Returns true if the change is a pair of task IDs, or a pair that a client has sent back.
  [[nodiscard]] bool contains(const Change& change);

 private:
  [[nodiscard]] std::string renamed_value(std::string value, bool is_named, std::set<std::string>& used) const;

  /// IDs as in keys: from the second cassette to the first, and from the first to the second.
  std::map<std::string, std::string> firsts_, seconds_;
  std::set<std::string> confirmed_;  ///< IDs of the first cassette
};

/// Returns true if a member with this name holds an ID, and the value looks generated, unlike `volume_2` or `sda`.
[[nodiscard]] bool is_generated_id(std::string_view name, std::string_view value);

}  // namespace tapedeck::tools
