#pragma once
// Checks whether a cassette is unchanged since it was recorded.

#include <functional>
#include <string>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::cassettes {

/// Reads every interaction and compares bodies with their SHA-256. Throws CassetteError if something is missing or
/// changed, because rewriting it would hide that.
void check_content(const CassetteReader& reader);
/// Does the same, and also checks every page and the structure of the file. Ignores a recording beside it.
void check_cassette(const std::string& path);
/// Reads every page of the reader's file. Throws CassetteError if a page is damaged. `goes_on` is called from time to
/// time; if it returns false, the check ends early. Thread-safe.
void check_pages(const CassetteReader& reader, const std::function<bool()>& goes_on);
/// Returns true if the file was too large to be checked as a whole when it was opened.
[[nodiscard]] bool is_checked_later(const CassetteReader& reader);

}  // namespace tapedeck::cassettes
