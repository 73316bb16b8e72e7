#pragma once
// A search for secrets in what a run left behind, written for the tests alone: it knows neither the scrubber's rules
// nor the leak scan's.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::tests {

/// `secret` as it might stand in a file: raw, percent-encoded (both cases, every byte, twice), JSON-escaped, HTML
/// entities, base64 at three alignments in both alphabets, hex in both cases, UTF-16LE. Without duplicates.
[[nodiscard]] std::vector<std::string> forms_of(std::string_view secret);

/// Files below `folder` that hold `needle` as raw bytes.
[[nodiscard]] std::vector<std::string> search_files(const std::filesystem::path& folder, std::string_view needle);

/// The rows of a SQLite file as sqlite3 dumps them, every blob decoded and unpacked behind them; "" for any other file.
[[nodiscard]] std::string database_texts(const std::filesystem::path& path);

/// "form of secret 2 in run.cassette": for each secret, form and file; the zstd frames of SQLite files are read as well
/// (through the sqlite3 program). Never repeats a secret.
[[nodiscard]] std::vector<std::string> leaks(const std::filesystem::path& folder,
                                             const std::vector<std::string>& secrets);

}  // namespace tapedeck::tests
