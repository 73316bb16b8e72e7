#include "scan/sqlite_pages.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "scan/byte_tables.h"

namespace tapedeck::scan {

namespace {

constexpr std::size_t file_header = 100, log_header = 32, frame_header = 24;
constexpr std::size_t longest_label = 48;  ///< of a text that may name the value after it
/// A record of a deleted cell is only recognized with a shorter header, so that recognizing takes linear time.
constexpr std::size_t longest_deleted_header = 200;

enum PageType : std::uint8_t { index_interior = 2, table_interior = 5, index_leaf = 10, table_leaf = 13 };

std::uint32_t big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < count; ++i) number = number << 8 | byte_of(bytes[at + i]);
  return number;
}

/// A number of 1 to 9 bytes with 7 bits in each, and 8 in the ninth.
struct Varint {
  std::uint64_t value = 0;
  std::size_t size = 0;  ///< 0: the bytes end before the number does
};
Varint varint_at(std::string_view bytes, std::size_t at) {
  constexpr std::size_t longest = 9;
  Varint number;
  for (std::size_t i = 0; i < longest && at + i < bytes.size(); ++i) {
    const std::uint8_t byte = byte_of(bytes[at + i]);
    if (i + 1 == longest) return {number.value << 8 | byte, longest};
    number.value = number.value << 7 | (byte & 0x7f);
    if (byte < 0x80) return {number.value, i + 1};
  }
  return {};
}

enum class Column { number, text, blob };

/// Reads the header of the record at the front of `bytes` and calls visit(column, at, size) for each value, as far as
/// its bytes are there. Returns the record's size, or 0 if it is none or larger than `most`.
template <class Visit>
std::uint64_t read_record(std::string_view bytes, std::size_t longest_header, std::uint64_t most, Visit visit) {
  constexpr std::array<std::uint8_t, 10> sizes = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
  const Varint header = varint_at(bytes, 0);
  if (header.value < header.size || header.value > std::min(longest_header, bytes.size())) return 0;
  std::uint64_t end = header.value;
  for (std::size_t at = header.size; at < header.value;) {
    const Varint type = varint_at(bytes.substr(0, header.value), at);
    if (type.size == 0 || type.value == 10 || type.value == 11) return 0;
    at += type.size;
    const bool is_number = type.value < sizes.size();
    const std::uint64_t size = is_number ? sizes[type.value] : (type.value - 12) / 2;
    if (size > most || end > most - size) return 0;
    const std::size_t begin = std::min<std::uint64_t>(end, bytes.size());
    visit(is_number             ? Column::number
          : type.value % 2 == 1 ? Column::text
                                : Column::blob,
          begin, std::min<std::uint64_t>(size, bytes.size() - begin));
    end += size;
  }
  return end;
}

/// Returns the size of the record at the front of `bytes`, or 0 if it is none.
std::uint64_t visit_record(std::string_view bytes, std::uint64_t offset, const PageVisitor& visitor) {
  std::string_view before;
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  return read_record(bytes, bytes.size(), most, [&](Column column, std::size_t at, std::size_t size) {
    if (column == Column::number) return;
    const std::string_view value = bytes.substr(at, size);
    if (!value.empty()) visitor.value(value, before, offset + at);
    before = column == Column::text && size <= longest_label ? value : std::string_view();
  });
}

std::uint64_t pages_in(const base::Descriptor& file, const PageLayout& layout) {
  const std::uint64_t needed = layout.first + layout.page_size, size = file.size();
  return size < needed ? 0 : (size - needed) / layout.stride + 1;
}

/// A cell of a page.
struct Cell {
  std::size_t payload_at = 0, local = 0;  ///< where its record is, and how much of it is in this page
  std::uint64_t payload = 0;              ///< size of the record
  std::size_t end = 0;
  std::uint32_t chain = 0;  ///< the page with the rest of the record; 0: none
};

/// Returns the cell that begins at `at`, or nothing if the page has no valid one there.
std::optional<Cell> cell_at(std::string_view page, std::size_t at, std::uint8_t type) {
  at += type == index_interior || type == table_interior ? 4 : 0;
  const Varint first = varint_at(page, at);  // a row number in an interior page of a table
  at += first.size;
  if (first.size == 0) return {};
  if (type == table_interior) return Cell{at, 0, 0, at, 0};
  if (type == table_leaf) at += varint_at(page, at).size;
  const std::size_t most = type == table_leaf ? page.size() - 35 : (page.size() - 12) * 64 / 255 - 23;
  const std::size_t least = (page.size() - 12) * 32 / 255 - 23;
  Cell cell{at, first.value, first.value, 0, 0};
  if (first.value > most) {
    const std::size_t some = least + (first.value - least) % (page.size() - 4);
    cell.local = some <= most ? some : least;
  }
  const bool has_chain = cell.payload > cell.local;
  cell.end = at + cell.local + (has_chain ? 4 : 0);
  if (cell.end > page.size()) return {};
  if (has_chain) cell.chain = big_endian(page, at + cell.local, 4);
  const std::string_view record = page.substr(at, cell.local);
  const auto ignore = [](Column, std::size_t, std::size_t) {};
  if (read_record(record, record.size(), cell.payload, ignore) != cell.payload) return {};
  return cell;
}

