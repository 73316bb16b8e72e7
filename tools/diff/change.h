#pragma once
// A difference between two responses to the same call.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::tools {

/// The reason why a difference does not matter: it occurs between any two responses.
enum class Noise {
  clock,       ///< a time, or a value that changes with it
  counter,     ///< a number that only increases
  random,      ///< any other value that differs in each response
  list_order,  ///< the same elements in another order or number
};
[[nodiscard]] std::string_view to_string(Noise noise);
inline constexpr int noise_classes = 4;

struct Change {
  enum class Kind {
    added,  ///< a member or element that is new
    removed,
    renamed,  ///< a member that has another name now: `path` is the old one, `after` the new name
    type,     ///< "string" became "number"
    value,
    length,        ///< length of a list
    order,         ///< order of a list's elements
    error_code,    ///< error code of the envelope; "success" without one
    status,        ///< HTTP status
    header,        ///< a header; `path` is its name
    body,          ///< the body, if one of the two is not JSON
    completeness,  ///< one of the two responses is broken or withheld
    version,       ///< version of the API
  };
  Kind kind = Kind::value;
  std::string path;           ///< a JSON pointer (RFC 6901); elements that have a name appear as `id=NAME`
  std::string before, after;  ///< values for display, on one line and shortened; empty if there is none
  std::optional<Noise> noise;
  std::uint32_t times = 1;  ///< number of responses to the call that have this change
  bool operator==(const Change&) const = default;
};
[[nodiscard]] std::string_view to_string(Change::Kind kind);

}  // namespace tapedeck::tools
