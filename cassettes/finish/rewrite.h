#pragma once
// Writes a cassette from a Material. The new file is written beside the existing one, verified and scanned like a
// recording, and then renamed over it. Nothing changes before the rename.

#include <memory>
#include <optional>
#include <string>

#include "cassettes/file/recording_lock.h"
#include "cassettes/finish/finish.h"
#include "cassettes/finish/material.h"

namespace tapedeck::cassettes {

/// A finished cassette, locked against recorders and other rewriters.
class Rewriting {
 public:
  /// Finishes the recording that a killed recorder left beside it. Throws CassetteError.
  explicit Rewriting(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Returns the report about the recording of a killed recorder, if there was one.
  [[nodiscard]] const std::optional<FinishReport>& leftover() const { return leftover_; }
  /// Returns the current content. Use it instead of another reader while the lock is in use.
  [[nodiscard]] Material& content() { return *content_; }
  [[nodiscard]] const CassetteReader& reader() const { return *reader_; }
  /// Replaces the cassette with `content`. Call it once. Fails if the leak scan finds a learned value in the new file;
  /// the old file then stays unchanged.
  [[nodiscard]] FinishReport write(Material& content, const RewriteOptions& options);

 private:
  std::string path_, full_;
  std::optional<FinishReport> leftover_;
  std::optional<RecordingLock> lock_;
  std::unique_ptr<Material> content_;
  std::optional<CassetteReader> reader_;
};

/// Writes to an unused name. Throws CassetteError(io) if the name is in use.
[[nodiscard]] FinishReport write_new(const std::string& path, Material& content, const RewriteOptions& options);

}  // namespace tapedeck::cassettes
