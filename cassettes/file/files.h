#pragma once
// Cassettes as files: opening without surprises, the lock against a second recorder, safe names.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace tapedeck::cassettes {

using base::Descriptor;
using base::FileId;

/// What the first 100 bytes of an SQLite file say. Big-endian fields of SQLite's file format §1.3.
struct FileHeader {
  std::uint64_t file_size = 0;
  std::uint32_t page_size = 0;
  std::uint32_t page_count = 0;
  int format = 0;  ///< user_version
  bool wal = false;
};

/// Absolute, with the folder's links resolved and the last name as it is. Throws CassetteError for an empty name, a NUL
/// in it, one that begins with "file:" (SQLite would take it for a URI), and a folder that is not there.
[[nodiscard]] std::string full_path(const std::string& path);
/// Opens a regular file, or throws CassetteError. Writing does not follow a link.
[[nodiscard]] Descriptor open_file(const std::string& path, bool for_writing);
/// Creates a file that must not exist, mode 0600. Throws CassetteError.
[[nodiscard]] Descriptor create_file(const std::string& path);
/// Throws CassetteError unless the file is a cassette of a format that can be read.
[[nodiscard]] FileHeader check_header(const Descriptor& file, const std::string& path);

[[nodiscard]] bool exists(const std::string& path);
/// True for a side file that is there and has content.
[[nodiscard]] bool has_content(const std::string& path);
void remove_if_there(const std::string& path);
/// Does nothing to a file that somebody holds a RecordingLock of, nor to one that cannot be opened.
void remove_unless_locked(const std::string& path);
void sync_file(const Descriptor& file, const std::string& path);
void sync_folder_of(const std::string& path);
/// Renames onto a name that must be free; false when it is not. Throws CassetteError for anything else.
[[nodiscard]] bool rename_to_free(const std::string& from, const std::string& to);
/// Renames over whatever is there. Throws CassetteError.
void rename_over(const std::string& from, const std::string& to);

/// The right to record into a file: flock on a descriptor of its own, and a note for this process.
///
/// The note is needed because POSIX drops every lock of a process on a file when any of its descriptors of that file is
/// closed, SQLite's included: a reader in the same process must neither open nor close the file while it is recorded.
class RecordingLock {
 public:
  /// Throws CassetteError(in_use) when another recorder has it, in this process or another.
  [[nodiscard]] static RecordingLock take(const std::string& path);
  /// For a file just made, not yet at its name.
  RecordingLock(Descriptor file, const std::string& path);
  ~RecordingLock();
  RecordingLock(RecordingLock&&) noexcept = default;
  RecordingLock& operator=(RecordingLock&&) = delete;

  [[nodiscard]] const Descriptor& file() const { return file_; }

  /// True when this process records into that file.
  [[nodiscard]] static bool held_here(FileId file);
  /// Keeps what must not be closed while the file is recorded in this process; false when it is not.
  static bool keep_open(FileId file, std::shared_ptr<void> what);

 private:
  Descriptor file_;
  FileId id_;
};

/// True when another process holds the RecordingLock of an open file.
[[nodiscard]] bool recorded_elsewhere(const Descriptor& file);

/// A private folder under $TMPDIR, mode 0700; removed with what is in it.
class PrivateFolder {
 public:
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  [[nodiscard]] std::string file(std::string_view name) const;

 private:
  std::string path_;
};
/// Copies an open file whole into a new one of mode 0600.
void copy_file(const Descriptor& from, const std::string& to);

}  // namespace tapedeck::cassettes
