#pragma once
// What one session id sees on replay (docs/replay.md, "Sessions").

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "replay/sessions/cursors.h"
#include "scrubbers/private/private_profile.h"
#include "scrubbers/redaction.h"

namespace tapedeck::replay {

/// The text of a scope's run (api::ScopeName), shared by all that belongs to it; null outside of scopes.
using ScopeText = std::shared_ptr<const std::string>;

/// Private values that a request had as originals, as places in the table of the profile that knows them.
struct BroughtValues {
  std::shared_ptr<const scrubbers::PrivateProfile> profile;  ///< null: none
  scrubbers::PrivateProfile::Brought places;                 ///< sorted
};

/// Who logs in: any name does. Sessions of one account are numbered in the order of its logins.
struct Account {
  explicit Account(std::string account_name, ScopeText of_scope = nullptr)
      : name(std::move(account_name)), scope(std::move(of_scope)) {}
  const std::string name;  ///< as short_name gives it; empty: of a session that no login made
  const ScopeText scope;
  std::mutex login;          ///< held over one login, so that ordinals have no gaps
  std::uint32_t logins = 0;  ///< guarded by `login`
  /// In the order of the first logins of a table, from 1; 0: it has not logged in, or it has no name, as in a login
  /// that is encrypted. Guarded by `login`.
  std::uint32_t number = 0;
  CursorScope cursors;
};

/// The shapes of what a login gives ("86:base64url"), taken from a recorded login where there is one.
struct MintShapes {
  std::string session_id = "86:base64url";
  std::string csrf_token = "13:alnum";
  std::string device_id = "86:base64url";
};

/// Immutable but for its counters and cursors; shared between threads.
class Session {
 public:
  enum class Kind {
    minted,     ///< by a login here
    adopted,    ///< its id is what a client sent, as if it had logged in before
    anonymous,  ///< of all calls without an id
  };

  /// By a login. The id is a pure function of scope and run, account, ordinal and `attempt`, which is 0 unless that id
  /// is taken.
  Session(std::shared_ptr<Account> account, std::uint32_t ordinal, const MintShapes& shapes, unsigned attempt);
  /// Of an id that a client brought along, by its short_name, or without one of all calls that have none. A name that
  /// is_adoptable is the id; for another one an id is minted.
  Session(Kind kind, std::string known_as, const MintShapes& shapes, ScopeText scope);
  /// One that was minted outside of the account's scope: with the same values, it lives there too (docs/testing.md,
  /// "Scopes").
  Session(const Session& outside, std::shared_ptr<Account> account);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  /// What the table finds it by: its id, or the short name of what its client sends instead.
  [[nodiscard]] const std::string& known_as() const { return known_as_.empty() ? id_ : known_as_; }
  [[nodiscard]] const std::string& csrf_token() const { return csrf_token_; }
  [[nodiscard]] const std::string& device_id() const { return device_id_; }
  [[nodiscard]] Account& account() const { return *account_; }
  /// True when id, token and device id have one spelling only wherever they stand (is_adoptable).
  [[nodiscard]] bool has_plain_values() const { return has_plain_values_; }
  /// Among the logins of its account, from 0.
  [[nodiscard]] std::uint32_t ordinal() const { return ordinal_; }
  [[nodiscard]] CursorScope& cursors() const { return cursors_; }

  /// What stands in this session's answers where the recording has that redaction, not yet encoded: its own id, token
  /// or device id; for other values, and those of other sessions, a stand-in of the recorded shape.
  /// `origin` is the recording's (PlayedAnswer::origin).
  [[nodiscard]] std::string counterpart(const scrubbers::Redaction& redaction, std::string_view origin) const;

  /// What its client brought is written back in its answers from now on.
  void bring(const BroughtValues& brought) const;
  /// What stands in its answers where `stored` does, in a row of class private with that encoding.
  [[nodiscard]] std::string private_text(std::string_view stored, std::string_view encoding) const;

  mutable std::atomic<bool> ended = false;
  /// It was played what no device has seen it do: a recorded write, or the id of a task (docs/recording.md, "Complete a
  /// recording").
  mutable std::atomic<bool> ahead_of_device = false;
  mutable std::atomic<unsigned> calls = 0;
  /// For the lane in a recorded scope: the number of the account whose login made it, 0 for none and one without a
  /// name, and which of that account's it is, from 0. Set before others see the session.
  mutable std::uint32_t login_account = 0, login_place = 0;
  mutable std::atomic<std::uint64_t> number = 0;     ///< in the order of first use; 0: not of a table
  mutable std::atomic<std::uint64_t> last_used = 0;  ///< in ages of the SessionTable

 private:
  /// What all of the session's values are made of.
  [[nodiscard]] std::string seed() const;
  void mint(const MintShapes& shapes);

  Kind kind_;
  std::shared_ptr<Account> account_;
  std::uint32_t ordinal_ = 0;
  unsigned attempt_ = 0;
  std::string known_as_;  ///< empty: its id
  std::string id_, csrf_token_, device_id_;
  bool has_plain_values_ = false;
  mutable CursorScope cursors_;
  mutable std::mutex brought_mutex_;
  mutable BroughtValues brought_;  ///< guarded by brought_mutex_; sorted
};

/// Returns what is in responses in the place of a secret that is not the session's own: a pure function of the take and
/// scope that it was recorded in (`origin`), its class, owner, number, and shape, so that it is recognized when it comes
/// back.
[[nodiscard]] std::string stand_in(const scrubbers::Redaction& redaction, std::string_view origin);

inline constexpr std::size_t longest_name = 512;
/// What an id, account or name that clients send is kept as: itself if it has at most that many bytes, else "#" and its
/// SHA-256, so that ten thousand of them have a bound.
[[nodiscard]] std::string short_name(std::string_view text);

/// True for an id that a client may bring along as its own: 1 to 512 unreserved characters (RFC 3986), which stand for
/// themselves in JSON, headers and URLs, so that splicing them in can never break an answer.
[[nodiscard]] bool is_adoptable(std::string_view id);

}  // namespace tapedeck::replay
