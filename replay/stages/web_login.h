#pragma once
// The handshake of the device's web login (docs/device-notes.md, "The handshake of the web login"), as the steps for
// logins and resumed sessions use it.

#include <optional>
#include <string>
#include <string_view>

#include "replay/stages/stages.h"
#include "replay/weblogin/noise.h"

namespace tapedeck::replay {

/// What a login or the resumption of a session sends, partly in its encrypted form.
struct SignIn {
  std::string account;   ///< empty without a name
  std::string password;  ///< empty without one
  std::string message;   ///< message 1 of the handshake, as it was sent; empty without a handshake
  std::string problem;   ///< why replay refuses the call; empty if it does not

  [[nodiscard]] bool has_handshake() const { return !message.empty(); }
};
/// Reads the parameters of a login (with the pattern IK) or of a resumption (with KK). A handshake with another pattern
/// is a problem.
[[nodiscard]] SignIn sign_in_of(const Services& services, const api::Call& call, weblogin::Pattern pattern);

/// Computes message 2, or sets the problem. `client_key` is the static public key of the client, for KK. `session`
/// identifies the session to begin or to resume.
[[nodiscard]] std::optional<weblogin::Handshake> shake_hands(const Services& services, SignIn& sign_in,
                                                             weblogin::Pattern pattern, std::string client_key,
                                                             std::string_view session);
/// Returns error 400 as a miss with the problem as its reason.
[[nodiscard]] Reply refused_sign_in(const Services& services, const RequestContext& context, const SignIn& sign_in);

/// Writes message 2 in place of the recorded one. Without a handshake, the response gets an empty message, as on
/// devices. Returns false if the response has no message 2: the recorded client made no handshake, so the session has
/// none.
bool write_message(Reply& reply, weblogin::Pattern pattern, const std::optional<weblogin::Handshake>& handshake);
/// Returns the name of the parameter and of the member with the message: "ik_message" or "kk_message".
[[nodiscard]] std::string_view message_name(weblogin::Pattern pattern);

/// Replaces the device's keys in a recorded response by those of replay: the public key of API.Encryption, and the
/// cookie of API.Auth.UIConfig, which is added if the recorded client had it already. While a device is recorded,
/// removes the cookie, because the handshake is then one with the device.
void present_own_keys(const Services& services, RequestContext& context, Reply& reply);

/// Returns the cookie `_SSID` with the public key of replay, as a value of Set-Cookie.
[[nodiscard]] std::string own_ssid_cookie(const Services& services);

}  // namespace tapedeck::replay
