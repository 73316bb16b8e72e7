#pragma once
// Bodies in which nothing was found. Clients ask again and again, and most answers are the ones that they had before.

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "base/two_generations.h"
#include "scrubbers/rules/compiled_rules.h"

namespace tapedeck::scrubbers {

/// What the named rules find in a body of an answer depends on these alone. Views: of what outlives the question.
struct BodyInPlace {
  const CallContext& context;
  std::string_view content_type;  ///< the header's value
  std::string_view body;          ///< decoded
  std::size_t hash;               ///< PlainBodies::hash_of
};

/// Of one set of rules. Remembers only what holds nothing that is known for a secret, as bytes that are compared, not
/// by a digest that somebody could meet on purpose. Thread-safe.
class PlainBodies {
 public:
  static constexpr std::size_t most_bytes = 4 * 1024 * 1024;
  static constexpr std::size_t longest = 32 * 1024;  ///< of a body; to hash longer ones takes a quarter of the search

  /// 0 for a body that is too long.
  [[nodiscard]] static std::size_t hash_of(const CallContext& context, std::string_view body);
  [[nodiscard]] bool knows(const BodyInPlace& asked);
  /// Nothing was found there. It is remembered when that is said a second time.
  void add(const BodyInPlace& found);

 private:
  struct Kept {
    CallContext context;
    std::string content_type, body;
    std::size_t hash;
  };
  struct Hash {
    using is_transparent = void;
    template <class Place>
    std::size_t operator()(const Place& place) const {
      return place.hash;
    }
  };
  struct Equal {
    using is_transparent = void;
    template <class One, class Other>
    bool operator()(const One& one, const Other& other) const {
      return one.body == other.body && one.content_type == other.content_type && one.context == other.context;
    }
  };
  struct Nothing {};

  std::mutex mutex_;
  base::TwoGenerations<Kept, Nothing, Hash, Equal> bodies_{most_bytes};
};

}  // namespace tapedeck::scrubbers
