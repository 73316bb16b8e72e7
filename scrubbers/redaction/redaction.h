#pragma once
// Describes redactions: rows that say which bytes of a stored interaction replace a secret (docs/cassette-format.md,
// redaction).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scrubbers/text/encoding.h"

namespace tapedeck::scrubbers {

/// The text to which offsets refer. Offsets of headers refer to Headers::to_text().
enum class Part : std::uint8_t {
  request_target = 0,
  request_headers = 1,
  request_body = 2,
  response_reason = 3,
  response_headers = 4,
  response_body = 5,  ///< the decoded body
};
[[nodiscard]] std::string_view to_string(Part part);

enum class SecretClass : std::uint8_t {
  session_id = 0,
  csrf_token = 1,
  device_id = 2,
  task_id = 3,
  account = 4,
  password = 5,
  otp_code = 6,
  token = 7,  ///< any other token: second factor, password confirmation, cipher token
  authorization = 8,
  cookie = 9,
  secret = 10,        ///< found by a custom rule
  private_data = 11,  ///< private data: the text is a pseudonym, not a placeholder
};
inline constexpr SecretClass last_secret_class = SecretClass::private_data;
/// Returns true for IDs that a client sends with every call of a session.
[[nodiscard]] constexpr bool is_id(SecretClass secret_class) { return secret_class <= SecretClass::device_id; }
/// Returns "SESSION_ID", the word in the placeholder `<SESSION_ID>`.
[[nodiscard]] std::string_view to_string(SecretClass secret_class);
/// Converts the text of to_string back: accepts "SESSION_ID" or "session_id". Returns nothing for other words.
[[nodiscard]] std::optional<SecretClass> secret_class_from(std::string_view word);
/// Returns `<SESSION_ID>`.
[[nodiscard]] std::string placeholder(SecretClass secret_class);
/// Returns true for a whole placeholder, such as `<SESSION_ID>`. If a parameter's name is a placeholder, its name was
/// the secret, and not its value.
[[nodiscard]] bool is_placeholder(std::string_view text);

enum class Whose : std::uint8_t {
  none = 0,     ///< of no session; replay writes a fixed value of this shape
  own = 1,      ///< of the session that made the request (for a login, the one that it creates)
  another = 2,  ///< of the session `owner`
};

/// One row of the table. The stored text has the placeholder `<CLASS>` at [offset, offset + length).
struct Redaction {
  Part part = Part::response_body;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  SecretClass secret_class = SecretClass::secret;
  Whose whose = Whose::none;
  std::uint32_t owner = 0;    ///< for `another`: the number of that session within the take
  std::uint32_t ordinal = 0;  ///< index among the owner's values of this class; for `none`, among those of the scope
  Encoding encoding;          ///< how the value was encoded
  std::string shape;  ///< length and alphabet of the value, "86:base64url", for a stand-in; empty for passwords and
                      ///< other secrets of a request, which replay does not need
  std::string rule;   ///< the ID of the rule that found it
  bool operator==(const Redaction&) const = default;
};

/// Returns true if the value is a session's ID. A value that was a token before a request carried it as a session ID
/// keeps its class.
[[nodiscard]] bool is_session_id(const Redaction& redaction);

/// Returns "64:hex", "6:digit", "36:uuid", "20:alnum", "12:base64", "86:base64url", or "9:text": the narrowest alphabet
/// that contains the value.
[[nodiscard]] std::string shape_of(std::string_view value);
/// Returns a value of this shape. The value depends only on the arguments, not on the secret.
[[nodiscard]] std::string make_of_shape(std::string_view shape, std::string_view seed);

/// The rules of values that were found by search: one that the device accepted from a client, and any other one.
inline constexpr std::string_view rule_of_accepted = "accepted", rule_of_learned = "learned";

/// Returns the label of the api::Hole for a redaction of a request: "SESSION_ID" for an own value, "SESSION_ID:1" for
/// the session's second value of this class, "SESSION_ID:another" for another session's value, "PASSWORD" for a value
/// of no session, and "PASSWORD:login" for one that the device accepted, in a place that no rule names. Any value may
/// fill a hole of "PASSWORD", but only the secret of the client's own login one of "PASSWORD:login".
[[nodiscard]] std::string hole_label(const Redaction& redaction);
inline constexpr std::string_view login_label = "PASSWORD:login";

/// Returns a text that is equal for the redactions of one secret of a take and scope: "TOKEN/0/0/3", which is class,
/// Whose, owner, and ordinal.
[[nodiscard]] std::string secret_text(const Redaction& redaction);
/// Reads such a text, behind which a slash and a shape may follow.
[[nodiscard]] Redaction secret_in(std::string_view text);

}  // namespace tapedeck::scrubbers
