#pragma once
// Helpers for the scan's tests: independent encoders, compressors, temporary folders, small databases.

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "scan/leak_scan.h"
#include "tests/support/packing.h"

namespace tapedeck::scan::testing {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tapedeck-scan-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] fs::path operator/(std::string_view name) const { return path_ / name; }
  [[nodiscard]] const fs::path& path() const { return path_; }
  fs::path write(std::string_view name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path_ / name;
  }

 private:
  fs::path path_;
};

inline std::string hex_of(std::string_view text, std::string_view digits, std::string_view between = "") {
  std::string out;
  for (const char c : text) {
    if (!out.empty()) out += between;
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}
inline std::string hex(std::string_view text, std::string_view between = "") {
  return hex_of(text, "0123456789abcdef", between);
}

inline std::string percent_all(std::string_view text) { return "%" + hex_of(text, "0123456789ABCDEF", "%"); }
/// Encodes like a form: required escapes, and `+` for a space.
inline std::string form(std::string_view text, bool lower = false) {
  std::string out;
  for (const char c : text) {
    if (c == ' ') {
      out += '+';
    } else if (isalnum(static_cast<unsigned char>(c)) != 0) {
      out += c;
    } else {
      out += "%" + hex_of({&c, 1}, lower ? "0123456789abcdef" : "0123456789ABCDEF");
    }
  }
  return out;
}
inline std::string json(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '/') out += '\\';
    out += c;
  }
  return out;
}
inline std::string unicode_escapes(std::string_view text) {
  std::string out;
  for (const char c : text) out += "\\u00" + hex({&c, 1});
  return out;
}
inline std::string base64(std::string_view text, bool url = false, bool pad = true) {
  std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (url) alphabet.replace(62, 2, "-_");
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (i + j < text.size() ? static_cast<unsigned char>(text[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      if (i + j <= text.size()) {
        out += alphabet[bits >> (18 - 6 * j) & 63];
      } else if (pad) {
        out += '=';
      }
  }
  return out;
}
using tapedeck::testing::deflated;
using tapedeck::testing::zstd;

inline std::string gzip(std::string_view text) { return deflated(text, 31); }

/// Returns random bytes that are the same on every run.
inline std::string noise(std::size_t size, std::uint64_t seed = 1) {
  std::string out(size, '\0');
  for (char& c : out) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    c = static_cast<char>(seed >> 56);
  }
  return out;
}

class Database {
 public:
  explicit Database(const fs::path& path) {
    if (sqlite3_open(path.c_str(), &db_) != SQLITE_OK) throw std::runtime_error("no database");
  }
  ~Database() { sqlite3_close(db_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  void run(const std::string& sql) const {
    if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
      throw std::runtime_error(sqlite3_errmsg(db_));
  }
  /// Runs a statement with one blob.
  void run(const std::string& sql, std::string_view blob) const {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
      throw std::runtime_error(sqlite3_errmsg(db_));
    sqlite3_bind_blob64(statement, 1, blob.data(), blob.size(), SQLITE_STATIC);
    sqlite3_step(statement);
    sqlite3_finalize(statement);
  }

 private:
  sqlite3* db_ = nullptr;
};

/// Returns all texts of a report, to search for text that must not be in it.
inline std::string said_by(const ScanReport& report) {
  std::string text;
  for (const Finding& finding : report.findings)
    text += finding.path + "\n" + finding.place + "\n" + finding.table + "\n" + finding.column + "\n" + finding.rule +
            "\n" + finding.via + "\n" + finding.fingerprint + "\n";
  for (const std::string& note : report.incomplete) text += note + "\n";
  return text;
}

}  // namespace tapedeck::scan::testing
