#pragma once
// Values that the client draws anew in each run (--bind): which live value a client uses for which recorded one.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/request_key.h"

namespace tapedeck::replay {

/// One recorded value and the live one that a client uses in its place.
struct Tie {
  std::uint32_t cassette_id = 0;  ///< of the cassette that has the recorded value
  std::string param;          ///< in which they met
  std::string recorded, live;
  /// Both look like credentials and are searched for anywhere. Otherwise they are equal as values of `param` only.
  bool is_searched = false;
};

/// Returns the tie of two values.
[[nodiscard]] Tie tie_of(std::uint32_t cassette_id, std::string_view param, std::string_view recorded,
                         std::string_view live);

/// Returns what X-Tapedeck-Match says of a tie: "bound=name".
[[nodiscard]] std::string bound_note(const Tie& tie);

/// The ties of one owner: a scope's run, an account, or an id. Thread-safe.
class BoundValues {
 public:
  static constexpr std::size_t most = 1'000;

  [[nodiscard]] std::vector<Tie> of(std::uint32_t cassette_id) const;
  /// Adds all of them, or none if a recorded or a live value is tied already or there are too many.
  [[nodiscard]] bool add(const std::vector<Tie>& ties);
  void clear();

 private:
  mutable std::mutex mutex_;  ///< guards `ties_`
  std::vector<Tie> ties_;
  std::atomic<std::size_t> count_ = 0;
};

/// A key in which recorded values are in the place of live ones.
struct BoundKey {
  api::RequestKey key;
  std::string note;  ///< for X-Tapedeck-Match: "bound=name"
};
/// Returns the recorded key that the ties make of a request's key, or nothing if no live value occurs in it: in values
/// of parameters, and in the path of what is no API call.
[[nodiscard]] std::optional<BoundKey> recorded_key(const api::RequestKey& key, const std::vector<Tie>& ties);

/// Returns a JSON text with live values in the place of recorded ones, or nothing if none occurs in it: in strings that
/// are no keys of objects, where no letter or digit adjoins.
[[nodiscard]] std::optional<std::string> live_text(std::string_view json, const std::vector<Tie>& ties);

}  // namespace tapedeck::replay
