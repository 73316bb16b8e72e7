#include "scan/sqlite_pages.h"

#include <algorithm>
#include <array>
#include <bit>

#include "scan/byte_tables.h"

namespace tapedeck::scan {

namespace {

constexpr std::size_t longest_chain = 16 * 1024 * 1024;  ///< bytes of one overflow chain that are put together

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  if (at + 4 > bytes.size()) return 0;
  return std::uint32_t{byte_of(bytes[at])} << 24 | std::uint32_t{byte_of(bytes[at + 1])} << 16 |
         std::uint32_t{byte_of(bytes[at + 2])} << 8 | byte_of(bytes[at + 3]);
}

bool is_page_size(std::uint32_t size) { return size >= 512 && size <= 65536 && std::has_single_bit(size); }

void map_database(std::string_view head, std::uint64_t size, PageMap& map) {
  std::uint32_t page_size = std::uint32_t{byte_of(head[16])} << 8 | byte_of(head[17]);
  if (page_size == 1) page_size = 65536;
  if (!is_page_size(page_size)) return;
  map.page_size = page_size;
  map.page_count = number_at(head, 28);
  const std::uint64_t count = (size + page_size - 1) / page_size;
  // The header's count holds only when the file was last written by a version that keeps it.
  if (map.page_count == 0 || number_at(head, 24) != number_at(head, 92))
    map.page_count = static_cast<std::uint32_t>(count);
  map.entries.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) map.entries.push_back({static_cast<std::uint32_t>(i + 1), i * page_size});
}

void map_wal(std::string_view head, const File& file, PageMap& map) {
  constexpr std::uint64_t wal_header = 32;
  constexpr std::uint64_t frame_header = 24;
  const std::uint32_t page_size = number_at(head, 8);
  if (!is_page_size(page_size)) return;
  map.kind = PageMap::Kind::wal;
  map.page_size = page_size;
  // Frames behind the last valid one are old ones: still on the disk, so they count.
  for (std::uint64_t at = wal_header; at + frame_header < file.size(); at += frame_header + page_size) {
    std::array<char, 4> page{};
    if (file.read(at, page) < page.size()) return;
    map.entries.push_back({number_at({page.data(), page.size()}, 0), at + frame_header});
  }
}

void map_journal(std::string_view head, const File& file, PageMap& map) {
  const std::uint32_t page_size = number_at(head, 24);
  const std::uint32_t sector = number_at(head, 20);
  if (!is_page_size(page_size) || sector < 28 || sector > 65536) return;
  map.kind = PageMap::Kind::journal;
  map.page_size = page_size;
  for (std::uint64_t at = sector; at + 4 < file.size(); at += 4 + page_size + 4) {
    std::array<char, 4> page{};
    if (file.read(at, page) < page.size()) return;
    map.entries.push_back({number_at({page.data(), page.size()}, 0), at + 4});
  }
}

}  // namespace

PageMap map_pages(const File& file) {
  PageMap map;
  std::array<char, 100> buffer{};
  const std::string_view head(buffer.data(), file.read(0, buffer));
  constexpr std::string_view database_magic("SQLite format 3\0", 16);
  constexpr std::string_view journal_magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
  if (head.starts_with(database_magic) && head.size() == buffer.size()) map_database(head, file.size(), map);
  if ((number_at(head, 0) & ~1u) == 0x377f0682) map_wal(head, file, map);
  if (head.starts_with(journal_magic)) map_journal(head, file, map);
  return map;
}

PageScanner::PageScanner(const File& file, const PageMap& map, const File* main, const PageMap* main_map,
                         ViewScanner& scanner, Findings& findings)
    : file_(file), map_(map), main_(main), main_map_(main_map), scanner_(scanner), findings_(findings) {
  if (main_map != nullptr && main_map->page_size != map.page_size) main_ = nullptr;
  if (main_ != nullptr) last_page_ = static_cast<std::uint32_t>(main_map_->entries.size());
  if (map.kind == PageMap::Kind::database) {
    last_page_ = static_cast<std::uint32_t>(map.entries.size());
    find_free_pages();
    return;
  }
  for (const PageMap::Entry& entry : map.entries) {
    latest_[entry.page] = entry.offset;
    // A torn side file may hold any number; pages beyond what could be are nobody's overflow page.
    constexpr std::uint32_t largest = 1u << 26;
    if (entry.page < largest) last_page_ = std::max(last_page_, entry.page);
  }
}

bool PageScanner::known_page(std::uint32_t page) const {
  if (page < 2 || page > last_page_) return false;
  return map_.kind == PageMap::Kind::database || main_ != nullptr || latest_.contains(page);
}

