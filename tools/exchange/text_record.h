#pragma once
// One interaction of the text form.

#include <vector>

#include "cassettes/finish/material.h"
#include "tools/exchange/text_source.h"

namespace tapedeck::tools {

struct TextRecord {
  scrubbers::InteractionRecord record;
  cassettes::MaterialItem item;  ///< but for its row
};

/// The source stands at the line `interaction …`, and afterwards at the next one or what follows the last. `takes` are
/// those of the text. Throws ImportError.
[[nodiscard]] TextRecord read_record(TextSource& source, const std::vector<cassettes::TakeRow>& takes);

}  // namespace tapedeck::tools
