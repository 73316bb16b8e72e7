#pragma once
// Reads all files of a folder, to show that nothing has changed.

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "cassettes/file/page_checksums.h"

namespace tapedeck::testing {

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Changes a cassette like another program that knows its checksums.
inline void edit_cassette(const std::string& path, const std::string& sql) {
  SQLite::Database(path, SQLite::OPEN_READWRITE).exec(sql);
  cassettes::seal_pages(cassettes::open_file(path, true), path);
}

/// Returns the page size of a SQLite file.
inline std::size_t page_size_of(std::string_view file) {
  const auto byte = [file](std::size_t at) { return std::size_t{static_cast<unsigned char>(file[at])}; };
  return byte(16) << 8 | byte(17);
}

/// Maps names to contents; a folder has the content "folder".
inline std::map<std::string, std::string> folder_state(const std::string& folder) {
  std::map<std::string, std::string> state;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    state[entry.path().filename()] = entry.is_regular_file() ? bytes_of(entry.path()) : "folder";
  }
  return state;
}

}  // namespace tapedeck::testing
