#pragma once
// Writes outputs to paths of users: `-o FILE`, `--report FILE`.

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "base/own_file.h"

namespace tapedeck::base {

/// Writes to what a path names, without ever putting a regular file in the place of something else:
///  - nothing, "-", /dev/stdout and /dev/stderr: the stream that has that name; /dev/fd/N: that descriptor
///  - a regular file, or no file yet: a draft beside it, mode 0600, which takes its name in commit(). The output is
///  there
///    whole or not at all
///  - a device, a named pipe or a socket: the thing itself. Opening a pipe waits for its reader
///  - a link or a folder: refused. A link is not followed because it may lead where nobody meant to write
class OutputFile {
 public:
  /// With `is_ours`, also refuses a regular file that has content and was not written by an earlier run. Throws
  /// std::runtime_error with the reason and, behind "; ", what to do.
  explicit OutputFile(std::string path, const IsOurs& is_ours = {});
  /// Removes the draft if commit() was not called.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] std::ostream& stream();
  /// Writes the rest and gives a regular file its name. Throws std::runtime_error if something could not be written.
  /// For standard output, check the state of the stream.
  void commit();

  /// Returns why an OutputFile for this path would throw, or nothing if it would not.
  [[nodiscard]] static std::optional<std::string> why_not(const std::string& path, const IsOurs& is_ours = {});

 private:
  std::string path_, draft_;
  std::unique_ptr<std::streambuf> buffer_;  ///< null for standard output and standard error
  std::unique_ptr<std::ostream> stream_;
};

}  // namespace tapedeck::base
