#pragma once
// Visits every text of a cassette once, even if several interactions share it. Used to search all texts.

#include <cstdint>
#include <functional>
#include <string_view>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::cassettes {

/// The place of a text in the file.
struct StoredText {
  enum class Table { key, target, headers, body };
  Table table = Table::key;
  std::int64_t row = 0;
  auto operator<=>(const StoredText&) const = default;
};

/// Visits every text once. Throws CassetteError.
void each_text(const CassetteReader& cassette,
               const std::function<void(const StoredText&, std::string_view text)>& visit);

/// The texts of an interaction. Row 0 means no text.
struct TextsOf {
  std::int64_t interaction = 0;
  StoredText key, target, request_headers, request_body, answer_headers, answer_body;
};
/// Visits all interactions in recorded order.
void each_texts_of(const CassetteReader& cassette, const std::function<void(const TextsOf&)>& visit);
/// Returns the interaction of TextsOf::interaction.
[[nodiscard]] FullInteraction interaction_at(const CassetteReader& cassette, std::int64_t interaction);

/// Identifies a response without its body: in comparisons of whole cassettes, most responses are the same.
struct ResponseDigest {
  std::int64_t interaction = 0;  ///< as in ListedInteraction
  std::int64_t header_set = 0;   ///< for headers_of()
  std::string_view body_sha256;  ///< 32 bytes, or none for an empty body; valid during the visit
};
/// Visits all interactions in ascending order of their rows. Throws CassetteError.
void each_response_digest(const CassetteReader& cassette, const std::function<void(const ResponseDigest&)>& visit);
[[nodiscard]] http::Headers headers_of(const CassetteReader& cassette, std::int64_t header_set);

}  // namespace tapedeck::cassettes
