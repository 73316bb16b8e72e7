#pragma once
// Parses the input of control requests strictly: unknown names are errors.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "journal/journal.h"

namespace tapedeck::inspector {

/// Thrown for invalid input. The client gets its text with status 400.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The parameters of a query.
class Query {
 public:
  Query() = default;
  /// Each parameter must be one of `known`, such as "from, limit", and occur at most once. Throws BadInput.
  Query(std::string_view text, std::string_view known);
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  /// Returns a number from `least` to `most`, or `otherwise` if it is absent.
  [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t otherwise, std::uint64_t least,
                                     std::uint64_t most) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// The input of a route.
struct ControlCall {
  Query query;               ///< of a GET
  nlohmann::json object;     ///< the body of a POST
  std::string_view body;     ///< instead of `object`, for routes that take overlays
  std::uint64_t number = 0;  ///< the number in a numbered route
};

/// Parses a JSON object. Throws BadInput if it has a member that is not in `known`, like the functions below.
[[nodiscard]] nlohmann::json read_object(std::string_view text, std::string_view known);
/// Returns a member that is a string. Throws BadInput for anything else, and if it is absent.
[[nodiscard]] std::string text_in(const nlohmann::json& object, const char* name);
/// Returns a member that is a whole number from 0 to `most`, or nothing if it is absent.
[[nodiscard]] std::optional<std::uint64_t> number_in(const nlohmann::json& object, const char* name,
                                                     std::uint64_t most);
/// Parses {"api":"Core.Network","method":"get",…}, with at least one member.
[[nodiscard]] journal::JournalMatch read_match(const nlohmann::json& object);

/// The largest number of an entry that every JSON parser can represent exactly.
inline constexpr std::uint64_t largest_number = std::uint64_t{1} << 53;

}  // namespace tapedeck::inspector