/// Returns true for bytes that occur in texts.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return byte_of(c) >= 0x20 || c == '\n' || c == '\r' || c == '\t'; });
}

/// Returns the size of the record at the front of `bytes` if it is complete and contains texts (or blobs), or 0.
std::uint64_t size_of_remaining(std::string_view bytes, std::size_t longest_header, bool with_blobs) {
  bool has_text = false, is_valid = true;
  const std::uint64_t size =
      read_record(bytes, longest_header, bytes.size(), [&](Column column, std::size_t at, std::size_t length) {
        has_text = has_text || (column != Column::number && length >= 4);
        is_valid = is_valid && (column == Column::number || (column == Column::blob && with_blobs) ||
                                (column == Column::text && is_plain(bytes.substr(at, length))));
      });
  return has_text && is_valid ? size : 0;
}

/// Returns the record of a deleted or moved leaf cell at the front of `bytes`, or nothing.
std::string_view record_of_cell(std::string_view bytes) {
  const Varint payload = varint_at(bytes, 0);
  const Varint rowid = varint_at(bytes, payload.size);
  for (const std::size_t at : {payload.size + rowid.size, payload.size}) {
    if (payload.value > bytes.size() - std::min(at, bytes.size())) continue;
    const std::string_view record = bytes.substr(at, payload.value);
    if (!record.empty() && size_of_remaining(record, longest_deleted_header, true) == record.size()) return record;
  }
  // A deleted cell has lost its first four bytes, but often not the header of its record. No character of a text is
  // taken for a header.
  constexpr std::uint8_t least = 2, most = 0x1f;
  if (byte_of(bytes[0]) < least || byte_of(bytes[0]) > most) return {};
  return bytes.substr(0, size_of_remaining(bytes, most, false));
}

/// Visits bytes that belong to no cell, and the values of deleted and moved cells that are complete there.
void visit_remains(std::string_view bytes, std::uint64_t offset, const PageVisitor& visitor) {
  const std::size_t begin = bytes.find_first_not_of('\0');
  if (begin == std::string_view::npos) return;
  const std::size_t end = bytes.find_last_not_of('\0') + 1;
  visitor.rest(bytes.substr(begin, end - begin), offset + begin);
  for (std::size_t at = begin; at < end;) {
    const std::string_view record = bytes[at] == 0 ? std::string_view() : record_of_cell(bytes.substr(at));
    if (record.empty()) {
      ++at;
      continue;
    }
    at = static_cast<std::size_t>(record.data() - bytes.data());
    static_cast<void>(visit_record(record, offset + at, visitor));
    at += record.size();
  }
}

class PageWalk {
 public:
  PageWalk(const base::Descriptor& file, const PageLayout& layout, const PageVisitor& visitor)
      : file_(file),
        layout_(layout),
        visitor_(visitor),
        pages_(static_cast<std::uint32_t>(pages_in(file, layout))),
        is_visited_(pages_, false) {}

  [[nodiscard]] bool run() {
    if (is_log(layout_)) number_pages();
    for (std::uint32_t page = 0; page < pages_; ++page) visit_cells(page);
    // What no cell refers to: lists of free pages, deleted values, and pages that are not valid.
    for (std::uint32_t page = 0; page < pages_; ++page) {
      if (!is_visited_[page] && read(page))
        visit_remains(std::string_view(bytes_).substr(0, layout_.usable), offset_of(page), visitor_);
    }
    return !failed_;
  }

 private:
  [[nodiscard]] std::uint64_t offset_of(std::uint32_t page) const { return layout_.first + page * layout_.stride; }
  [[nodiscard]] bool read(std::uint32_t page);
  /// Notes the last version of each page in the log.
  void number_pages();
  [[nodiscard]] std::uint32_t number_of(std::uint32_t page) const;
  /// Visits the page if it is one with cells, and all of them are valid.
  void visit_cells(std::uint32_t page);
  void visit_cell(std::uint64_t offset, std::string_view local, const Cell& cell);
  /// Appends the pages of a chain until it has `size` bytes.
  void append_chain(std::uint32_t number, std::uint64_t size, std::string& value);

  const base::Descriptor& file_;
  const PageLayout& layout_;
  const PageVisitor& visitor_;
  const std::uint32_t pages_;
  std::vector<bool> is_visited_;
  std::unordered_map<std::uint32_t, std::uint32_t> latest_;
  std::string bytes_, chained_;  ///< a page, and a record with its chain
  bool failed_ = false;
};

