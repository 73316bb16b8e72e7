// Tests the writer with rows that cannot be stored, and with callbacks that throw.

#include <catch2/catch.hpp>

#include <atomic>
#include <filesystem>
#include <mutex>

#include "cassettes/read/cassette_reader.h"
#include "tests/cassettes/folder_state.h"
#include "tests/support/cassette_fixture.h"
#include "tests/support/needs.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteReader;
using cassettes::CassetteWriter;

namespace {

/// Returns a response longer than a finished cassette can contain, or than SQLite can bind.
Recorded with_answer_of(std::size_t bytes) {
  Recorded recorded = record_target("GET", "/large.bin", std::string(bytes, '\0'));
  recorded.interaction.response.headers.set("Content-Type", "application/octet-stream");
  return recorded;
}

}  // namespace

TEST_CASE(
    "writer: an interaction that cannot be stored is told so, the rest of its group and of the run is committed") {
  for (const std::size_t bytes : {std::size_t{257} << 20, std::size_t{301} << 20}) {
    if (bytes > (std::size_t{300} << 20) && !tests::is_long()) continue;
    INFO(bytes);
    const TestCassette cassette;
    scrubbers::ScrubberOptions scrubbing;
    scrubbing.max_decoded = std::size_t{1} << 30;
    scrubbers::Scrubber scrubber(scrubbing);
    auto writer = std::make_unique<CassetteWriter>(cassette.path(), fixture_take());
    std::mutex mutex;
    std::vector<int> stored, lost;
    const auto append = [&](int n, const Recorded& row) {
      writer->append(scrubber.scrub(row.interaction), [&, n](bool committed) {
        const std::lock_guard lock(mutex);
        (committed ? stored : lost).push_back(n);
      });
    };
    {
      // The first group waits until the others are queued, so that they form one group.
      const std::lock_guard lock(mutex);
      append(0, record("SVC.A/1/get", ok));
      append(1, record("SVC.B/1/get", ok));
      append(2, with_answer_of(bytes));
      append(3, record("SVC.C/1/get", ok));
    }
    writer->flush();
    append(4, record("SVC.D/1/get", ok));
    writer->flush();
    CHECK(stored == std::vector<int>{0, 1, 3, 4});
    CHECK(lost == std::vector<int>{2});
    CHECK(writer->stats().committed == 4);
    CHECK(writer->stats().not_recorded == 1);
    const auto report = cassettes::finish(std::move(writer), {});
    INFO(report.failure);
    REQUIRE(report.finished);
    CHECK(CassetteReader(cassette.path()).info().interactions == 4);
  }
}

TEST_CASE("writer: reports an exception of a callback and continues") {
  const TestCassette cassette;
  scrubbers::Scrubber scrubber({});
  std::vector<std::string> told;
  {
    CassetteWriter writer(cassette.path(), fixture_take());
    writer.on_fault([&](const std::string& what) { told.push_back(what); });
    writer.append(scrubber.scrub(record("SVC.A/1/get", ok).interaction),
                  [](bool) { throw std::runtime_error("the client's connection is odd"); });
    writer.append(scrubber.scrub(record("SVC.B/1/get", ok).interaction), [](bool) { throw 7; });
    writer.flush();
    std::atomic<bool> committed = false;
    writer.append(scrubber.scrub(record("SVC.C/1/get", ok).interaction), [&](bool stored) { committed = stored; });
    writer.flush();
    CHECK(committed);
    CHECK(writer.stats().committed == 3);
  }
  CHECK(told == std::vector<std::string>{"the client's connection is odd", "unknown error"});
}

TEST_CASE("writer: commits stay in the log and can be read there") {
  constexpr std::uint32_t rows = 160;
  constexpr std::size_t bytes = 64u << 10;
  const TestCassette cassette;
  scrubbers::Scrubber scrubber({});
  auto writer = std::make_unique<CassetteWriter>(cassette.path(), fixture_take());
  for (std::uint32_t i = 0; i < rows; ++i) {
    const Recorded row = record_target("GET", "/" + std::to_string(i) + ".bin", std::string(bytes, '\x01'))
                             .at(fixture_start_us + i * 1000, fixture_start_us + i * 1000 + 500);
    writer->append(scrubber.scrub(row.interaction), nullptr, scrubber.generation());
    if (i % 10 == 9) writer->flush();
  }
  writer->flush();
  // SQLite itself would copy at 4 MiB.
  CHECK(std::filesystem::file_size(cassette.path() + ".recording-wal") > rows * bytes);
  CHECK(std::filesystem::file_size(cassette.path() + ".recording") < bytes);
  CHECK(CassetteReader(cassette.path()).info().interactions == rows);
  cassettes::FinishOptions options;
  options.scrubber = &scrubber;
  REQUIRE(cassettes::finish(std::move(writer), options).finished);
  CHECK(CassetteReader(cassette.path()).info().interactions == rows);
}

TEST_CASE("writer: a take with a later begin writes nothing before and then commits its queue") {
  const TestFolder folder;
  const std::string path = folder.file("a.cassette");
  scrubbers::Scrubber scrubber({});
  { const CassetteWriter never(path, fixture_take(), CassetteWriter::Begin::later); }
  CHECK(folder_state(folder.path()).empty());
  for (std::uint64_t take = 1; take <= 2; ++take) {
    const auto before = folder_state(folder.path());
    {
      CassetteWriter never(path, fixture_take(), CassetteWriter::Begin::later);
      never.append(scrubber.scrub(record("SVC.A/1/get", ok).interaction), nullptr);
    }
    CHECK(folder_state(folder.path()) == before);
    auto writer = std::make_unique<CassetteWriter>(path, fixture_take(), CassetteWriter::Begin::later);
    writer->append(scrubber.scrub(record("SVC.A/1/get", ok).interaction), nullptr);
    CHECK(folder_state(folder.path()) == before);
    if (take == 2) CHECK_THROWS(CassetteWriter(path, fixture_take()));  // it is locked
    writer->begin();
    writer->flush();
    CHECK(writer->stats().committed == 1);
    cassettes::FinishOptions options;
    options.scrubber = &scrubber;
    const auto report = cassettes::finish(std::move(writer), options);
    INFO(report.failure);
    CHECK(report.finished);
    CHECK(CassetteReader(path).info().interactions == take);
  }
}

TEST_CASE("writer: an event that cannot be stored affects no response, and is counted and reported") {
  if (!tests::is_long()) return;
  const TestCassette cassette;
  scrubbers::Scrubber scrubber({});
  std::vector<std::string> told;
  std::vector<bool> stored;
  CassetteWriter writer(cassette.path(), fixture_take(), CassetteWriter::Begin::later);
  writer.on_fault([&](const std::string& what) { told.push_back(what); });
  for (const char* const text : {"SVC.A/1/get", "SVC.B/1/get"}) {
    writer.append(scrubber.scrub(record(text, ok).interaction), [&](bool committed) { stored.push_back(committed); });
  }
  const std::string longer_than_a_row(std::size_t{301} << 20, 'x');
  writer.tell({cassettes::TakeEvent::Kind::mark, fixture_start_us, longer_than_a_row});
  writer.tell({cassettes::TakeEvent::Kind::scope_failed, fixture_start_us, "test"});
  writer.begin();
  writer.flush();
  CHECK(stored == std::vector<bool>{true, true});
  CHECK(writer.stats().committed == 2);
  CHECK(writer.stats().events_not_recorded == 1);
  CHECK(told == std::vector<std::string>{"1 marks or results of scopes could not be stored"});
}
