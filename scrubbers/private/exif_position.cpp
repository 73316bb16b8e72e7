#include "scrubbers/private/exif_position.h"

#include <algorithm>

namespace tapedeck::scrubbers {
namespace {

std::uint32_t number_at(std::string_view text, std::size_t at, std::size_t size, bool little) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t place = at + (little ? size - 1 - i : i);
    value = value << 8 | (place < text.size() ? static_cast<std::uint8_t>(text[place]) : 0u);
  }
  return value;
}

void put_number(std::string& text, std::size_t at, std::uint32_t value, bool little) {
  for (std::size_t i = 0; i < 4; ++i) {
    text[at + (little ? i : 3 - i)] = static_cast<char>(value >> 8 * i);
  }
}

struct Entry {
  std::uint32_t tag = 0, type = 0, count = 0, value = 0;
};

/// The entries of the directory at `offset` of the TIFF data.
std::vector<Entry> directory(std::string_view tiff, std::uint32_t offset, bool little) {
  constexpr std::size_t entry_size = 12, most = 512;
  std::vector<Entry> entries;
  if (offset + 2 > tiff.size()) return entries;
  const std::size_t count = std::min<std::size_t>(number_at(tiff, offset, 2, little), most);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = offset + 2 + i * entry_size;
    if (at + entry_size > tiff.size()) break;
    entries.push_back({number_at(tiff, at, 2, little), number_at(tiff, at + 2, 2, little),
                       number_at(tiff, at + 4, 4, little), number_at(tiff, at + 8, 4, little)});
  }
  return entries;
}

std::vector<ExifPiece> pieces_of(std::string_view tiff, std::size_t base) {
  constexpr std::uint32_t gps_directory = 0x8825, ascii = 2, rational = 5;
  const bool little = tiff.starts_with("II");
  std::vector<ExifPiece> pieces;
  for (const Entry& entry : directory(tiff, number_at(tiff, 4, 4, little), little)) {
    if (entry.tag != gps_directory) continue;
    for (const Entry& gps : directory(tiff, entry.value, little)) {
      const bool is_rational = gps.type == rational || gps.type == rational + 5;
      const std::uint64_t size = std::uint64_t{gps.count} * (is_rational ? 8 : 1);
      if ((!is_rational && gps.type != ascii) || size <= 4 || gps.value + size > tiff.size()) continue;
      pieces.push_back({base + gps.value, base + gps.value + static_cast<std::size_t>(size), is_rational, little});
    }
  }
  std::sort(pieces.begin(), pieces.end(), [](const ExifPiece& a, const ExifPiece& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i].begin < pieces[i - 1].end) return {};
  }
  return pieces;
}

}  // namespace

std::vector<ExifPiece> exif_positions(std::string_view file) {
  constexpr std::string_view jpeg = "\xff\xd8", exif("Exif\0\0", 6);
  if (!file.starts_with(jpeg)) return {};
  for (std::size_t at = 2; at + 4 <= file.size() && static_cast<std::uint8_t>(file[at]) == 0xff;) {
    const auto marker = static_cast<std::uint8_t>(file[at + 1]);
    const std::size_t size = number_at(file, at + 2, 2, false);
    if (marker == 0xda || size < 2) break;
    const std::string_view content = file.substr(at + 4, size - 2);
    if (marker == 0xe1 && content.starts_with(exif)) {
      const std::string_view tiff = content.substr(exif.size());
      return tiff.starts_with("II") || tiff.starts_with("MM") ? pieces_of(tiff, at + 4 + exif.size())
                                                              : std::vector<ExifPiece>();
    }
    at += 2 + size;
  }
  return {};
}

std::string exif_pseudonym(std::string_view file, const ExifPiece& piece, Pseudonyms& pseudonyms) {
  std::string made(file.substr(piece.begin, piece.end - piece.begin));
  if (!piece.is_rational) return pseudonyms.of_text(made);
  constexpr std::uint32_t limits[] = {90, 60, 60};
  const std::array<std::uint8_t, 32> random = pseudonyms.drawn("exif " + made);
  for (std::size_t i = 0; i * 8 + 8 <= made.size(); ++i) {
    const std::uint32_t below = number_at(made, i * 8 + 4, 4, piece.is_little);
    const std::uint64_t most = std::uint64_t{limits[i % 3]} * std::max<std::uint32_t>(below, 1);
    std::uint64_t drawn = 0;
    for (std::size_t k = 0; k < 6; ++k) drawn = drawn << 8 | random[(i * 6 + k) % random.size()];
    put_number(made, i * 8, static_cast<std::uint32_t>(drawn % most), piece.is_little);
  }
  return made;
}

}  // namespace tapedeck::scrubbers
