#pragma once
// The finished file is looked at once more before it may replace what was recorded.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cassettes/finish/survey.h"
#include "cassettes/read/stored_rows.h"

namespace tapedeck::cassettes {

/// Throws CassetteError unless the file opens as any reader would open it, SQLite finds no fault in it, it has that
/// many interactions in whole sequences, each redaction lies inside its text, and each body decompresses to its
/// SHA-256.
/// `see` gets every body that stands there under the dictionary, and where it stands, so that who searches them need
/// not read them again.
void verify(const std::string& path, std::uint64_t interactions, const Progress& progress,
            const std::function<void(const BodyPlace& place, std::string_view body)>& see);

}  // namespace tapedeck::cassettes
