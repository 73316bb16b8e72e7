#pragma once
// SQLite's files read as pages, without SQLite: what deleted rows left in free pages, in the gaps of live ones and in
// side files is on the disk too.
//
// A long value continues on overflow pages, which need not be neighbours. Where a page holds what looks like the number
// of an overflow page, the two are read together: as text, around the joint, and as a compressed frame that is cut at
// that place. That works without understanding the page, so it works for freed and damaged ones.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "scan/file.h"
#include "scan/findings.h"
#include "scan/view_scanner.h"

namespace tapedeck::scan {

/// Where the pages of a database, a write-ahead log or a rollback journal lie in their file.
struct PageMap {
  enum class Kind { database, wal, journal };
  struct Entry {
    std::uint32_t page;
    std::uint64_t offset;
  };
  Kind kind = Kind::database;
  std::uint32_t page_size = 0;   ///< 0: the file is none of the three, or too damaged to tell
  std::uint32_t page_count = 0;  ///< of a database, by its header; more may lie behind
  std::vector<Entry> entries;
};
/// Looks at the content, not at the name.
[[nodiscard]] PageMap map_pages(const File& file);

class PageScanner {
 public:
  /// `main` is the database that a side file belongs to, with its map, or null.
  PageScanner(const File& file, const PageMap& map, const File* main, const PageMap* main_map, ViewScanner& scanner,
              Findings& findings);

  /// Scans every page; `progress` gets the bytes of each.
  void scan(const std::function<void(std::uint64_t bytes)>& progress);

 private:
  [[nodiscard]] Place place_of(std::size_t index) const;
  [[nodiscard]] bool load(std::uint32_t page, std::string& into) const;
  [[nodiscard]] bool known_page(std::uint32_t page) const;
  [[nodiscard]] std::vector<std::size_t> overflow_pointers(std::string_view page, std::size_t from,
                                                           std::size_t most) const;
  void find_free_pages();
  void scan_joints(std::string_view page);
  void follow_frame(std::string_view page, Codec codec, std::size_t start);
  [[nodiscard]] std::string chain_from(std::string_view head, std::uint32_t page) const;

  const File& file_;
  const PageMap& map_;
  const File* main_;
  const PageMap* main_map_;
  ViewScanner& scanner_;
  Findings& findings_;
  std::uint32_t last_page_ = 0;                              ///< the highest page number that exists anywhere
  std::unordered_map<std::uint32_t, std::uint64_t> latest_;  ///< in a side file: where a page's newest copy is
  std::unordered_set<std::uint32_t> free_;
};

}  // namespace tapedeck::scan
