#pragma once
// Writes outputs to paths that users name: `-o FILE`, `--report FILE`.

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "base/own_file.h"

namespace tapedeck::base {

/// Writes to a path that a user names, and replaces only regular files:
///  - An empty path, "-", /dev/stdout, and /dev/stderr are the standard streams, and /dev/fd/N is that descriptor.
///  - A regular file, or a new one, is written as a draft beside it with mode 0600. commit() renames the draft, so the
///    output is complete or absent.
///  - A device, a named pipe, or a socket is written to directly. Opening a pipe waits for its reader.
///  - A link or a folder is refused, because a link may lead to a file that must not be overwritten.
class OutputFile {
 public:
  /// With `is_ours`, also refuses a regular file that has content and was not written by an earlier run. Throws
  /// std::runtime_error with the reason and, after "; ", the remedy.
  explicit OutputFile(std::string path, const IsOurs& is_ours = {});
  /// Removes the draft if commit() was not called.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] std::ostream& stream();
  /// Writes the rest and gives a regular file its name. Throws std::runtime_error if something could not be written.
  /// For standard output, check the state of the stream.
  void commit();

  /// Returns the reason why an OutputFile for this path would throw, or nothing if it would not.
  [[nodiscard]] static std::optional<std::string> why_not(const std::string& path, const IsOurs& is_ours = {});

 private:
  std::string path_, draft_;
  std::unique_ptr<std::streambuf> buffer_;  ///< null for standard output and standard error
  std::unique_ptr<std::ostream> stream_;
};

}  // namespace tapedeck::base
