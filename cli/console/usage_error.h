#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace tapedeck::cli {

/// An invalid command line. The exit status is 2, as for every std::invalid_argument that a command throws.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
  /// `hint` is a remedy that works. It is printed on its own line.
  UsageError(const std::string& message, const std::string& hint) : UsageError(message + "\nhint: " + hint) {}
};

/// An option that the command does not have.
class UnknownOption : public UsageError {
 public:
  UnknownOption(const std::string& said, const std::string& hint, std::string name)
      : UsageError(said, hint), message(said), option(std::move(name)) {}
  const std::string message, option;
};

}  // namespace tapedeck::cli
