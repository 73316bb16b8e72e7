#pragma once
// Presents requests and responses as JSON. Placeholders are marked, and long bodies are returned in pieces.

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "journal/kept_request.h"

namespace tapedeck::cassettes {
struct FullInteraction;
struct ListedInteraction;
}  // namespace tapedeck::cassettes
namespace tapedeck::replay {
struct SequenceUse;
}

namespace tapedeck::inspector {

/// Removes secrets from a text that became known later. Empty if there is nothing to remove.
using Hide = std::function<std::string(std::string_view)>;

/// The maximum number of bytes of a body in one response.
inline constexpr std::uint64_t body_piece = 256u << 10;

/// A body, or the available part of it.
struct ShownBody {
  std::string_view text;
  std::span<const journal::MarkedText::Mark> marks;
  std::uint64_t bytes = 0;  ///< size of the whole body
};

/// Returns {"bytes":…,"from":…,"pieces":[{"text":…},{"class":"SESSION_ID","text":"<SESSION_ID>"}],"next":…} with at
/// most body_piece bytes from `from` on, without splitting characters or placeholders. A piece that is not UTF-8 has
/// `base64` in place of `text`. `next` exists if there are more bytes, and `cut` if the rest is not kept.
[[nodiscard]] nlohmann::json shown_body(const ShownBody& body, std::uint64_t from, const Hide& hide);

/// Returns [{"name":…,"value":…}] for "Name: value\r\n" lines.
[[nodiscard]] nlohmann::json shown_headers(std::string_view lines, const Hide& hide);
/// Returns the parameters of a key in the same form.
[[nodiscard]] nlohmann::json shown_parameters(std::string_view key);

/// Compares the parameters of a request with those of a recording.
[[nodiscard]] nlohmann::json side_by_side(std::string_view request_key, std::string_view recorded_key);

/// Returns {"body":…,"headers":…,"reason":…,"status":…}.
[[nodiscard]] nlohmann::json recorded_response(const cassettes::FullInteraction& recorded, std::uint64_t from);
/// Returns {"headers":…,"parameters":…,"path":…} of the recorded request.
[[nodiscard]] nlohmann::json recorded_request(const cassettes::FullInteraction& recorded);
/// Returns the place of a recording: cassette, ID, key, take, lane, session, and time.
[[nodiscard]] nlohmann::json recorded_facts(const cassettes::FullInteraction& recorded, const std::string& cassette);
/// Returns one line of a sequence.
[[nodiscard]] nlohmann::json listed(const cassettes::ListedInteraction& line, bool played);
/// Returns a sequence with the numbers of its recordings and of the played ones.
[[nodiscard]] nlohmann::json shown_use(const replay::SequenceUse& use);

}  // namespace tapedeck::inspector
