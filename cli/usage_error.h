#pragma once

#include <stdexcept>
#include <string>

namespace tapedeck::cli {

/// A command line that cannot be run: exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// `hint` is a remedy that works; it is printed on a line of its own.
  UsageError(const std::string& message, const std::string& hint) : UsageError(message + "\nhint: " + hint) {}
};

}  // namespace tapedeck::cli
