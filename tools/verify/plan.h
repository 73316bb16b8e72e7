#pragma once
// Which recorded calls a device can be asked again without changing it (`tapedeck verify`).

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "http/message/message.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::tools {

/// Why a call is not asked again.
enum class NotAsked {
  changes,      ///< it writes, logs in or out, or is a compound of which a part does
  after_write,  ///< every recording of it came after its lane's first write: the device was another one by then
  incomplete,   ///< broken, withheld, or a stream that its client ended
  of_session,   ///< the recorded answer says that a session was over
  conditional,  ///< it asked for a part, or for what had changed
  hidden,       ///< a value of its request, or of its scope's name, was redacted and is not known any more
  no_account,   ///< it carried a session, and nobody logs in
};
inline constexpr std::size_t reasons_not_to_ask = 7;
/// In a few words: "after a write".
[[nodiscard]] std::string_view to_string(NotAsked reason);

struct VerifyPlan {
  std::vector<std::string> questions;  ///< an id for each call, whose request is sent; by scope and key
  std::set<std::string> compared;      ///< ids of the recorded answers that the new ones are compared with
  std::array<std::uint64_t, reasons_not_to_ask> not_asked{};  ///< calls, by NotAsked

  [[nodiscard]] std::uint64_t of(NotAsked reason) const { return not_asked[static_cast<std::size_t>(reason)]; }
};

/// Each call (scope and key) once: as the newest take has it in which it was read before its lane's first write.
/// `has_account`: somebody logs in. Holds ids, and one interaction at a time. Throws CassetteError.
[[nodiscard]] VerifyPlan plan_verify(const cassettes::CassetteReader& cassette, bool has_account);

/// What a session is known by.
struct SessionValues {
  std::string id, csrf_token, device_id;
};

/// False where something else was redacted in the request than the session's own id, CSRF token and device id: what
/// stood there is not known any more.
[[nodiscard]] bool can_be_asked_again(const scrubbers::InteractionRecord& record);

/// With these values where the recorded session's own ones stood, encoded as they were, and without the lines Origin
/// and Referer, which named another recorder. Only for a record that can be asked again.
[[nodiscard]] http::Request request_again(const scrubbers::InteractionRecord& record, const SessionValues& values);

}  // namespace tapedeck::tools
