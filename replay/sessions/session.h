#pragma once
// Represents a session during replay, with the values that replace redactions for one session ID (docs/replay.md,
// "Sessions").

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "replay/sessions/account_ties.h"
#include "replay/sessions/cursors.h"
#include "replay/weblogin/channel.h"
#include "scrubbers/private/private_profile.h"
#include "scrubbers/redaction/redaction.h"

namespace tapedeck::replay {

/// The text of a scope's run (api::ScopeName), shared by all objects of the run. Null outside of scopes.
using ScopeText = std::shared_ptr<const std::string>;

/// Private values that a client sent in their original form, as indexes in the table of the profile that contains them.
struct OriginalValues {
  std::shared_ptr<const scrubbers::PrivateProfile> profile;  ///< null without values
  scrubbers::PrivateProfile::Brought places;                 ///< sorted
};

/// An account. Every name can log in. The sessions of an account are numbered in the order of its logins.
struct Account {
  explicit Account(std::string account_name, ScopeText of_scope = nullptr)
      : name(std::move(account_name)), scope(std::move(of_scope)) {}
  const std::string name;  ///< the result of short_name; empty for a session without a login
  const ScopeText scope;
  std::mutex login;                         ///< locked during one login, so that ordinals have no gaps
  std::uint32_t logins = 0;                 ///< number of logins; guarded by `login`
  std::uint32_t logins_with_handshake = 0;  ///< number of these with a handshake; guarded by `login`
  /// The number of the account among those of the table, in the order of their first logins, from 1. 0 if the account
  /// has not logged in or has no name, as in an encrypted login. Guarded by `login`.
  std::uint32_t number = 0;
  PositionStore cursors;

  /// Returns the index of the next session. Requires that `login` is locked.
  [[nodiscard]] SessionIndex next(bool has_handshake) const {
    return {logins, has_handshake ? logins_with_handshake : logins - logins_with_handshake, has_handshake};
  }
};

/// The shapes of the values that a login returns, such as "86:base64url". They come from a recorded login if there is
/// one.
struct MintShapes {
  std::string session_id = "86:base64url";
  std::string csrf_token = "13:alnum";
  std::string device_id = "86:base64url";
};

/// Immutable except for its counters and positions. Shared between threads.
class Session {
 public:
  enum class Kind {
    minted,     ///< created by a login during replay
    adopted,    ///< created for an ID that a client sent, as if it had logged in before
    anonymous,  ///< shared by all calls without an ID
  };

  /// Creates the session of a login. The ID depends only on scope and run, account, ordinal, and `attempt`, which is 0
  /// unless that ID is taken.
  Session(std::shared_ptr<Account> account, std::uint32_t ordinal, const MintShapes& shapes, unsigned attempt);
  /// Creates the session for an ID that a client sent, given as short_name, or for all calls without an ID. If the name
  /// is_adoptable, it becomes the ID; otherwise, an ID is generated.
  Session(Kind kind, std::string known_as, const MintShapes& shapes, ScopeText scope);
  /// Creates a copy of a session from outside of the account's scope, so that its values are also valid in the scope
  /// (docs/testing.md, "Scopes").
  Session(const Session& outside, std::shared_ptr<Account> account);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  /// Returns the key in the session table: the ID, or the short_name of the text that the client sends instead.
  [[nodiscard]] const std::string& known_as() const { return known_as_.empty() ? id_ : known_as_; }
  [[nodiscard]] const std::string& csrf_token() const { return csrf_token_; }
  [[nodiscard]] const std::string& device_id() const { return device_id_; }
  [[nodiscard]] Account& account() const { return *account_; }
  /// Returns true if ID, token, and device ID are adoptable, because they then have the same spelling in every
  /// encoding.
  [[nodiscard]] bool has_plain_values() const { return has_plain_values_; }
  /// Returns the index among the logins of the account, from 0.
  [[nodiscard]] std::uint32_t ordinal() const { return ordinal_; }
  [[nodiscard]] PositionStore& cursors() const { return cursors_; }
  /// Returns the handshake of its web login. Copies of the session in scopes share it.
  [[nodiscard]] weblogin::Channel& channel() const { return *channel_; }

  /// Returns the text that replaces a redaction in this session's responses, not yet encoded. This is the session's own
  /// ID, token, or device ID, and for other values and other sessions a stand-in of the recorded shape. `origin` is the
  /// origin of the recording (PlayedAnswer::origin).
  [[nodiscard]] std::string counterpart(const scrubbers::Redaction& redaction, std::string_view origin) const;

  /// Adds private values that the client sent. Later responses to it contain them in their original form.
  void add_originals(const OriginalValues& originals) const;
  /// Returns the text that replaces `stored` in its responses, for a redaction of class private with that encoding.
  [[nodiscard]] std::string private_text(std::string_view stored, const scrubbers::Encoding& encoding) const;

  mutable std::atomic<bool> ended = false;
  /// True if it received a replayed write or task ID, which the device does not have (docs/recording.md, "Complete a
  /// recording").
  mutable std::atomic<bool> ahead_of_device = false;
  /// These determine the lane in a recorded scope: the number of the account whose login created the session, or 0 if
  /// there is none or it has no name, and the index of the session among those of the account. Set before other threads
  /// can access the session.
  mutable std::uint32_t login_account = 0;
  mutable SessionIndex login_index;
  /// The password of the login that created it. Never stored or logged. Set before other threads can access the
  /// session.
  mutable std::string login_secret;
  mutable std::atomic<std::uint64_t> number = 0;     ///< number in the order of first use; 0: in no table
  mutable std::atomic<std::uint64_t> last_used = 0;  ///< compared with SessionTable's age

 private:
  /// Returns the seed of all generated values of the session.
  [[nodiscard]] std::string seed() const;
  void mint(const MintShapes& shapes);

  Kind kind_;
  std::shared_ptr<Account> account_;
  std::uint32_t ordinal_ = 0;
  unsigned attempt_ = 0;
  std::string known_as_;  ///< empty if it equals the ID
  std::string id_, csrf_token_, device_id_;
  bool has_plain_values_ = false;
  mutable PositionStore cursors_;
  std::shared_ptr<weblogin::Channel> channel_ = std::make_shared<weblogin::Channel>();
  mutable std::mutex originals_mutex_;
  mutable OriginalValues originals_;  ///< guarded by originals_mutex_; sorted
};

/// Returns the text that replaces a secret that does not belong to the session. It depends only on the take and scope
/// of the recording (`origin`) and on the secret's class, owner, number, and shape, so that replay recognizes it in
/// later requests.
[[nodiscard]] std::string stand_in(const scrubbers::Redaction& redaction, std::string_view origin);

inline constexpr std::size_t longest_name = 512;
/// Shortens an ID, account, or name that a client sent. Returns it unchanged if it has at most that many bytes, and
/// otherwise "#" and its SHA-256. This limits the memory for ten thousand of them.
[[nodiscard]] std::string short_name(std::string_view text);

/// Returns true if a client may use this text as its ID: 1 to 512 unreserved characters (RFC 3986). They need no
/// escaping in JSON, headers, and URLs, so inserting the ID cannot break a response.
[[nodiscard]] bool is_adoptable(std::string_view id);

}  // namespace tapedeck::replay
