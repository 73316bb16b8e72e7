#pragma once
// Adds a checksum to the end of each page of a cassette, so that a changed bit is found when the page is read. The
// header of the file reserves these bytes, so SQLite does not use them, and any SQLite program can read the file.

#include <functional>
#include <string>
#include <string_view>

#include "cassettes/file/files.h"

namespace tapedeck::cassettes {

/// Returns true if the checksum of a page is right.
[[nodiscard]] bool has_right_checksum(std::string_view page);
/// Writes the checksum of every page of a database, which must not be open anywhere. Throws CassetteError.
void seal_pages(const Descriptor& file, const std::string& path);
/// Reads the whole file and returns true if all checksums are right. `goes_on` is called from time to time; if it
/// returns false, the check ends early and returns true.
[[nodiscard]] bool check_pages(const Descriptor& file, const std::function<bool()>& goes_on = {});

}  // namespace tapedeck::cassettes
