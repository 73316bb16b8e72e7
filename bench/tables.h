#pragma once
// A report as people read it.

#include <string>

#include "bench/report.h"

namespace tapedeck::bench {

/// All rows as one table of aligned columns.
[[nodiscard]] std::string plain_table(const Report& report);
/// The same as Markdown, growth tables included, for docs/performance.md, under a paragraph that says when and where it
/// was measured, what others took of the machine, and what was not measured on that day.
[[nodiscard]] std::string markdown_tables(const Report& report);

}  // namespace tapedeck::bench
