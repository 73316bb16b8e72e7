#pragma once
// Tells the accounts of a take apart without storing their names (docs/decisions.md).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::scrubbers {

/// The largest random number, which fits into a JSON number.
inline constexpr std::uint64_t largest_account_key = (std::uint64_t{1} << 53) - 1;

[[nodiscard]] std::uint64_t random_account_key();
/// Returns the check value of an account's name. It has 8 bits, so it confirms one of a few names and reveals none.
[[nodiscard]] std::uint8_t account_check(std::uint64_t key, std::string_view name);

/// The check values of a take's accounts.
struct AccountChecks {
  std::uint64_t key = 0;                         ///< random number of the take
  std::map<std::uint32_t, std::uint8_t> values;  ///< by the account's number
  bool operator==(const AccountChecks&) const = default;

  /// Returns the form in which a recording stores them.
  [[nodiscard]] std::string to_text() const;
  [[nodiscard]] static std::optional<AccountChecks> parse(std::string_view text);
};

/// The accounts that log in during a take, with their names. Not thread-safe.
class AccountNames {
 public:
  /// `key` is used as long as the check values of all accounts differ.
  explicit AccountNames(std::uint64_t key) : key_(key) {}

  /// Adds an account. Returns false if it is known. Draws other keys until all check values differ, or until it has
  /// tried often enough: in a take with many accounts, some values are equal.
  bool add(std::uint32_t number, std::string_view name);
  [[nodiscard]] AccountChecks checks() const;

 private:
  [[nodiscard]] bool are_different() const;

  std::uint64_t key_;
  std::map<std::uint32_t, std::string> names_;
};

}  // namespace tapedeck::scrubbers