bool PageWalk::read(std::uint32_t page) {
  bytes_.resize(layout_.page_size);
  const bool got = base::read_at(file_.number(), offset_of(page), bytes_) == layout_.page_size;
  failed_ = failed_ || !got;
  return got;
}

void PageWalk::number_pages() {
  for (std::uint32_t page = 0; page < pages_; ++page) latest_[number_of(page)] = page;
}

std::uint32_t PageWalk::number_of(std::uint32_t page) const {
  if (!is_log(layout_)) return page + 1;
  std::array<char, 4> number{};
  const std::size_t got = base::read_at(file_.number(), offset_of(page) - frame_header, number);
  return got < number.size() ? 0 : big_endian({number.data(), number.size()}, 0, number.size());
}

void PageWalk::visit_cells(std::uint32_t page) {
  visitor_.progress(layout_.stride);
  if (!read(page)) return;
  const std::size_t header = number_of(page) == 1 ? file_header : 0;
  if (header + 12 > layout_.usable) return;
  const std::uint8_t type = byte_of(bytes_[header]);
  const bool is_leaf = type == index_leaf || type == table_leaf;
  if (!is_leaf && type != index_interior && type != table_interior) return;
  const std::size_t pointers = header + (is_leaf ? 8 : 12), count = big_endian(bytes_, header + 3, 2);
  const std::size_t content = pointers + 2 * count;
  if (content > layout_.usable) return;
  const std::string bytes = bytes_.substr(0, layout_.usable);
  std::map<std::size_t, Cell> cells;
  for (std::size_t at = pointers; at < content; at += 2) {
    const std::size_t begin = big_endian(bytes, at, 2);
    const auto cell = begin < content ? std::nullopt : cell_at(bytes, begin, type);
    if (!cell) return;
    cells[begin] = *cell;
  }
  std::size_t end = content;
  for (const auto& [begin, cell] : cells) {
    if (begin < end) return;
    end = cell.end;
  }
  is_visited_[page] = true;
  end = content;
  for (const auto& [begin, cell] : cells) {
    visit_remains(std::string_view(bytes).substr(end, begin - end), offset_of(page) + end, visitor_);
    visit_cell(offset_of(page) + cell.payload_at, std::string_view(bytes).substr(cell.payload_at, cell.local), cell);
    end = cell.end;
  }
  visit_remains(std::string_view(bytes).substr(end), offset_of(page) + end, visitor_);
}

void PageWalk::visit_cell(std::uint64_t offset, std::string_view local, const Cell& cell) {
  std::string_view record = local;
  if (cell.chain != 0) {
    chained_ = local;
    append_chain(cell.chain, cell.payload, chained_);
    record = chained_;
  }
  static_cast<void>(visit_record(record, offset, visitor_));
}

void PageWalk::append_chain(std::uint32_t number, std::uint64_t size, std::string& value) {
  while (value.size() < size) {
    const auto known = latest_.find(number);
    if (is_log(layout_) && known == latest_.end()) return;
    const std::uint32_t page = is_log(layout_) ? known->second : number - 1;
    // Each page is in one chain, so that hostile chains end.
    if (page >= pages_ || is_visited_[page] || !read(page)) return;
    is_visited_[page] = true;
    number = big_endian(bytes_, 0, 4);
    value.append(bytes_, 4, std::min<std::uint64_t>(layout_.usable - 4, size - value.size()));
  }
}

}  // namespace

std::optional<PageLayout> layout_of(const base::Descriptor& file) {
  constexpr std::string_view magic("SQLite format 3\0", 16), log("\x37\x7f\x06", 3);
  std::array<char, file_header> bytes{};
  const std::size_t got = base::read_at(file.number(), 0, bytes);
  const std::string_view header(bytes.data(), got);
  const bool is_log = header.starts_with(log) && got >= log_header;
  if (!is_log && (got < file_header || !header.starts_with(magic))) return {};
  PageLayout layout;
  layout.page_size = is_log ? big_endian(header, 8, 4) : big_endian(header, 16, 2);
  if (layout.page_size == 1) layout.page_size = 65536;
  const bool is_valid =
      layout.page_size >= 512 && layout.page_size <= 65536 && (layout.page_size & (layout.page_size - 1)) == 0;
  if (!is_valid) return {};
  layout.usable = layout.page_size - (is_log ? 0 : byte_of(header[20]));
  if (is_log) layout.first = log_header + frame_header;
  layout.stride = layout.page_size + (is_log ? frame_header : 0);
  return layout;
}

std::uint64_t end_of_pages(const base::Descriptor& file, const PageLayout& layout) {
  const std::uint64_t headers = layout.stride - layout.page_size;
  return layout.first - headers + pages_in(file, layout) * layout.stride;
}

bool visit_pages(const base::Descriptor& file, const PageLayout& layout, const PageVisitor& visitor) {
  return PageWalk(file, layout, visitor).run();
}

}  // namespace tapedeck::scan
