#pragma once
// Makes cassettes for the benchmarks with the product's own scrubber, writer, and finish().

#include <memory>
#include <string>

#include "api/interaction.h"

namespace tapedeck::bench {

class TapeMaker {
 public:
  /// Begins a cassette at `path` and replaces an earlier one.
  explicit TapeMaker(const std::string& path);
  ~TapeMaker();
  TapeMaker(const TapeMaker&) = delete;
  TapeMaker& operator=(const TapeMaker&) = delete;

  /// Adds an interaction in recorded order. Waits while too many are not committed, as clients of a recorder do.
  void add(const api::Interaction& interaction);
  /// Throws std::runtime_error if something was not committed, or if it could not be finished.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::bench
