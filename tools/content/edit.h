#pragma once
// Changes one recorded response (`tapedeck edit`). Texts have marks in place of redactions
// (tools/content/marks.h), so that none is lost. A broken or withheld response that gets a body is complete from then
// on.
//
// Each function throws EditError, and changes nothing, if it cannot make the change.

#include <string>
#include <string_view>

#include "scrubbers/redaction/scrubbed_interaction.h"
#include "tools/content/marks.h"

namespace tapedeck::tools {

/// Replaces the whole body.
void set_body(scrubbers::InteractionRecord& record, std::string_view marked);
/// Replaces the value at a JSON pointer (RFC 6901) with a JSON text. No other byte of the body changes. Adds a missing
/// member to its object, and an array element at the end, or at "-".
void set_value(scrubbers::InteractionRecord& record, std::string_view pointer, std::string_view marked_json);
/// Sets a status from 200 to 599 and its usual reason.
void set_status(scrubbers::InteractionRecord& record, int status);
/// Replaces all headers of this name with "Name: value"; "Name:" removes them. Refuses headers about framing and
/// encoding, which are not stored.
void set_header(scrubbers::InteractionRecord& record, std::string_view line);

/// Returns the response for an editor: status and reason, headers, an empty line, and the body. Adds line breaks to
/// JSON if they can be removed exactly. Throws EditError if the body is not text.
[[nodiscard]] std::string editor_text(const scrubbers::InteractionRecord& record);
/// Changes the response to match the edited text. Does nothing if the text is unchanged.
void take_editor_text(scrubbers::InteractionRecord& record, std::string_view text);

}  // namespace tapedeck::tools
