#pragma once
// Ties the accounts of clients to recorded accounts (docs/matching.md, "Accounts").

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tapedeck::replay {

/// The index of a session among those of its account, from 0.
struct SessionIndex {
  std::uint32_t place = 0;
  std::uint32_t place_of_kind = 0;  ///< among those with, or among those without a handshake
  bool has_handshake = false;       ///< true if its login began with the handshake of the web login
};

/// The accounts of a cassette without scopes, or of one of its scopes. Takes that have the same random number form a
/// family: an account has the same check value in all of them. Every other take is a family of its own. Immutable.
class RecordedAccounts {
 public:
  struct One {
    std::uint32_t take = 0, number = 0;
    std::optional<std::uint64_t> key;  ///< the take's random number
    std::optional<std::uint8_t> check;
  };
  struct Family {
    std::optional<std::uint64_t> key;
    /// The check values in the order of first appearance. Without a check value, an account is known by its number.
    std::vector<std::optional<std::uint8_t>> checks;
  };
  /// An account of a family, by its place in Family::checks.
  struct Place {
    std::size_t family = 0, account = 0;
    auto operator<=>(const Place&) const = default;
  };

  RecordedAccounts() = default;
  /// `all` is sorted by take and number. `has_unknown`: other sessions belong to no known account.
  RecordedAccounts(const std::vector<One>& all, bool has_unknown);

  /// The account that is meant in each family.
  using Tied = std::vector<std::size_t>;

  [[nodiscard]] const std::vector<Family>& families() const { return families_; }
  /// Returns the number of the tied account in a take, or nothing if it did not log in during the take.
  [[nodiscard]] std::optional<std::uint32_t> number(std::uint32_t take, const Tied& tied) const;
  /// Returns the place of a take's account, or nothing if it is unknown.
  [[nodiscard]] std::optional<Place> place(std::uint32_t take, std::uint32_t number) const;
  /// Returns true if a family has several accounts, or if there are sessions of known and of unknown accounts, so that
  /// their requests must be told apart.
  [[nodiscard]] bool has_several() const { return has_several_; }

 private:
  std::vector<Family> families_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Place> places_;
  bool has_several_ = false;
};

/// The recorded account of each family that an account of the clients is tied to.
struct AccountTie {
  RecordedAccounts::Tied accounts;
  std::vector<bool> by_order;  ///< by family: true if the order of the logins has decided
};

/// The ties of all accounts of a SessionTable. A name that a check value confirms is tied to that account. If a family
/// has one account, every name is tied to it. Other names are tied to the accounts that are not taken yet, in the order
/// of their logins. Thread-safe.
class AccountTies {
 public:
  /// The recorded accounts of a cassette (OpenCassette::id) or of a scope in it.
  struct Of {
    std::uint32_t cassette = 0;
    bool is_scope = false;
    auto operator<=>(const Of&) const = default;
  };

  /// Adds the name of the next account. Returns its number, from 1.
  std::uint32_t add(std::string name);
  /// Returns the tie of an account by its number. It never changes until clear().
  [[nodiscard]] std::shared_ptr<const AccountTie> tie(const Of& of, const RecordedAccounts& recorded,
                                                      std::uint32_t number);
  void clear();

 private:
  /// The ties to the recorded accounts of one cassette or scope, in the order of the logins.
  struct Made {
    std::vector<std::shared_ptr<const AccountTie>> ties;
    std::vector<std::vector<bool>> taken;  ///< by family and account
  };
  static AccountTie make(const RecordedAccounts& recorded, std::string_view name, Made& made);

  std::mutex mutex_;
  std::vector<std::string> names_;
  std::map<Of, Made> made_;
};

}  // namespace tapedeck::replay
