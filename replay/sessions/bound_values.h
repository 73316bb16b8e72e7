#pragma once
// Maps values that the client generates anew in each run (--bind) to the recorded values that they replace.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/request_key.h"

namespace tapedeck::replay {

/// A recorded value and the live value that a client uses in its place.
struct Tie {
  std::uint32_t cassette_id = 0;  ///< the cassette with the recorded value
  std::string param;              ///< the parameter in which both occurred
  std::string recorded, live;
  /// True if both values look like credentials, so that they are searched for everywhere. Otherwise they are replaced
  /// only as values of `param`.
  bool is_searched = false;
};

/// Returns a tie of two values. Determines whether they are searched for everywhere.
[[nodiscard]] Tie tie_of(std::uint32_t cassette_id, std::string_view param, std::string_view recorded,
                         std::string_view live);

/// Returns the text for a tie in X-Tapedeck-Match, such as "bound=name".
[[nodiscard]] std::string bound_note(const Tie& tie);

/// The ties of one owner: a scope's run, an account, or a session ID. Thread-safe.
class BoundValues {
 public:
  static constexpr std::size_t most = 1'000;

  [[nodiscard]] std::vector<Tie> of(std::uint32_t cassette_id) const;
  /// Adds all ties and returns true. Adds none and returns false if a recorded or a live value is already tied, or if
  /// there are too many.
  [[nodiscard]] bool add(const std::vector<Tie>& ties);
  void clear();

 private:
  mutable std::mutex mutex_;  ///< guards `ties_`
  std::vector<Tie> ties_;
  std::atomic<std::size_t> count_ = 0;
};

/// A key with recorded values in place of live ones.
struct BoundKey {
  api::RequestKey key;
  std::string note;  ///< for X-Tapedeck-Match: "bound=name"
};
/// Replaces live values by recorded ones in the key of a request: in values of parameters, and in the path of a request
/// that is not an API call. Returns nothing if no live value occurs.
[[nodiscard]] std::optional<BoundKey> recorded_key(const api::RequestKey& key, const std::vector<Tie>& ties);

/// Replaces recorded values by live ones in a JSON text: in strings that are not keys of objects, and only where no
/// letter or digit is directly beside them. Returns nothing if no recorded value occurs.
[[nodiscard]] std::optional<std::string> live_text(std::string_view json, const std::vector<Tie>& ties);

}  // namespace tapedeck::replay
