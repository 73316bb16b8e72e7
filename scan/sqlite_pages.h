#pragma once
// Takes the pages of a SQLite file apart (https://sqlite.org/fileformat2.html): the values in the cells of every page,
// also of indexes, freed pages, and write-ahead logs, which SQL does not show. A value never includes bytes of the next
// cell.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/descriptor.h"

namespace tapedeck::scan {

/// Where the pages of a file are.
struct PageLayout {
  std::uint32_t page_size = 0;
  std::uint32_t usable = 0;  ///< bytes of a page without the reserved ones at its end
  std::uint64_t first = 0;  ///< offset of the first page; 0: a database, whose first page begins with the file's header
  std::uint64_t stride = 0;  ///< distance of the pages; in a log, each is preceded by a frame header with its number
};
/// Returns nothing unless the file is a database or a write-ahead log. Does not check more than its header.
[[nodiscard]] std::optional<PageLayout> layout_of(const base::Descriptor& file);

[[nodiscard]] inline bool is_log(const PageLayout& layout) { return layout.first > 0; }
/// Returns the offset behind the last complete page.
[[nodiscard]] std::uint64_t end_of_pages(const base::Descriptor& file, const PageLayout& layout);

struct PageVisitor {
  /// A text or blob, and the text before it in its record, which may be its name.
  std::function<void(std::string_view value, std::string_view before, std::uint64_t offset)> value;
  /// Bytes that belong to no cell: what remains of deleted and moved cells, whose complete values are also visited, and
  /// pages without cells. Where a text ends there is unknown.
  std::function<void(std::string_view bytes, std::uint64_t offset)> rest;
  std::function<void(std::uint64_t bytes)> progress;
};
/// Visits every byte of the file in a value or a rest, except numbers, the structure of cells, and zeros. Takes linear
/// time for any file. Returns false if the file could not be read to its end.
[[nodiscard]] bool visit_pages(const base::Descriptor& file, const PageLayout& layout, const PageVisitor& visitor);

}  // namespace tapedeck::scan
