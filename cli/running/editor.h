#pragma once
// Opens the user's editor, for `tapedeck edit`.

#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cli {

/// Lets the user change the response in $VISUAL, $EDITOR, or vi, and waits for it. Returns false if the text is
/// unchanged. Throws UsageError if the text is not a valid response (the text is kept in a file), or std::runtime_error
/// if the editor fails.
[[nodiscard]] bool edit_in_editor(scrubbers::InteractionRecord& record);

}  // namespace tapedeck::cli
