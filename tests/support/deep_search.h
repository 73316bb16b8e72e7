#pragma once
// Searches for secrets by decoding whole texts repeatedly in all known ways, so it needs no list of forms. Slow: use it
// for files of up to a megabyte.

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::tests {

/// The decoders at each level: `usual` is percent, JSON, HTML, base64, hex, and UTF-16; `odd` has hex with any
/// separators and gzip instead of HTML.
enum class Decoders { usual, odd };

/// Returns the indexes of the secrets that occur in `bytes`, plain or after up to `levels` decodings: percent (with '+'
/// for space), JSON escapes, HTML entities, base64 (four offsets, both alphabets), hex (without spaces), or UTF-16.
[[nodiscard]] std::set<std::size_t> deep_search(std::string_view bytes, const std::vector<std::string>& secrets,
                                                int levels = 3, Decoders decoders = Decoders::usual);

/// Does the same for every file below `folder`, including the unpacked rows of SQLite files. `where` gets one line for
/// each secret and file: "3 in run.cassette".
[[nodiscard]] std::set<std::size_t> deep_search_files(const std::filesystem::path& folder,
                                                      const std::vector<std::string>& secrets,
                                                      std::vector<std::string>* where = nullptr,
                                                      Decoders decoders = Decoders::usual);

}  // namespace tapedeck::tests
