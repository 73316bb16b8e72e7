#pragma once
// Stores the details of a request that its journal entry leaves out (docs/control-api.md, GET /requests/N).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/redaction/redaction.h"

namespace tapedeck::scrubbers {
struct InteractionRecord;
}

namespace tapedeck::journal {

/// A text with placeholders.
struct MarkedText {
  struct Mark {
    std::uint64_t offset = 0, length = 0;
    scrubbers::SecretClass secret_class = scrubbers::SecretClass::secret;
  };
  std::string text;
  std::vector<Mark> marks;  ///< sorted
};

/// A value that must not be shown, and its class.
struct HiddenValue {
  std::string value;
  scrubbers::SecretClass secret_class = scrubbers::SecretClass::secret;
};
/// Returns the text with `<CLASS>` in place of each value, including its spellings in JSON and URLs. Ignores values of
/// less than four bytes, which would be found by chance.
[[nodiscard]] MarkedText without_values(std::string_view text, std::span<const HiddenValue> values);

/// The details of a request. Refers to a response in a cassette, but does not copy it. Contains no secret of a client.
struct KeptRequest {
  std::string path;                  ///< path of a call, without its query; empty if the key contains it
  std::string left_out;              ///< names of parameters that keys leave out, separated by ", "
  std::string headers;               ///< request headers that a cassette would store: "Name: value\r\n"
  std::string body;                  ///< body of a recorded request that is not a call; cut at longest_body
  std::optional<unsigned> cassette;  ///< index of the response's cassette on the command line

  // The following members are set if the response is not from a cassette.
  std::string reason;            ///< the HTTP reason phrase
  MarkedText response_headers;   ///< "Name: value\r\n"
  MarkedText response_body;      ///< the response body, cut at longest_body
  std::uint64_t body_bytes = 0;  ///< the size of the whole body

  static constexpr std::size_t longest_body = 1u << 20;
  /// Returns the size of the object in memory.
  [[nodiscard]] std::size_t bytes() const;
};

/// Returns the details of a recorded interaction. `body_bytes` is the size of the whole body, which may be cut in the
/// record.
[[nodiscard]] KeptRequest kept_of(const scrubbers::InteractionRecord& record, std::uint64_t body_bytes);
/// Returns the redacted places of one part.
[[nodiscard]] std::vector<MarkedText::Mark> marks_of(const scrubbers::InteractionRecord& record, scrubbers::Part part);

}  // namespace tapedeck::journal
