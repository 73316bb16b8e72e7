#pragma once
// Reading what control requests bring along, strictly: an unknown name is an error, never ignored.

#include <cstdint>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "journal/journal.h"

namespace tapedeck::inspector {

/// What does not fit; its text goes to the client with status 400.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The parameters of a query, each of `known` and at most once.
class Query {
 public:
  Query(std::string_view text, std::initializer_list<std::string_view> known);
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  /// A number from `least` to `most`; `otherwise` when it is absent.
  [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t otherwise, std::uint64_t least,
                                     std::uint64_t most) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// A JSON object with no other members than `known`.
[[nodiscard]] nlohmann::json read_object(std::string_view text, std::initializer_list<std::string_view> known);
void check_members(const nlohmann::json& object, std::initializer_list<std::string_view> known);
/// The member, a whole number from 0 to `most`; nothing when it is absent.
[[nodiscard]] std::optional<std::uint64_t> number_in(const nlohmann::json& object, const char* name,
                                                     std::uint64_t most);
/// {"api":"Core.Network","method":"get",…}: at least one field.
[[nodiscard]] journal::JournalMatch read_match(const nlohmann::json& object);

/// Numbers of answers: JSON takes them exactly.
inline constexpr std::uint64_t largest_number = std::uint64_t{1} << 53;

}  // namespace tapedeck::inspector
