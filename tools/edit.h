#pragma once
// Changing one recorded response (`tapedeck set`, `tapedeck edit`). Texts are as tools/marks.h has them: redacted places
// as marks, so that none is lost. What was cut or withheld and gets a body is complete from then on.
//
// Each function throws EditError when it cannot make the change; then nothing has changed.

#include <string>
#include <string_view>

#include "scrubbers/scrubbed_interaction.h"
#include "tools/marks.h"

namespace tapedeck::tools {

/// The whole body.
void set_body(scrubbers::InteractionRecord& record, std::string_view marked);
/// The value at a JSON pointer (RFC 6901) becomes that JSON text. Nothing else of the body changes by a byte. A member
/// that is not there is added to its object; an array's element at its end, or at "-".
void set_value(scrubbers::InteractionRecord& record, std::string_view pointer, std::string_view marked_json);
/// 200 to 599; its reason becomes the usual one.
void set_status(scrubbers::InteractionRecord& record, int status);
/// "Name: value" instead of all lines of that name; "Name:" takes them out. Lines that say how a body is framed or
/// packed are not stored, and refused.
void set_header(scrubbers::InteractionRecord& record, std::string_view line);

/// The response for an editor: status and reason, header lines, an empty line, the body (JSON laid out where that loses
/// nothing). Throws EditError if the body is not text.
[[nodiscard]] std::string editor_text(const scrubbers::InteractionRecord& record);
/// The inverse. A text that is as editor_text() made it changes nothing at all.
void take_editor_text(scrubbers::InteractionRecord& record, std::string_view text);

}  // namespace tapedeck::tools
