#pragma once
// Redacted places where people edit a recorded text (docs/mocking.md, docs/cassettes.md). A session's own values stand
// as the marks that overlays know; every other place has a mark with its class and its number among the text's
// redactions, from 1:
//
//   {{session.id}} {{session.token}} {{session.device_id}}   the session's first own value of that kind, as it is
//   {{redaction.TASK_ID.3}}                                  any other, or one that stands encoded
//   {{private.4|nas-7c2e}}                                   a pseudonym, which may be read and stays what it is
//
// {{{{ is one brace, as in overlays: of two braces and more in the recorded text each is written so. Nothing else is a
// mark. So text and redactions come back as they were, and what is moved or repeated keeps its redaction.

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/redaction.h"

namespace tapedeck::tools {

/// `rows` are those of this text alone, sorted by offset, inside of it and apart.
[[nodiscard]] std::string with_marks(std::string_view text, std::span<const scrubbers::Redaction> rows);

struct Unmarked {
  std::string text;  ///< with placeholders
  std::vector<scrubbers::Redaction> rows;
};
/// What cannot be put into a recorded response, in one line.
class EditError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// `rows` are those that the text had, of which the marks speak; the new ones are of `part`. A mark of the session
/// where there was none becomes a redaction of its own. Throws EditError, which names the place, for a mark of a redaction
/// that the text does not have.
[[nodiscard]] Unmarked without_marks(std::string_view marked, scrubbers::Part part,
                                     std::span<const scrubbers::Redaction> rows);

/// A new text that somebody made of the stored one (`show --body`), where placeholders stand bare: each that stood for
/// a redaction in `old_text` gets its mark, so that it goes on standing for it. Which placeholder is which is told by
/// counting those of one class.
[[nodiscard]] std::string with_marks_for_placeholders(std::string_view text, std::string_view old_text,
                                                      std::span<const scrubbers::Redaction> rows);

/// Returns `text` with each of the places that `rows` name written by `put(out, row, what stands there)`. `rows` are
/// those of this text alone, sorted by offset, inside of it and apart.
template <class Put>
[[nodiscard]] std::string with_places(std::string_view text, std::span<const scrubbers::Redaction> rows, const Put& put) {
  std::string out;
  std::size_t done = 0;
  for (const scrubbers::Redaction& row : rows) {
    out += text.substr(done, row.offset - done);
    put(out, row, text.substr(row.offset, row.length));
    done = row.offset + row.length;
  }
  return out.append(text.substr(done));
}

/// Returns "session.id", "session.token", or "session.device_id" for the first own value of a session; empty for others.
[[nodiscard]] std::string_view session_value(const scrubbers::Redaction& row);

/// The rows of one part.
[[nodiscard]] std::vector<scrubbers::Redaction> rows_of(const std::vector<scrubbers::Redaction>& rows,
                                                        scrubbers::Part part);

/// `{{session.id}}`, `{{session.token}}` and `{{session.device_id}}` for the first of a session's own values, with
/// class and number for the others: `{{PASSWORD.0}}`, `{{SESSION_ID.0.session-2}}`. A pseudonym stands as it is.
/// `rows` are of this text, sorted, apart and inside it.
[[nodiscard]] std::string marked_for_review(std::string_view text, const std::vector<scrubbers::Redaction>& rows);

}  // namespace tapedeck::tools
