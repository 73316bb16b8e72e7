#pragma once
// What a request's line in the journal leaves out: for whoever wants to look at it (docs/control-api.md, GET
// /requests/N).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/redaction.h"

namespace tapedeck::journal {

/// A text with placeholders in it.
struct MarkedText {
  struct Mark {
    std::uint64_t offset = 0, length = 0;
    scrubbers::SecretClass secret_class = scrubbers::SecretClass::secret;
  };
  std::string text;
  std::vector<Mark> marks;  ///< sorted
};

/// A value that must not be shown, and what it is.
struct HiddenValue {
  std::string value;
  scrubbers::SecretClass secret_class = scrubbers::SecretClass::secret;
};
/// The text with `<CLASS>` in the place of each value, as it stands and as JSON and URLs spell it. Values of less than
/// four bytes are left alone: they would be found by accident.
[[nodiscard]] MarkedText without_values(std::string_view text, std::span<const HiddenValue> values);

/// What was answered from a cassette is named, not copied. Nothing in it is a secret that a client sent or was given.
struct KeptRequest {
  std::string path;                  ///< of a call, without its query; empty: the key has it
  std::string left_out;              ///< names of parameters that no key has, with ", " between them
  std::string headers;               ///< of the request: "Name: value\r\n", those that a cassette would hold
  std::string body;                  ///< of a recorded request that is no call's; cut at longest_body
  std::optional<unsigned> cassette;  ///< which one the answer is from, in the command line's order

  // Of an answer that is from no cassette:
  std::string reason;            ///< of HTTP
  MarkedText answer_headers;     ///< "Name: value\r\n"
  MarkedText answer;             ///< its body, cut at longest_body
  std::uint64_t body_bytes = 0;  ///< of the whole

  static constexpr std::size_t longest_body = 1u << 20;
  /// Memory that it takes.
  [[nodiscard]] std::size_t bytes() const;
};

}  // namespace tapedeck::journal
