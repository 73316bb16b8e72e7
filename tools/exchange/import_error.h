#pragma once
// Where a file that is imported is not what it should be.

#include <cstddef>
#include <stdexcept>
#include <string>

namespace tapedeck::tools {

/// Its text names line and column: "line 12, column 3: a session has no number".
class ImportError : public std::runtime_error {
 public:
  /// Both from 1; columns count bytes.
  ImportError(std::size_t line, std::size_t column, const std::string& what)
      : std::runtime_error("line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what) {}
};

}  // namespace tapedeck::tools
