#pragma once
// What is known to be secret: each value with its class, whose it is and whether it is searched for everywhere.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/secret_arena.h"
#include "scrubbers/redaction.h"
#include "scrubbers/search/credential.h"
#include "scrubbers/search/secret_search.h"
#include "scrubbers/search/whole_values.h"

namespace tapedeck::scrubbers {

/// How a value that was found by name is remembered. A client can write what it likes where a secret is expected, so
/// only what the device vouches for is searched for anywhere else.
enum class Learning {
  none,         ///< only told apart from others
  unconfirmed,  ///< a client said it: replaced only where its own name identifies it
  too_many,     ///< confirmed, but its message has more than are searched for
  confirmed,    ///< the device issued or accepted it: searched for, everywhere or as a whole value
  given,        ///< by the user: as confirmed, also if messages are written with such text
};

/// Numbers are given in the order of the calls. No locks of its own.
class LearnedSecrets {
 public:
  using Id = std::uint32_t;
  static constexpr std::size_t longest_searched = 2048;
  /// More are replaced under their names only: each costs memory, and time in every later search.
  static constexpr std::size_t most_searched = 100'000, most_of_a_request = 1000, most_of_an_answer = 10'000;

  LearnedSecrets();

  /// Makes a value known. One that is known keeps its id and its first class, and is searched for from now on if it is
  /// confirmed only now: everywhere if looks_like_credential() says so, else as a whole value if is_whole_secret()
  /// does.
  Id note(std::string_view value, SecretClass secret_class, Learning learning);
  /// Returns true if a value is learned and confirmed, under whatever class.
  [[nodiscard]] bool knows(std::string_view value) const;
  /// Keeps the name of a scope, which is a text of ours, from being searched for everywhere.
  void reserve_name(std::string_view scope);
  /// Keys of answers, by KeyLog::hash: equal values learned from now on are not distinctive.
  void see_keys(const std::unordered_set<std::uint64_t>& hashes);

  /// The number of a scope's run, for what is counted within it. An empty name: what is done outside of scopes.
  [[nodiscard]] std::uint32_t scope_of(std::string_view name, std::uint32_t run);
  /// The number of the session that has this id in the scope, from 1; a new one when it has none yet.
  std::uint32_t session_of(Id id, std::uint32_t scope);
  /// Makes a value belong to a session, as its next one of the class, unless it does already.
  void give(Id id, std::uint32_t session);
  /// The number of an account, from 1.
  std::uint32_t account_of(Id id);
  /// Later numbers begin above these.
  void reserve(std::uint32_t sessions, std::uint32_t accounts);

  /// The row's fields that say what and whose a value is, for an interaction of `session`.
  [[nodiscard]] Redaction describe(Id id, std::uint32_t session, std::uint32_t scope);

  [[nodiscard]] const SecretSearch& search() const { return search_; }
  [[nodiscard]] const WholeValues& whole_values() const { return whole_; }
  /// How many are searched for, everywhere or as whole values.
  [[nodiscard]] std::size_t searched() const { return everywhere_.size() + whole_.size(); }
  /// Grows whenever more is replaced than before.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  /// Values that only clients said, and that ordinary text does not contain by chance: for our own texts, which nobody
  /// replays. The newest 1,000.
  [[nodiscard]] const std::deque<Id>& unconfirmed() const { return unconfirmed_; }
  [[nodiscard]] std::string_view value_of(Id id) const { return known_[id].value; }
  /// Calls `visit` once for each confirmed value that is searched for, or would be but for a limit. Accounts and what
  /// rules merely replace are not among them.
  void each(const std::function<void(std::string_view, bool everywhere)>& visit) const;
  struct Counts {
    std::size_t learned = 0;     ///< distinct values
    std::size_t whole_only = 0;  ///< of them, searched for as whole values alone
    std::size_t beyond_limits =
        0;  ///< of them, kept from being searched for by a limit alone: of a message, or of a run
    std::size_t by_name_only = 0;  ///< of them, not searched for
  };
  [[nodiscard]] Counts counts() const;
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
  Id id_of(std::string_view value, SecretClass secret_class, bool learn);
  [[nodiscard]] bool may_be_everywhere(std::string_view value, bool is_given) const;
  [[nodiscard]] bool is_name(std::string_view value) const;
  [[nodiscard]] bool may_be_whole(const Known& known) const;
  void search_everywhere(Id id);
  void look_for_whole(Id id);
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
  std::unordered_set<std::string_view> confirmed_;
  std::deque<Id> unconfirmed_;
  std::set<std::string, std::less<>> scope_names_;
  std::uint64_t changes_ = 0;
  SecretSearch search_;
  WholeValues whole_;
};

}  // namespace tapedeck::scrubbers
