#pragma once

#include <stdexcept>

namespace tapedeck::cli {

/// The command line asks for something that cannot be done: one line for the user, exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tapedeck::cli
