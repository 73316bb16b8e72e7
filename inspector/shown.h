#pragma once
// Requests and answers as JSON for whoever looks at them: values that stand for secrets are marked, and long bodies
// come in pieces.

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "journal/kept_request.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::inspector {

/// What is left of a text once more is known to be secret; empty: nothing is to be taken out.
using Hide = std::function<std::string(std::string_view)>;

/// Bytes of a body in one answer.
inline constexpr std::uint64_t body_piece = 256u << 10;

/// A body, or the part of it that is there.
struct ShownBody {
  std::string_view text;
  std::span<const journal::MarkedText::Mark> marks;
  std::uint64_t bytes = 0;  ///< of the whole
};

/// {"bytes":…,"from":…,"pieces":[{"text":…},{"class":"SESSION_ID","text":"<SESSION_ID>"}],"next":…}: the bytes from
/// `from` on, at most body_piece and never half a character or placeholder. Bytes that are not UTF-8 are a piece with
/// `base64` in place of `text`. `next` is there when there is more,
/// `cut` when what follows is not kept.
[[nodiscard]] nlohmann::json shown_body(const ShownBody& body, std::uint64_t from, const Hide& hide);

/// [{"name":…,"value":…}] of "Name: value\r\n" lines.
[[nodiscard]] nlohmann::json shown_headers(std::string_view lines, const Hide& hide);
/// The same of a key's parameters.
[[nodiscard]] nlohmann::json shown_parameters(std::string_view key);

/// The rows of one nearest recording, parameter by parameter: what was asked beside what is recorded.
[[nodiscard]] nlohmann::json side_by_side(std::string_view asked_key, std::string_view recorded_key);

}  // namespace tapedeck::inspector
