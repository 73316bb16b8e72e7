#pragma once

#include <stdexcept>

namespace tapedeck::tools {

/// Thrown if the caller requests to stop.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped") {}
};

}  // namespace tapedeck::tools
