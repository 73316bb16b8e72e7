#pragma once
// Checks that a cassette is what was recorded.

#include <functional>
#include <string>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::cassettes {

/// Reads every interaction with its bodies, which are compared with their SHA-256. Throws CassetteError when something is
/// lacking or is not what was recorded: what is written anew from it would look whole.
void check_content(const CassetteReader& reader);
/// The same, and every page and the file's structure, whatever its size; a recording beside it is not looked at.
void check_cassette(const std::string& path);
/// Reads every page of the reader's file. Throws CassetteError for one that is damaged. `goes_on` is called now and then;
/// false ends the check early. From any thread.
void check_pages(const CassetteReader& reader, const std::function<bool()>& goes_on);
/// Returns whether the file was too large to be checked whole when it was opened.
[[nodiscard]] bool is_checked_later(const CassetteReader& reader);

}  // namespace tapedeck::cassettes
