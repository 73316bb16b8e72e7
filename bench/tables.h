#pragma once
// Formats a report for people.

#include <string>

#include "bench/report.h"

namespace tapedeck::bench {

/// Returns all rows as one table with aligned columns.
[[nodiscard]] std::string plain_table(const Report& report);
/// Returns the same as Markdown for docs/performance.md, with the growth tables. A paragraph before it states when and
/// where it was measured, how much of the machine other programs used, and what was not measured on that day.
[[nodiscard]] std::string markdown_tables(const Report& report);

}  // namespace tapedeck::bench
