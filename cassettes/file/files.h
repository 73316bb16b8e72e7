#pragma once
// Opens, creates, and renames the files of cassettes.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace tapedeck::cassettes {

using base::Descriptor;
using base::FileId;

/// Returns an absolute path, with the links of the folder resolved and the last name unchanged. Throws CassetteError
/// for an empty name, one with a NUL, one that begins with "file:" (which SQLite would read as a URI), and a missing
/// folder.
[[nodiscard]] std::string full_path(const std::string& path);
/// Opens a regular file, or throws CassetteError. Does not follow links for writing.
[[nodiscard]] Descriptor open_file(const std::string& path, bool for_writing);
/// Throws CassetteError if the file is a Git LFS pointer. Leaves all other problems to later steps.
void refuse_lfs_pointer(const std::string& path);
/// Creates a file with mode 0600 that must not exist. Throws CassetteError.
[[nodiscard]] Descriptor create_file(const std::string& path);
/// An open finished cassette, shared by all connections to it.
using OpenCassette = std::shared_ptr<const Descriptor>;
/// Opens the cassette at this path and ignores a recording beside it. Throws CassetteError unless it is a cassette of
/// this format and has the length in its header.
[[nodiscard]] OpenCassette open_cassette(const std::string& path);

/// Returns the path of the recording beside a cassette.
[[nodiscard]] inline std::string recording_of(const std::string& cassette) { return cassette + ".recording"; }
/// Returns the paths of files that commands of Tapedeck left beside a cassette: an unfinished recording, and recordings
/// that did not become part of the cassette.
[[nodiscard]] std::vector<std::string> side_files(const std::string& cassette);
/// Returns true if there is a cassette at this path, or a recording that becomes it.
[[nodiscard]] bool is_recorded(const std::string& cassette);

[[nodiscard]] bool exists(const std::string& path);
/// Returns true if the file exists and is not empty.
[[nodiscard]] bool has_content(const std::string& path);
void remove_if_there(const std::string& path);
void sync_file(const Descriptor& file, const std::string& path);
void sync_folder_of(const std::string& path);
/// Renames a file to an unused name. Returns false if the name is in use. Throws CassetteError for other errors.
[[nodiscard]] bool rename_to_free(const std::string& from, const std::string& to);
/// Renames a file and replaces an existing one. Throws CassetteError.
void rename_over(const std::string& from, const std::string& to);

/// Copies an open file into a new one with mode 0600.
void copy_file(const Descriptor& from, const std::string& to);

}  // namespace tapedeck::cassettes
