#pragma once
// What differs between two answers to the same call.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::tools {

/// Why a difference says nothing about the device: it comes with every answer.
enum class Noise {
  clock,       ///< a time of day, or one that goes with it
  counter,     ///< a number that only grows
  random,      ///< anything else that differs from answer to answer
  list_order,  ///< the same elements, in another order or number
};
[[nodiscard]] std::string_view to_string(Noise noise);
inline constexpr int noise_classes = 4;

struct Change {
  enum class Kind {
    added,  ///< a member or element that was not there
    removed,
    renamed,  ///< a member whose value stands under another name now: `path` is the old one, `after` the new name
    type,     ///< "string" became "number"
    value,
    length,        ///< of a list
    order,         ///< of a list's elements
    error_code,    ///< of the envelope; "success" for none
    status,        ///< of HTTP
    header,        ///< `path` is its name
    body,          ///< of what is no JSON, or was and is none now
    completeness,  ///< one of the two is broken or withheld
    version,       ///< of the API: the same call under another number
  };
  Kind kind = Kind::value;
  std::string path;           ///< a JSON pointer (RFC 6901); elements with a name of their own stand as `id=NAME`
  std::string before, after;  ///< as people read them, cut to a line; empty where there is none
  std::optional<Noise> noise;
  std::uint32_t times = 1;  ///< in how many answers of the call
  bool operator==(const Change&) const = default;
};
[[nodiscard]] std::string_view to_string(Change::Kind kind);

}  // namespace tapedeck::tools
