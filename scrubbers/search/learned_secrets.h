#pragma once
// What is known to be secret: each value with its class, whose it is and whether it is searched for everywhere.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/secret_arena.h"
#include "scrubbers/redaction.h"
#include "scrubbers/search/secret_search.h"
#include "scrubbers/search/whole_values.h"

namespace tapedeck::scrubbers {

/// True for a value that cannot be taken for something else (issue: 12 bytes or more, or 8 or more with three classes
/// of characters; not digits under 16; at least 5 different bytes; no common word, no name of the catalog). JSON keys
/// are LearnedSecrets' business.
[[nodiscard]] bool is_distinctive(std::string_view value);

/// True for letters and digits, at least one of each, and the marks that ids and tokens are written with.
[[nodiscard]] bool looks_like_id(std::string_view value);

/// How a value that was found by name is remembered.
enum class Learning {
  none,            ///< only told apart from others
  by_name,         ///< a secret, but replaced under its name only
  too_many,        ///< so too, because its message has more than are searched for
  if_distinctive,  ///< also searched for everywhere, if it is distinctive
  for_certain,     ///< the device took it or issued it: what is not distinctive is looked for as a whole value
};

/// Numbers are given in the order of the calls. No locks of its own.
class LearnedSecrets {
 public:
  using Id = std::uint32_t;
  static constexpr std::size_t longest_searched = 2048;
  /// More are replaced under their names only: each costs memory, and time in every later search.
  static constexpr std::size_t most_searched = 100'000, most_of_a_request = 1000, most_of_an_answer = 10'000;

  LearnedSecrets();

  /// Makes a value known; one that is known keeps its first class.
  Id note(std::string_view value, SecretClass secret_class, Learning learning);
  /// Whether a value is learned, under whatever class.
  [[nodiscard]] bool knows(std::string_view value) const;
  /// Keys of answers, by KeyLog::hash: equal values learned from now on are not distinctive.
  void see_keys(const std::vector<std::uint64_t>& hashes);

  /// The number of a scope's run, for what is counted within it. An empty name: what is done outside of scopes.
  [[nodiscard]] std::uint32_t scope_of(std::string_view name, std::uint32_t run);
  /// The number of the session that has this id in the scope, from 1; a new one when it has none yet.
  std::uint32_t session_of(Id id, std::uint32_t scope);
  /// Makes a value belong to a session, as its next one of the class, unless it does already.
  void give(Id id, std::uint32_t session);
  /// The number of an account, from 1.
  std::uint32_t account_of(Id id);
  /// Lets the search take what it has prepared meanwhile.
  void settle() { search_.settle(); }
  /// Later numbers begin above these.
  void reserve(std::uint32_t sessions, std::uint32_t accounts);

  /// The row's fields that say what and whose a value is, for an interaction of `session`.
  [[nodiscard]] Redaction describe(Id id, std::uint32_t session, std::uint32_t scope);

  [[nodiscard]] const SecretSearch& search() const { return search_; }
  [[nodiscard]] const WholeValues& whole_values() const { return whole_; }
  /// How many are searched for, everywhere or as whole values.
  [[nodiscard]] std::size_t searched() const { return searched_ + whole_.size(); }
  /// Learned values only: accounts and what rules merely replace are none.
  void each(const std::function<void(std::string_view, bool everywhere)>& visit) const;
  [[nodiscard]] std::size_t by_name_only() const { return learned_ - searched_ - whole_.size(); }
  /// Of them, those that only a limit keeps from being searched for: of a message, of a run, or WholeValues::most.
  [[nodiscard]] std::size_t beyond_limits() const { return beyond_limits_; }
  [[nodiscard]] std::size_t learned() const { return learned_; }
  [[nodiscard]] bool is_own(Id id, std::uint32_t session) const;
  [[nodiscard]] SecretClass class_of(Id id) const { return known_[id].secret_class; }
  /// Whether the value belongs to a session of the scope.
  [[nodiscard]] bool has_owner(Id id, std::uint32_t scope) const {
    return owner_in(known_[id].owners, scope) != nullptr;
  }

 private:
  struct Owner {
    std::uint32_t session = 0;
    std::uint32_t ordinal = 0;
  };
  struct Known {
    std::string_view value;  ///< of one that is not learned: a salted hash
    std::string shape;
    SecretClass secret_class = SecretClass::secret;
    bool learned = false;
    bool everywhere = false;
    bool whole = false;
    bool beyond_limits = false;
    std::vector<Owner> owners;
    std::uint32_t number = 0;  ///< among the take's values of the class that belong to nobody, from 1; 0: none yet
  };

  std::uint32_t number_of(Id id);
  /// The first owner that is a session of the scope; null: none is. Of sessions that were numbered elsewhere
  /// (reserve()) nobody knows the scope.
  [[nodiscard]] const Owner* owner_in(const std::vector<Owner>& owners, std::uint32_t scope) const;
  /// For one that is not searched for everywhere. `may_be_searched`: but for a limit it would be.
  void look_for_whole(Id id, Learning learning, bool may_be_searched);
  void set_beyond_limits(Known& known, bool beyond);
  void add_owner(Id id, Owner owner);

  std::string salt_;
  base::SecretArena arena_;
  std::vector<Known> known_;
  std::unordered_map<std::string_view, Id> everywhere_;
  std::map<std::pair<SecretClass, std::string_view>, Id> by_name_;        ///< by Known::value
  std::map<std::pair<std::uint32_t, SecretClass>, std::uint32_t> owned_;  ///< how many of a class a session has
  std::map<SecretClass, std::uint32_t> unowned_;
  std::unordered_set<std::uint64_t> keys_;
  std::uint32_t sessions_ = 0;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> scopes_;
  std::unordered_map<std::uint32_t, std::uint32_t> scope_of_session_;
  std::size_t searched_ = 0;
  std::size_t learned_ = 0;
  std::size_t beyond_limits_ = 0;
  SecretSearch search_;
  WholeValues whole_;
};

}  // namespace tapedeck::scrubbers
