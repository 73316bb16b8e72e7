#pragma once
// A search for secrets in the files of a run, written only for tests: it uses neither the scrubber's rules nor the leak
// scan's.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::tests {

/// Returns the forms of `secret` in files: raw, percent-encoded (both cases, every byte, twice), JSON-escaped, HTML
/// entities, base64 at three alignments in both alphabets, hex in both cases, UTF-16LE. Without duplicates.
[[nodiscard]] std::vector<std::string> forms_of(std::string_view secret);

/// Returns the files below `folder` that contain `needle` as raw bytes.
[[nodiscard]] std::vector<std::string> search_files(const std::filesystem::path& folder, std::string_view needle);

/// Returns the rows of a SQLite file as sqlite3 dumps them, followed by every blob, decoded and unpacked; "" for any
/// other file.
[[nodiscard]] std::string database_texts(const std::filesystem::path& path);

/// Returns "form of secret 2 in run.cassette" for each secret, form, and file, including zstd frames of SQLite files
/// (through the sqlite3 program). Contains no secret.
[[nodiscard]] std::vector<std::string> leaks(const std::filesystem::path& folder,
                                             const std::vector<std::string>& secrets);

}  // namespace tapedeck::tests
