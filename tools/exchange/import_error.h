#pragma once
// Errors in imported files.

#include <cstddef>
#include <stdexcept>
#include <string>

namespace tapedeck::tools {

/// Explains why an entry or a line cannot be imported, without its position.
class EntryFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The message has line and column: "line 12, column 3: a session has no number".
class ImportError : public std::runtime_error {
 public:
  /// Line and column start at 1; columns count bytes.
  ImportError(std::size_t line, std::size_t column, const std::string& what)
      : std::runtime_error("line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what) {}
};

}  // namespace tapedeck::tools
