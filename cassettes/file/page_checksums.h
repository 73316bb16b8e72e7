#pragma once
// A checksum at the end of each page of a cassette. SQLite leaves the last bytes of a page alone when the file's header
// says so, and any SQLite program reads such a file. A changed bit is found when its page is read: a hash for each row
// was rejected, because rows of indexes and numbers can be damaged as well as bodies.

#include <functional>
#include <string>
#include <string_view>

#include "cassettes/file/files.h"

namespace tapedeck::cassettes {

/// Returns whether the checksum of a whole page is right.
[[nodiscard]] bool has_right_checksum(std::string_view page);
/// Writes the checksum of every page of a database that nobody has open. Throws CassetteError.
void seal_pages(const Descriptor& file, const std::string& path);
/// Reads the whole file and returns whether every page has the right checksum. `goes_on` is called now and then; false
/// ends the check early, which then returns true.
[[nodiscard]] bool check_pages(const Descriptor& file, const std::function<bool()>& goes_on = {});

}  // namespace tapedeck::cassettes
