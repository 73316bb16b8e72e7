#pragma once
// Selects the recorded calls that can be sent to a device again without changing it (`tapedeck verify`).

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "http/message/message.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::tools {

/// The reason why a call is not sent again.
enum class NotAsked {
  changes,      ///< the call writes, logs in or out, or is a compound with such a part
  after_write,  ///< the call was recorded only after the first write of its lane, when the device was in another state
  incomplete,   ///< broken, withheld, or a stream that its client ended
  of_session,   ///< the recorded response reports the end of a session
  conditional,  ///< it has conditions or a range
  hidden,       ///< a value in the request or in the name of its scope was redacted and is unknown
  no_account,   ///< the call needs a session, and no account is given
};
inline constexpr std::size_t reasons_not_to_ask = 7;
/// Returns a few words, such as "after a write".
[[nodiscard]] std::string_view to_string(NotAsked reason);

struct VerifyPlan {
  std::vector<std::string> questions;  ///< ID of the interaction to repeat for each call, sorted by scope and key
  std::set<std::string> compared;      ///< IDs of the recorded responses to compare with the new ones
  std::array<std::uint64_t, reasons_not_to_ask> not_asked{};  ///< number of calls by NotAsked

  [[nodiscard]] std::uint64_t of(NotAsked reason) const { return not_asked[static_cast<std::size_t>(reason)]; }
};

/// Selects each call (scope and key) once, from the newest take in which it was recorded before the first write of its
/// lane. `has_account`: requests can use a session. Keeps IDs and one interaction at a time in memory. Throws
/// CassetteError.
[[nodiscard]] VerifyPlan plan_verify(const cassettes::CassetteReader& cassette, bool has_account);

/// The values of a session.
struct SessionValues {
  std::string id, csrf_token, device_id;
};

/// Returns false if the request contains redactions other than the session's own ID, CSRF token, and device ID, because
/// their values are unknown.
[[nodiscard]] bool can_be_asked_again(const scrubbers::InteractionRecord& record);

/// Returns the request with these values in place of the recorded session's own, in the same encoding, and without
/// Origin and Referer, which name another recorder. Requires can_be_asked_again().
[[nodiscard]] http::Request request_again(const scrubbers::InteractionRecord& record, const SessionValues& values);

}  // namespace tapedeck::tools
