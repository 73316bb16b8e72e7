#pragma once
// Cassettes as files: opening without surprises, safe names.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace tapedeck::cassettes {

using base::Descriptor;
using base::FileId;

/// Absolute, with the folder's links resolved and the last name as it is. Throws CassetteError for an empty name, a NUL
/// in it, one that begins with "file:" (SQLite would take it for a URI), and a folder that is not there.
[[nodiscard]] std::string full_path(const std::string& path);
/// Opens a regular file, or throws CassetteError. Writing does not follow a link.
[[nodiscard]] Descriptor open_file(const std::string& path, bool for_writing);
/// Creates a file that must not exist, mode 0600. Throws CassetteError.
[[nodiscard]] Descriptor create_file(const std::string& path);
/// Throws CassetteError unless the file is a cassette of this format that is as long as its header says.
void check_header(const Descriptor& file, const std::string& path);

/// The name of the recording beside a cassette, until it is finished.
[[nodiscard]] inline std::string recording_of(const std::string& cassette) { return cassette + ".recording"; }
/// Returns the files that commands of Tapedeck have left beside a cassette, with their paths: a recording that was not
/// finished, and what did not become part of the cassette.
[[nodiscard]] std::vector<std::string> side_files(const std::string& cassette);
/// Returns whether there is a cassette of that name, or a recording that becomes it.
[[nodiscard]] bool is_recorded(const std::string& cassette);

[[nodiscard]] bool exists(const std::string& path);
/// True for a side file that is there and has content.
[[nodiscard]] bool has_content(const std::string& path);
void remove_if_there(const std::string& path);
void sync_file(const Descriptor& file, const std::string& path);
void sync_folder_of(const std::string& path);
/// Renames onto a name that must be free; false when it is not. Throws CassetteError for anything else.
[[nodiscard]] bool rename_to_free(const std::string& from, const std::string& to);
/// Renames over whatever is there. Throws CassetteError.
void rename_over(const std::string& from, const std::string& to);

/// Copies an open file whole into a new one of mode 0600.
void copy_file(const Descriptor& from, const std::string& to);

}  // namespace tapedeck::cassettes
