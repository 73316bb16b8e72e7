#pragma once
// Replaces redactions by marks, so that users can edit a recorded text (docs/mocking.md, docs/cassettes.md). Marks are
// numbered by class among the text's redactions, from 1:
//
//   {{session.id}} {{session.token}} {{session.device_id}}   the session's first own value of that kind, not encoded
//   {{redaction.TASK_ID.3}}                                  any other redaction, or an encoded value
//   {{private.4|nas-7c2e}}                                   a pseudonym, which is shown and stays the same
//
// {{{{ is one literal {, as in overlays, and nothing else is a mark. Text and redactions survive a round trip, and a
// mark that is moved or copied keeps its redaction.

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::tools {

/// Returns the text with marks in place of its redactions. `rows` are the redactions of this text only, sorted by
/// offset, within the text, and without overlaps.
[[nodiscard]] std::string with_marks(std::string_view text, std::span<const scrubbers::Redaction> rows);

/// Returns the body of the response with marks.
[[nodiscard]] std::string marked_body(const scrubbers::InteractionRecord& record);

struct Unmarked {
  std::string text;  ///< the text with placeholders
  std::vector<scrubbers::Redaction> rows;
};
/// Explains, in one line, why a text cannot become part of a recorded response.
class EditError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// Replaces the marks in a text by placeholders and creates their redactions. `rows` are the redactions of the original
/// text, to which the marks refer; the new ones belong to `part`. A session mark that the original text did not have
/// becomes a new redaction. Throws EditError, which names the position, for a mark of a redaction that the text does
/// not have.
[[nodiscard]] Unmarked without_marks(std::string_view marked, scrubbers::Part part,
                                     std::span<const scrubbers::Redaction> rows);

/// Restores the marks in a text that a user edited with plain placeholders (`show --body`): each placeholder of a
/// redaction in `old_text` becomes its mark again. Placeholders of the same class are assigned in their order.
[[nodiscard]] std::string with_marks_for_placeholders(std::string_view text, std::string_view old_text,
                                                      std::span<const scrubbers::Redaction> rows);

/// Adds to `out` what replaces a redacted place, whose text is `there`.
using PutPlace = std::function<void(std::string& out, const scrubbers::Redaction& row, std::string_view there)>;
/// Returns `text` with each redacted place replaced. `rows` are the redactions of this text only, sorted by offset,
/// within the text, and without overlaps.
[[nodiscard]] std::string with_places(std::string_view text, std::span<const scrubbers::Redaction> rows,
                                      const PutPlace& put);
/// Returns the record with each redacted place in all its texts replaced. The redactions themselves stay as they were.
[[nodiscard]] scrubbers::InteractionRecord with_places(const scrubbers::InteractionRecord& record, const PutPlace& put);

/// Returns "session.id", "session.token", or "session.device_id" for the first own value of a session; empty for
/// others.
[[nodiscard]] std::string_view session_value(const scrubbers::Redaction& row);

/// Returns the redactions of one part.
[[nodiscard]] std::vector<scrubbers::Redaction> rows_of(const std::vector<scrubbers::Redaction>& rows,
                                                        scrubbers::Part part);

/// Returns the record with marks for review: `{{session.id}}`, `{{session.token}}`, and `{{session.device_id}}` for the
/// first own values of a session, and class and number for others, such as `{{PASSWORD.0}}` or
/// `{{SESSION_ID.0.session-2}}`. Pseudonyms stay unchanged.
[[nodiscard]] scrubbers::InteractionRecord marked_for_review(const scrubbers::InteractionRecord& record);

}  // namespace tapedeck::tools
