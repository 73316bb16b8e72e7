#pragma once
// A search that decodes again and again, for the tests alone: it takes whole texts apart in every way it knows, and so
// needs no list of forms. Slow, and meant for files of a megabyte.

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::tests {

/// What is tried at each level: `usual` is percent, JSON, HTML, base64, hex and UTF-16; `odd` also base32,
/// quoted-printable, octal and `\x` escapes, UTF-32, hex with any separators, and gzip.
enum class Decoders { usual, odd };

/// The indexes of `secrets` that stand in `bytes`: as they are, or after up to `levels` decodings, each of percent
/// (with
/// '+' for space), JSON escapes, HTML entities, base64 (four offsets, both alphabets), hex (spaces left out) or UTF-16.
[[nodiscard]] std::set<std::size_t> deep_search(std::string_view bytes, const std::vector<std::string>& secrets,
                                                int levels = 3, Decoders decoders = Decoders::usual);

/// The same over every file below `folder`, the rows of SQLite files taken out and unpacked as well. `where` gets one
/// line for each secret and file: "3 in run.cassette".
[[nodiscard]] std::set<std::size_t> deep_search_files(const std::filesystem::path& folder,
                                                      const std::vector<std::string>& secrets,
                                                      std::vector<std::string>* where = nullptr,
                                                      Decoders decoders = Decoders::usual);

}  // namespace tapedeck::tests