bool PageScanner::load(std::uint32_t page, std::string& into) const {
  into.resize(map_.page_size);
  const std::uint64_t in_database = std::uint64_t{page - 1} * map_.page_size;
  if (map_.kind == PageMap::Kind::database) {
    into.resize(file_.read(in_database, into));
  } else if (const auto found = latest_.find(page); found != latest_.end()) {
    into.resize(file_.read(found->second, into));
  } else if (main_ != nullptr) {
    into.resize(main_->read(in_database, into));
  } else {
    into.clear();
  }
  return into.size() > 4;
}

void PageScanner::find_free_pages() {
  std::string page;
  if (!load(1, page)) return;
  std::uint32_t trunk = number_at(page, 32);
  while (trunk > 0 && trunk <= last_page_ && free_.insert(trunk).second && load(trunk, page)) {
    const std::uint32_t leaves = std::min(number_at(page, 4), map_.page_size / 4 - 2);
    for (std::uint32_t i = 0; i < leaves; ++i) free_.insert(number_at(page, 8 + 4 * std::size_t{i}));
    trunk = number_at(page, 0);
  }
}

Place PageScanner::place_of(std::size_t index) const {
  const PageMap::Entry& entry = map_.entries[index];
  Place place;
  place.page = entry.page;
  place.number = static_cast<std::int64_t>(index + 1);
  if (map_.kind == PageMap::Kind::wal) {
    place.kind = Place::Kind::wal;
  } else if (map_.kind == PageMap::Kind::journal) {
    place.kind = Place::Kind::journal;
  } else if (entry.page > map_.page_count) {
    place.kind = Place::Kind::beyond;
  } else {
    place.kind = free_.contains(entry.page) ? Place::Kind::free_page : Place::Kind::page;
  }
  return place;
}

void PageScanner::scan(const std::function<void(std::uint64_t bytes)>& progress) {
  std::string page;
  const ViewScanner::CutFrame follow = [&](Codec codec, std::size_t start) { follow_frame(page, codec, start); };
  for (std::size_t i = 0; i < map_.entries.size(); ++i) {
    page.resize(map_.page_size);
    page.resize(file_.read(map_.entries[i].offset, page));
    scanner_.cut_passed_over(page);
    findings_.at(place_of(i));
    scanner_.on_cut_frame(follow);
    scanner_.scan_item(page, ViewScanner::Shape::part);
    scanner_.on_cut_frame({});
    scan_joints(page);
    progress(map_.page_size);
  }
}

std::vector<std::size_t> PageScanner::overflow_pointers(std::string_view page, std::size_t from,
                                                        std::size_t most) const {
  std::vector<std::size_t> places;
  // Below 2^24 pages the first byte is zero, which makes the search quick; a larger file is nobody's cassette.
  for (std::size_t at = page.find('\0', from); at != std::string_view::npos && at + 4 <= page.size();
       at = page.find('\0', at + 1)) {
    if (!known_page(number_at(page, at))) continue;
    places.push_back(at);
    if (places.size() == most) break;
  }
  return places;
}

void PageScanner::scan_joints(std::string_view page) {
  constexpr std::size_t most = 32;
  const std::size_t reach = std::max<std::size_t>(512, 2 * scanner_.longest_value());
  std::string joints;
  std::string next;
  const auto join = [&](std::string_view before, std::uint32_t target) {
    if (!load(target, next)) return;
    const std::uint32_t after = number_at(next, 0);
    if (after != 0 && !known_page(after)) return;
    joints.append(before.substr(before.size() - std::min(before.size(), reach)));
    joints.append(next, 4, reach);
    joints += '\n';
  };
  // An overflow page says at its beginning where it goes on; a cell at its own end, somewhere in the page.
  if (known_page(number_at(page, 0))) join(page.substr(std::min<std::size_t>(4, page.size())), number_at(page, 0));
  for (const std::size_t at : overflow_pointers(page, 4, most)) join(page.substr(0, at), number_at(page, at));
  if (!joints.empty()) scanner_.scan_item(joints, ViewScanner::Shape::part);
}

std::string PageScanner::chain_from(std::string_view head, std::uint32_t page) const {
  std::string bytes(head);
  std::string next;
  // A chain that runs in a circle ends here too.
  while (known_page(page) && bytes.size() < longest_chain && load(page, next)) {
    bytes.append(next, 4);
    page = number_at(next, 0);
  }
  return bytes;
}

void PageScanner::follow_frame(std::string_view page, Codec codec, std::size_t start) {
  constexpr std::size_t most = 8;
  const std::uint32_t next = number_at(page, 0);
  if (known_page(next)) scanner_.scan_frame(codec, chain_from(page.substr(start), next));
  for (const std::size_t at : overflow_pointers(page, start, most))
    scanner_.scan_frame(codec, chain_from(page.substr(start, at - start), number_at(page, at)));
}

}  // namespace tapedeck::scan
