// Makes large cassettes, to measure what commands need for them (docs/performance.md). Runs only when it is selected by its tag.
//   TAPEDECK_LARGE=FOLDER build/dev/tests/tools_tests "[large]"

#include <stdlib.h>

#include <catch2/catch.hpp>

#include <filesystem>
#include <random>

#include "tests/support/cassette_fixture.h"

namespace tapedeck::tools {

namespace {

using namespace testing;

constexpr int interactions = 100'000, keys = 25'000, changed = 1'000;

/// Returns 3 kB that differ for each number and do not compress well.
std::string body_of(int number, bool other) {
  std::mt19937 random(static_cast<unsigned>(number));
  std::string body = R"({"data":{"items":[)";
  for (int i = 0; body.size() < 2900; ++i) {
    if (i > 0) body += ',';
    body += R"({"id":)" + std::to_string(random()) + R"(,"name":"item )" + std::to_string(random() % 1000) +
            R"(","status":")" + (random() % 2 ? "normal" : "degraded") + R"(","size":)" + std::to_string(random()) +
            "}";
  }
  // The total differs between the responses to a key, which is noise. The real changes are not noise.
  return body + R"(],"mode":)" + (other ? R"("raid 6")" : R"("raid 5")") + R"(,"offset":0,"total":)" +
         std::to_string(number) + R"(},"success":true})";
}

void make_large(const std::string& path, bool other) {
  cassettes::Take take = fixture_take();
  take.id = "0123456789abcdef";
  auto writer = std::make_unique<cassettes::CassetteWriter>(path, take);
  scrubbers::Scrubber scrubber({});
  for (int i = 0; i < interactions; ++i) {
    const int key = i % keys;
    const bool differs = other && i % (interactions / changed) == 0;
    const std::string call = "SVC.Core.Part" + std::to_string(key % 50) + "/1/list?offset=" + std::to_string(key);
    const std::int64_t start = fixture_start_us + i * 1000;
    const std::uint64_t known = scrubber.generation();
    writer->append(scrubber.scrub(record(call, body_of(i, differs)).at(start, start + 500 + i % 700).interaction),
                   nullptr, known);
    if (i % 500 == 0) writer->flush();
  }
  cassettes::FinishOptions options;
  options.scrubber = &scrubber;
  const cassettes::FinishReport report = cassettes::finish(std::move(writer), options);
  INFO(report.failure);
  REQUIRE(report.finished);
}

}  // namespace

TEST_CASE("large: compares two cassettes of 100,000 interactions that differ in 1,000", "[.][large]") {
  const char* const folder = std::getenv("TAPEDECK_LARGE");
  if (folder == nullptr) return;
  make_large(std::string(folder) + "/one.cassette", false);
  make_large(std::string(folder) + "/other.cassette", true);
}

}  // namespace tapedeck::tools
