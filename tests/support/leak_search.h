#pragma once
// A search for secrets in the files of a run, written only for tests: it uses neither the scrubber's rules nor the leak
// scan's.

#include <bitset>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tapedeck::tests {

/// Returns the forms of `secret` in files: raw, percent-encoded (both cases, every byte, twice), JSON-escaped, HTML
/// entities, base64 at three alignments in both alphabets, hex in both cases, UTF-16LE. Without duplicates.
[[nodiscard]] std::vector<std::string> forms_of(std::string_view secret);

/// Returns a text with its percent escapes decoded, and with spaces for '+' if `is_form`.
[[nodiscard]] std::string percent_decoded(std::string_view text, bool is_form);

/// Finds many texts in one pass: by eight bytes in the middle of each, and shorter ones one by one.
class TextFinder {
 public:
  /// `value` is reported for each occurrence. Ignores an empty text.
  void add(std::string_view text, std::size_t value);
  void find_in(std::string_view bytes, const std::function<void(std::size_t value, std::size_t at)>& found) const;

 private:
  struct Needle {
    std::string text;
    std::size_t middle, value;
  };
  std::set<std::pair<std::string, std::size_t>> known_;
  std::vector<Needle> short_;
  std::unordered_map<std::string, std::vector<Needle>> by_middle_;
  std::bitset<1U << 20> hashes_;  ///< rules out most places without a look-up
};

/// Returns the files below `folder` that contain `needle` as raw bytes.
[[nodiscard]] std::vector<std::string> search_files(const std::filesystem::path& folder, std::string_view needle);

/// Returns the rows of a SQLite file as sqlite3 dumps them, followed by every blob, decoded and unpacked; "" for any
/// other file.
[[nodiscard]] std::string database_texts(const std::filesystem::path& path);

/// Returns "a form of secret 2 in run.cassette" for each secret and file, including zstd frames of SQLite files
/// (through the sqlite3 program). Contains no secret.
[[nodiscard]] std::vector<std::string> leaks(const std::filesystem::path& folder,
                                             const std::vector<std::string>& secrets);

}  // namespace tapedeck::tests
