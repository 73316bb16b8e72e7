#pragma once
// Stores the known secrets: each value with its class, its owner, and whether it is searched for everywhere.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/secret_arena.h"
#include "scrubbers/redaction/redaction.h"
#include "scrubbers/search/credential.h"
#include "scrubbers/search/secret_search.h"

namespace tapedeck::scrubbers {

/// How a value that was found by name is stored. A client can send any text as a secret, so only values that the device
/// confirms are searched for in other places.
enum class Learning {
  none,         ///< stored only to distinguish it from other values
  unconfirmed,  ///< from a client: only replaced where its own name identifies it
  too_many,     ///< confirmed, but beyond the limit of its message
  confirmed,    ///< issued or accepted by the device: searched for, everywhere or as a whole value
  accepted,     ///< from a client, and accepted by the device: searched for from 4 bytes on, whatever it looks like
  given,        ///< from the user: as accepted, and everywhere even if messages contain such text
};

/// Assigns numbers in the order of the calls. Not thread-safe.
class LearnedSecrets {
 public:
  using Id = std::uint32_t;
  static constexpr std::size_t longest_searched = 2048;
  /// The maximum number of searched values. Further ones are only replaced under their names, because each costs memory
  /// and time in every search.
  static constexpr std::size_t most_searched = 100'000, most_of_a_request = 1000, most_of_an_answer = 10'000;
  static constexpr std::size_t most_bounded = 4096;  ///< of values that are searched for within a reach

  LearnedSecrets();

  /// Adds a value. A known one keeps its ID and first class. If it was not confirmed before, it is searched for from
  /// now on: everywhere if looks_like_credential() is true, and otherwise with the reach of reach_of().
  Id note(std::string_view value, SecretClass secret_class, Learning learning);
  /// Notes a value that a response handed out and that may be a ticket. At most 100,000.
  void offer_ticket(std::string_view value);
  /// Returns true if a response handed out this value.
  [[nodiscard]] bool is_offered_ticket(std::string_view value) const;
  /// Returns true if a value is learned and confirmed, in any class.
  [[nodiscard]] bool knows(std::string_view value) const;
  /// Returns true if a value is searched for everywhere.
  [[nodiscard]] bool searches(std::string_view value) const { return everywhere_.contains(value); }
  /// Returns true if a known session ID occurs in a value, encoded or not.
  [[nodiscard]] bool holds_session_id(std::string_view value) const;
  /// Prevents the name of a scope, which Tapedeck itself writes, from being searched for everywhere.
  void reserve_name(std::string_view scope);
  /// Notes keys of responses by KeyLog::hash. Equal values that are learned from now on are not distinctive.
  void see_keys(const std::unordered_set<std::size_t>& hashes);

  /// Returns the number of a scope's run. Numbers of sessions count within it. An empty name means outside of scopes.
  [[nodiscard]] std::uint32_t scope_of(std::string_view name, std::uint32_t run);
  /// Returns the number of the session with this ID in the scope, from 1. Assigns a new one if there is none.
  std::uint32_t session_of(Id id, std::uint32_t scope);
  /// Returns the value that had this number among those of its class without a session, if it became a session's ID
  /// later.
  [[nodiscard]] std::optional<Id> became_session_id(SecretClass secret_class, std::uint32_t ordinal) const;
  /// Assigns a value to a session as its next value of the class, unless it already belongs to the session.
  void give(Id id, std::uint32_t session);
  /// Returns the number of a value among those of its class without a session, from 1. Assigns a new one if there is
  /// none.
  std::uint32_t number_of(Id id);
  /// Makes later numbers begin above these.
  void reserve(std::uint32_t sessions, std::uint32_t accounts);

  /// Returns a redaction with class and owner of a value, for an interaction of `session`.
  [[nodiscard]] Redaction describe(Id id, std::uint32_t session, std::uint32_t scope);

