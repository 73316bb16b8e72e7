// Tests that acknowledged interactions are stored, whatever happens to the recorder.

#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "cassettes/finish/finish.h"
#include "cassettes/read/cassette_reader.h"
#include "scan/leak_scan.h"
#include "tests/cassettes/child_process.h"
#include "tests/cassettes/folder_state.h"
#include "tests/cassettes/session_id.h"
#include "tests/support/cassette_fixture.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteError;
using cassettes::CassetteReader;
using cassettes::CassetteWriter;

namespace {

Recorded numbered(std::uint32_t number, std::size_t padding = 0) {
  const std::string text = std::to_string(number);
  return record("SVC.Core.Poll/1/get?n=" + text,
                "{\"data\":" + text + ",\"pad\":\"" + std::string(padding, 'x') + "\",\"success\":true}", sid)
      .at(fixture_start_us + number * 1000, fixture_start_us + number * 1000 + 500);
}

/// Appends and waits. Returns true if it was committed.
bool append_one(CassetteWriter& writer, scrubbers::Scrubber& scrubber, const Recorded& row) {
  std::atomic<bool> result = false;
  writer.append(scrubber.scrub(row.interaction), [&](bool committed) { result = committed; });
  writer.flush();
  return result;
}

std::set<std::uint32_t> numbers_in(const CassetteReader& reader) {
  std::set<std::uint32_t> numbers;
  reader.list([&](const auto& line) {
    numbers.insert(static_cast<std::uint32_t>(std::stoul(line.key.substr(line.key.find("n=") + 2))));
    return true;
  });
  return numbers;
}

/// Records until it is killed, and reports acknowledged interactions.
void record_for_ever(const std::string& path, const Child::Send& send) {
  scrubbers::Scrubber scrubber({});
  CassetteWriter writer(path, fixture_take());
  for (std::uint32_t number = 1;; ++number) {
    writer.append(scrubber.scrub(numbered(number, number % 3000).interaction), [&send, number](bool committed) {
      if (committed) send(number);
    });
    if (number % 64 == 0) writer.flush();
  }
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const CassetteError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("durability: acknowledged interactions survive SIGKILL, and every command finishes them") {
  for (const std::size_t received : {1u, 40u, 700u}) {
    const TestFolder folder;
    const std::string path = folder.file("killed.cassette");
    std::vector<std::uint32_t> acknowledged;
    {
      Child child([&](const Child::Send& send) { record_for_ever(path, send); });
      acknowledged = child.receive(received);
      child.end();
      const auto rest = child.receive_all();
      acknowledged.insert(acknowledged.end(), rest.begin(), rest.end());
    }
    REQUIRE(acknowledged.size() >= received);
    const auto before = folder_state(folder.path());
    {
      const CassetteReader reader(path);
      CHECK_FALSE(reader.info().finished);
      CHECK_FALSE(reader.info().verified);
      const auto found = numbers_in(reader);
      CHECK(std::includes(found.begin(), found.end(), acknowledged.begin(), acknowledged.end()));
      CHECK(numbers_in(reader.clone()) == found);
    }
    const scan::ScanReport scanned = scan::scan_file(path, {});
    REQUIRE(scanned.unsettled.size() == 1);
    CHECK(scanned.unsettled[0].find("is an unfinished recording") != std::string::npos);
    CHECK(folder_state(folder.path()) == before);

    record_take(path, {record("SVC.Core.Poll/1/get?n=900000", ok, sid)});
    const CassetteReader reader(path);
    CHECK(reader.info().finished);
    REQUIRE(reader.info().takes.size() == 2);
    CHECK_FALSE(reader.info().takes[0].verified);
    CHECK(reader.info().takes[1].verified);
    const auto found = numbers_in(reader);
    CHECK(std::includes(found.begin(), found.end(), acknowledged.begin(), acknowledged.end()));
    CHECK(folder_state(folder.path()).size() == 1);
  }
}

TEST_CASE("durability: an abandoned recording is finished but unverified until its values are given") {
  const TestFolder folder;
  const std::string path = folder.file("left.cassette");
  {
    scrubbers::Scrubber scrubber({});
    CassetteWriter writer(path, fixture_take());
    REQUIRE(append_one(writer, scrubber, numbered(1)));
  }
  CHECK_FALSE(CassetteReader(path).info().finished);
  CHECK(cassettes::finish(path, {}).finished);
  CHECK(CassetteReader(path).info().finished);
  CHECK_FALSE(CassetteReader(path).info().verified);
  scrubbers::Scrubber scrubber({});
  cassettes::FinishOptions options;
  options.scrubber = &scrubber;
  const cassettes::FinishReport unknown = cassettes::finish(path, options);
  CHECK(unknown.finished);
  CHECK(unknown.unverified == 1);
  CHECK_FALSE(CassetteReader(path).info().verified);
  scrubber.teach("Some-Value-That-Was-Learned-77");
  options.knows_values = true;
  CHECK(cassettes::finish(path, options).unverified == 0);
  CHECK(CassetteReader(path).info().verified);
}

TEST_CASE("durability: a second recorder is refused with the process that uses the cassette") {
  const TestFolder folder;
  const std::string path = folder.file("busy.cassette");
  Child child([&](const Child::Send& send) { record_for_ever(path, send); });
  REQUIRE(child.receive(10).size() == 10);
  const std::string expected = path + ".recording is already being recorded by another tapedeck (process " +
                               std::to_string(child.process()) + ")";
  CHECK(message_of([&] { CassetteWriter(path, fixture_take()); }) == expected);
  CHECK(message_of([&] { static_cast<void>(cassettes::finish(path, {})); }) == expected);
  // Concurrent reading is allowed, and the recorder continues.
  CHECK(numbers_in(CassetteReader(path)).size() >= 10);
  CHECK(child.receive(2000).size() == 2000);
}

TEST_CASE("durability: the same process can read its recording, but not record it twice") {
  const TestFolder folder;
  const std::string path = folder.file("own.cassette");
  record_take(path, {numbered(1)});
  const std::string before = bytes_of(path);
  const auto early = std::make_unique<CassetteReader>(path);
  scrubbers::Scrubber scrubber({});
  CassetteWriter writer(path, fixture_take());
  REQUIRE(append_one(writer, scrubber, numbered(2)));
  CHECK(message_of([&] { CassetteWriter(path, fixture_take()); }) ==
        path + ".recording is already being recorded by this process");
  for (const char* suffix : {".recording", ".recording-wal", ".recording-shm"}) {
    struct stat status {};
    REQUIRE(stat((path + suffix).c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
  }
  CHECK(bytes_of(path) == before);
  CHECK(numbers_in(*early) == std::set<std::uint32_t>{1});
  CHECK(numbers_in(CassetteReader(path)) == std::set<std::uint32_t>{1, 2});
  REQUIRE(append_one(writer, scrubber, numbered(3)));
  CHECK(numbers_in(CassetteReader(path)) == std::set<std::uint32_t>{1, 2, 3});
  CHECK(numbers_in(early->clone()) == std::set<std::uint32_t>{1});
}

TEST_CASE("durability: after_group is called after all callbacks of the group") {
  const TestFolder folder;
  CassetteWriter writer(folder.file("groups.cassette"), fixture_take());
  scrubbers::Scrubber scrubber({});
  std::size_t told = 0, in_groups = 0;
  writer.after_group([&] { in_groups = told; });
  for (std::uint32_t number = 1; number <= 20; ++number) {
    writer.append(scrubber.scrub(numbered(number).interaction), [&told](bool) { ++told; });
  }
  writer.flush();
  CHECK(told == 20);
  CHECK(in_groups == 20);
}

TEST_CASE("durability: a reader continues while a take is added and the file is replaced") {
  const TestFolder folder;
  const std::string path = folder.file("served.cassette");
  record_take(path, {numbered(1), numbered(2)});
  const CassetteReader served(path);
  const std::set<std::uint32_t> both = {1, 2};
  record_take(path, {numbered(3)});
  CHECK(numbers_in(served) == both);
  CHECK(numbers_in(served.clone()) == both);
  std::filesystem::remove(path);
  CHECK(numbers_in(served.clone()) == both);
}

TEST_CASE("durability: opening and closing a reader does not drop the recorder's locks") {
  const TestFolder folder;
  const std::string path = folder.file("locks.cassette");
  scrubbers::Scrubber scrubber({});
  CassetteWriter writer(path, fixture_take());
  REQUIRE(append_one(writer, scrubber, numbered(2)));
  static_cast<void>(numbers_in(CassetteReader(path)));
  // Another process sees SQLite's lock and its owner.
  Child child([&](const Child::Send& send) {
    const std::string message = message_of([&] { CassetteWriter(path, fixture_take()); });
    send(message.find("(process " + std::to_string(getppid()) + ")") != std::string::npos ? 1 : 0);
  });
  CHECK(child.receive_all() == std::vector<std::uint32_t>{1});
}

TEST_CASE("durability: the result of a scope outlasts a full disk, or is counted and reported") {
  const TestFolder folder;
  for (const bool has_room_later : {true, false}) {
    const std::string path = folder.file(has_room_later ? "later.cassette" : "never.cassette");
    Child child([&](const Child::Send& send) {
      signal(SIGXFSZ, SIG_IGN);
      scrubbers::Scrubber scrubber({});
      CassetteWriter writer(path, fixture_take());
      unsigned faults = 0;
      writer.on_fault([&](const std::string&) { ++faults; });
      if (!append_one(writer, scrubber, numbered(1).in_scope("test"))) _exit(4);
      rlimit limit{};
      getrlimit(RLIMIT_FSIZE, &limit);
      const rlimit none{0, limit.rlim_max};
      setrlimit(RLIMIT_FSIZE, &none);
      std::promise<bool> stored;
      writer.append(scrubber.scrub(numbered(2).in_scope("test").interaction),
                    [&](bool committed) { stored.set_value(committed); });
      writer.tell({cassettes::TakeEvent::Kind::scope_failed, fixture_start_us + 10'000'000, "test"});
      if (stored.get_future().get()) _exit(5);
      if (has_room_later) setrlimit(RLIMIT_FSIZE, &limit);
      writer.flush();
      send(static_cast<std::uint32_t>(writer.stats().events_not_recorded));
      send(faults);
    });
    CHECK(child.receive_all() ==
          (has_room_later ? std::vector<std::uint32_t>{0, 0} : std::vector<std::uint32_t>{1, 1}));
    CHECK(child.wait() == 0);
    if (!has_room_later) continue;
    static_cast<void>(cassettes::finish_leftover(path));
    CHECK(CassetteReader(path).info().interactions == 0);
  }
}

TEST_CASE("durability: a full disk loses nothing acknowledged, and recording resumes later") {
  const TestFolder folder;
  const std::string path = folder.file("full.cassette");
  Child child([&](const Child::Send& send) {
    signal(SIGXFSZ, SIG_IGN);
    scrubbers::Scrubber scrubber({});
    CassetteWriter writer(path, fixture_take());
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit small{1 << 20, limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    std::uint32_t number = 1;
    while (append_one(writer, scrubber, numbered(number, 20000))) send(number++);
    if (writer.stats().not_recorded != 1) _exit(4);
    setrlimit(RLIMIT_FSIZE, &limit);
    for (++number; number % 10 != 0; ++number) {
      if (append_one(writer, scrubber, numbered(number, 20000))) send(number);
    }
  });
  const auto acknowledged = child.receive_all();
  CHECK(child.wait() == 0);
  REQUIRE(acknowledged.size() > 10);
  const auto found = numbers_in(CassetteReader(path));
  CHECK(found == std::set<std::uint32_t>(acknowledged.begin(), acknowledged.end()));
  CHECK(acknowledged.back() % 10 == 9);
}

TEST_CASE("durability: many threads append, and each callback is called once") {
  const TestFolder folder;
  const std::string path = folder.file("threads.cassette");
  scrubbers::Scrubber scrubber({});
  std::atomic<int> told = 0;
  {
    CassetteWriter writer(path, fixture_take());
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (std::uint32_t i = 0; i < 100; ++i) {
          writer.append(scrubber.scrub(numbered(1 + t * 100 + i).interaction), [&](bool ok) { told += ok ? 1 : 0; });
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    writer.flush();
    CHECK(told == 400);
    CHECK(writer.stats().committed == 400);
    CHECK(writer.stats().commits <= 400);
  }
  CHECK(numbers_in(CassetteReader(path)).size() == 400);
}

TEST_CASE("durability: an empty recording leaves no file, even if it is killed") {
  const TestFolder folder;
  const std::string path = folder.file("a.cassette");
  { const CassetteWriter writer(path, fixture_take()); }
  CHECK(folder_state(folder.path()).empty());
  for (int kills = 0; kills < 20; ++kills) {
    Child child([&](const Child::Send& send) {
      for (std::uint32_t made = 1;; ++made) {
        { const CassetteWriter writer(path, fixture_take()); }
        send(made);
      }
    });
    (void)child.receive(1 + static_cast<std::size_t>(kills) % 3);
    child.end();
    static_cast<void>(cassettes::finish_leftover(path));
    std::filesystem::remove(path);
    CHECK(folder_state(folder.path()).empty());
  }
}

TEST_CASE("durability: with kept_when_killed false, a killed recording becomes the failed one") {
  const TestFolder folder;
  const std::string path = folder.file("a.cassette");
  record_take(path, {numbered(1)});
  const std::string before = bytes_of(path);
  {
    scrubbers::Scrubber scrubber({});
    CassetteWriter writer(path, fixture_take(), CassetteWriter::Begin::now, {false, false});
    REQUIRE(append_one(writer, scrubber, numbered(2)));
  }
  CHECK(numbers_in(CassetteReader(path)) == std::set<std::uint32_t>{1});
  const auto report = cassettes::finish_leftover(path);
  REQUIRE(report);
  CHECK(report->failed == path + ".failed");
  CHECK(bytes_of(path) == before);
  CHECK(numbers_in(CassetteReader(report->failed)) == std::set<std::uint32_t>{1, 2});
  CHECK(folder_state(folder.path()).size() == 2);
}

TEST_CASE("durability: a take that the cassette already has is not finished twice") {
  const TestFolder folder;
  const std::string path = folder.file("a.cassette");
  {
    scrubbers::Scrubber scrubber({});
    CassetteWriter writer(path, fixture_take());
    REQUIRE(append_one(writer, scrubber, numbered(1)));
  }
  // This is the state if the recorder is killed between the rename and its end.
  const std::string recording = bytes_of(path + ".recording");
  REQUIRE(cassettes::finish_leftover(path));
  const std::string finished = bytes_of(path);
  write_bytes(path + ".recording", recording);
  CHECK(numbers_in(CassetteReader(path)).size() == 1);
  CHECK_FALSE(cassettes::finish_leftover(path));
  CHECK(bytes_of(path) == finished);
  CHECK(folder_state(folder.path()).size() == 1);
}
