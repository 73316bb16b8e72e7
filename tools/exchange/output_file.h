#pragma once
// Where an export goes: standard output, or a file that is there whole or not at all.

#include <fstream>
#include <ostream>
#include <string>

namespace tapedeck::tools {

class OutputFile {
 public:
  /// Empty or "-": standard output. Else the file is written beside its name, mode 0600, since recordings are private.
  /// Throws std::runtime_error.
  explicit OutputFile(std::string path);
  /// Without commit() nothing has changed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] std::ostream& stream();
  /// Gives the file its name, over what had it. Throws std::runtime_error when something could not be written; of
  /// standard output the stream's own state tells, as for every command.
  void commit();

 private:
  std::string path_, draft_;
  std::ofstream file_;
};

}  // namespace tapedeck::tools
