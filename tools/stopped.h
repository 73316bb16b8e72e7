#pragma once

#include <stdexcept>

namespace tapedeck::tools {

/// The caller said to stop.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped") {}
};

}  // namespace tapedeck::tools
