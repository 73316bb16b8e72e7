#pragma once
// Cassettes for the benchmarks, through the product's own scrubber, writer and finish().

#include <memory>
#include <string>

#include "api/interaction.h"

namespace tapedeck::bench {

class TapeMaker {
 public:
  /// Begins a cassette at `path`; an earlier one goes.
  explicit TapeMaker(const std::string& path);
  ~TapeMaker();
  TapeMaker(const TapeMaker&) = delete;
  TapeMaker& operator=(const TapeMaker&) = delete;

  /// In the order of the recording. Waits while too many are not committed yet, as a recorder's clients do.
  void add(const api::Interaction& interaction);
  /// Throws std::runtime_error when not all of it was committed, or it could not be finished.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::bench
