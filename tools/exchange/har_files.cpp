#include "tools/exchange/har_files.h"

#include <filesystem>
#include <stdexcept>

#include "base/decode_stream.h"
#include "base/descriptor.h"
#include "base/system.h"

namespace tapedeck::tools {
namespace {

constexpr std::uint64_t largest_attached = 256u << 20;
constexpr std::string_view zip_mark = "PK\x03\x04", entry_mark = "PK\x01\x02", end_mark = "PK\x05\x06";
constexpr std::size_t entry_head = 46, local_head = 30, end_head = 22;

/// Returns a number of `bytes` bytes in little-endian order. Throws std::out_of_range behind the end.
std::uint64_t number_at(std::string_view zip, std::size_t at, std::size_t bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes; i-- > 0;) number = number << 8 | static_cast<unsigned char>(zip.at(at + i));
  return number;
}

}  // namespace

HarFiles::HarFiles(const std::string& path) : folder_(std::filesystem::path(path).parent_path().string()) {
  auto bytes = base::read_file(path);
  if (!bytes) throw std::runtime_error(path + " cannot be read");
  if (folder_.empty()) folder_ = ".";
  if (!bytes->starts_with(zip_mark)) {
    text_ = std::move(*bytes);
    return;
  }
  zip_ = std::move(*bytes);
  try {
    read_directory();
  } catch (const std::out_of_range&) {
    throw std::runtime_error(path + " is a damaged ZIP file");
  }
  for (const auto& [name, file] : files_) {
    if (!name.ends_with(".har") || !text_.empty()) continue;
    text_ = unpacked(file).value_or("");
  }
  if (text_.empty()) throw std::runtime_error(path + " is a ZIP file without a HAR archive");
}

/// Reads the list of files at the end of the ZIP file.
void HarFiles::read_directory() {
  const std::string_view zip = zip_;
  const std::size_t end = zip.rfind(end_mark);
  if (end == std::string_view::npos || zip.size() - end < end_head) throw std::out_of_range("no end");
  std::size_t at = number_at(zip, end + 16, 4);
  for (std::uint64_t left = number_at(zip, end + 10, 2); left > 0; --left) {
    if (zip.substr(std::min(at, zip.size()), entry_mark.size()) != entry_mark) throw std::out_of_range("no entry");
    const std::size_t name_size = number_at(zip, at + 28, 2);
    Packed file{static_cast<std::uint16_t>(number_at(zip, at + 10, 2)), number_at(zip, at + 42, 4),
                number_at(zip, at + 20, 4), number_at(zip, at + 24, 4)};
    if (at + entry_head + name_size > zip.size()) throw std::out_of_range("no name");
    files_.emplace(zip.substr(at + entry_head, name_size), file);
    at += entry_head + name_size + number_at(zip, at + 30, 2) + number_at(zip, at + 32, 2);
  }
}

std::optional<std::string> HarFiles::unpacked(const Packed& file) const {
  constexpr std::uint16_t stored = 0, deflated = 8;
  const std::string_view zip = zip_;
  try {
    const std::size_t begin =
        file.offset + local_head + number_at(zip, file.offset + 26, 2) + number_at(zip, file.offset + 28, 2);
    if (begin > zip.size() || file.packed_size > zip.size() - begin) return std::nullopt;
    const std::string_view packed = zip.substr(begin, file.packed_size);
    if (file.method == stored) return std::string(packed);
    if (file.method != deflated) return std::nullopt;
    std::string bytes;
    const auto end = base::decode_stream(base::Coding::raw_deflate, packed, [&bytes](std::string_view piece) {
      bytes += piece;
      return bytes.size() <= largest_attached;
    });
    return end.end == base::StreamEnd::whole ? std::optional(std::move(bytes)) : std::nullopt;
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
}

std::optional<std::string> HarFiles::attached(const std::string& name) const {
  if (!zip_.empty()) {
    const auto file = files_.find(name);
    return file == files_.end() ? std::nullopt : unpacked(file->second);
  }
  // An archive from somewhere else must not name files outside of its folder.
  const base::Descriptor folder(base::open_folder(folder_));
  const base::Descriptor file(base::open_beneath(folder.number(), name));
  if (!file.is_regular_file() || file.size() > largest_attached) return std::nullopt;
  return base::read_all(file.number());
}

}  // namespace tapedeck::tools