  [[nodiscard]] const SecretSearch& search() const { return search_; }
  /// Returns the number of values that are searched for, everywhere or within a reach.
  [[nodiscard]] std::size_t searched() const { return everywhere_.size() + bounded_; }
  /// Returns true for a name that a response contained before this value was first sent, or that the catalog or the
  /// specification contains, and for one in which the value is only a word.
  [[nodiscard]] bool is_structure_name(Id id, std::string_view name) const;
  /// Returns a number that grows whenever more is replaced than before.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  /// Returns values that only clients sent and that do not occur in ordinary text by chance. They are replaced in texts
  /// of Tapedeck itself, which are not replayed. At most the newest 1,000.
  [[nodiscard]] const std::deque<Id>& unconfirmed() const { return unconfirmed_; }
  [[nodiscard]] std::string_view value_of(Id id) const { return known_[id].value; }
  /// Visits each confirmed value that is searched for, or that would be without a limit. Does not visit accounts, and
  /// values that are only replaced by rules.
  void each(const std::function<void(std::string_view, bool everywhere)>& visit) const;
  struct Counts {
    std::size_t learned = 0;        ///< number of different values
    std::size_t whole_only = 0;     ///< of these, searched for only as whole values
    std::size_t structural = 0;     ///< of these, searched for only as whole values, because messages contain such text
    std::size_t beyond_limits = 0;  ///< of these, not searched for because of a limit of a message or a run
    std::size_t by_name_only = 0;   ///< of these, not searched for
  };
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] bool is_own(Id id, std::uint32_t session) const;
  /// Returns true for a value that came from a client or from the user before any response contained it, or that is not
  /// distinctive. Only the client's own login fills its holes in keys.
  [[nodiscard]] bool is_accepted(Id id) const { return accepted_.contains(known_[id].value); }
  /// Returns true for a value that came from the user and is searched for everywhere, so that none of it may be left.
  [[nodiscard]] bool is_given_everywhere(Id id) const { return known_[id].given && known_[id].everywhere; }
  [[nodiscard]] SecretClass class_of(Id id) const { return known_[id].secret_class; }
  /// Returns true if the value belongs to a session of the scope.
  [[nodiscard]] bool has_owner(Id id, std::uint32_t scope) const {
    return owner_in(known_[id].owners, scope) != nullptr;
  }

 private:
  struct Owner {
    std::uint32_t session = 0;
    std::uint32_t ordinal = 0;
  };
  struct Known {
    std::string_view value;  ///< a salted hash for a value that is not learned
    std::string shape;
    SecretClass secret_class = SecretClass::secret;
    bool learned = false;
    bool everywhere = false;
    std::optional<Reach> reach;      ///< the reach within which it is searched for; nothing also if `everywhere`
    std::optional<bool> structural;  ///< is a part of the structure of messages; nothing: not examined
    bool given = false;              ///< comes from the user
    bool named_before = false;       ///< was the name of a member in a response when it was first sent
    bool beyond_limits = false;
    std::vector<Owner> owners;
    std::uint32_t number =
        0;  ///< its number among the take's values of the class without a session, from 1; 0: not assigned
  };

  /// Returns the first owner that is a session of the scope, or null. The scope of sessions that were numbered
  /// elsewhere (reserve()) is unknown.
  [[nodiscard]] const Owner* owner_in(const std::vector<Owner>& owners, std::uint32_t scope) const;
  Id id_of(std::string_view value, SecretClass secret_class, bool learn);
  [[nodiscard]] bool may_be_everywhere(std::string_view value, Learning learning) const;
  [[nodiscard]] bool is_name(std::string_view value) const;
  /// Returns the reach of a value that is not searched for everywhere. One that the device accepted is found as a whole
  /// value if it is a part of the structure of messages, anywhere if it is distinctive, and as a token otherwise. Other
  /// values are found as whole values if is_whole_secret() is true.
  [[nodiscard]] std::optional<Reach> reach_of(Known& known, Learning learning) const;
  [[nodiscard]] static bool is_chosen(const Known& known);
  [[nodiscard]] static bool is_structural(Known& known);
  void search_everywhere(Id id);
  void search_within(Id id, Reach reach);

  std::string salt_;
  base::SecretArena arena_;
  std::vector<Known> known_;
  std::unordered_map<std::string_view, Id> everywhere_;
  std::map<std::pair<SecretClass, std::string_view>, Id> by_name_;  ///< key: class and Known::value
  std::map<std::pair<std::uint32_t, SecretClass>, std::uint32_t>
      owned_;  ///< the number of values of a class that a session has
  std::map<SecretClass, std::uint32_t> unowned_;
  std::map<std::pair<SecretClass, std::uint32_t>, Id> became_session_ids_;
  std::unordered_set<std::size_t> keys_;
  std::uint32_t sessions_ = 0;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> scopes_;
  std::unordered_map<std::uint32_t, std::uint32_t> scope_of_session_;
  std::unordered_set<std::string_view> confirmed_, accepted_;
  std::deque<Id> unconfirmed_;
  std::set<std::string, std::less<>> scope_names_;
  std::unordered_set<std::string> offered_tickets_;  ///< salted hashes
  std::uint64_t changes_ = 0;
  SecretSearch search_;
  std::size_t bounded_ = 0;  ///< number of values with a reach
};

}  // namespace tapedeck::scrubbers
