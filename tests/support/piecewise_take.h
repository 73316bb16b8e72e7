#pragma once
// Records a cassette step by step, as a recorder does: interactions and events in order, then the end.

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/cassette_fixture.h"

namespace tapedeck::testing {

/// A take that is recorded step by step.
class PiecewiseTake {
 public:
  explicit PiecewiseTake(const std::string& path, cassettes::Take take = fixture_take())
      : path_(path), writer_(std::make_unique<cassettes::CassetteWriter>(path, take)) {}

  void add(std::vector<Recorded> rows) {
    for (const Recorded& row : timed(std::move(rows))) writer_->append(scrubber_.scrub(row.interaction), nullptr);
    writer_->flush();
  }
  void tell(cassettes::TakeEvent event) {
    writer_->tell(std::move(event));
    writer_->flush();
  }
  void finish() {
    cassettes::FinishOptions options;
    options.scrubber = &scrubber_;
    const auto report = cassettes::finish(std::move(writer_), options);
    INFO(report.failure);
    REQUIRE(report.finished);
  }
  /// Ends the recording as if its process was killed, and finishes the take as another command would.
  void abandon_and_finish() {
    writer_.reset();
    const auto report = cassettes::finish(path_, {});
    INFO(report.failure);
    REQUIRE(report.finished);
  }

 private:
  std::string path_;
  scrubbers::Scrubber scrubber_{{}};
  std::unique_ptr<cassettes::CassetteWriter> writer_;
};

}  // namespace tapedeck::testing
