// Tests power loss at any moment: interactions that a client received are in the cassette, and a command that rewrites
// a cassette leaves the old one or the new one. The disk has all synced data, and any part of the rest in any order.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <random>
#include <set>

#include "tests/e2e/fault_client.h"
#include "tests/e2e/harness.h"
#include "tests/support/fault_device.h"
#include "tests/support/needs.h"
#include "tests/support/power/power_log.h"
#include "tests/support/proc.h"
#include "tests/support/test_paths.h"

namespace tapedeck::tests::power_loss_cases {
namespace {

/// Returns the number of tested moments of one run.
std::size_t moments() { return is_long() ? 1000 : 12; }

/// A folder whose files are on the disk that loses power, and beside it the trace of operations on them.
struct Disk {
  TempDir temporary;
  std::string folder = std::filesystem::canonical(temporary.path()) / "disk";
  std::string trace = temporary / "trace";

  Disk() { std::filesystem::create_directory(folder); }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> traced() const {
    return power::environment(power_tracer, folder, trace);
  }
  [[nodiscard]] std::string operator/(const std::string& name) const { return folder + "/" + name; }
};

/// Calls look(folder, steps) for possible states of the disk after some moments of the run.
void each_crash(const power::PowerLog& log, unsigned seed, bool are_syncs_kept,
                const std::function<void(const TempDir&, std::size_t steps)>& look) {
  std::mt19937 random(seed);
  const std::vector<std::size_t> turning = log.turning_points();
  for (std::size_t i = 0; i < moments(); ++i) {
    const std::size_t steps = random() % 2 == 0 ? turning[random() % turning.size()] : random() % (log.size() + 1);
    const TempDir found;
    log.restore(steps, random, found.path(), are_syncs_kept);
    look(found, steps);
  }
}

/// Records this number of calls into "c.cassette" on that disk and ends in order. Adds a mark for each response.
power::PowerLog record_traced(const Disk& disk, int calls) {
  power::PowerLog log(disk.folder);
  const FaultDevice device;
  std::vector<std::string> wrapper = {"env"};
  for (const auto& [name, value] : disk.traced()) wrapper.push_back(name + "=" + value);
  Server recorder(disk.temporary.path(), {"record", "--durable", "--device", device.url(), disk / "c.cassette"},
                  "127.0.0.1:0", wrapper);
  for (int i = 0; i < calls; ++i) {
    const std::string name = std::to_string(i);
    const Heard heard = ask(recorder.url(), target_with("none") + "&n=" + name);
    REQUIRE((heard.status == 200 && heard.whole));
    power::append_mark(disk.trace, name);
  }
  REQUIRE(recorder.stop() == 0);
  log.read(disk.trace);
  REQUIRE(log.marks(log.size()).size() == static_cast<std::size_t>(calls));
  return log;
}

/// Returns how many calls with a response are in no row of the recovered cassette.
std::size_t lost(const std::string& cassette, const std::set<std::string>& answered) {
  if (answered.empty()) return 0;
  const Ran scrubbed = run_tapedeck({"scrub", cassette});
  if (scrubbed.status != 0 && scrubbed.status != 3) return answered.size();
  std::set<std::string> found;
  for (const Listed& row : listed(cassette)) found.insert(row.key.substr(row.key.find("n=") + 2));
  return static_cast<std::size_t>(
      std::count_if(answered.begin(), answered.end(), [&](const std::string& name) { return !found.contains(name); }));
}

void record_calls(const TempDir& folder, const std::string& cassette, int from, int to) {
  const FaultDevice device;
  Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
  for (int i = from; i < to; ++i) {
    REQUIRE(ask(recorder.url(), target_with("none") + "&n=" + std::to_string(i)).whole);
  }
  REQUIRE(recorder.stop() == 0);
}

}  // namespace

TEST_CASE("power: interactions that a client received survive a power loss at any moment of the recording") {
  if (is_missing("plain-build", memory_counts))
    return;  // the tracer is loaded before a sanitizer, which does not support that
  const Disk disk;
  const power::PowerLog log = record_traced(disk, 60);
  std::size_t answered = 0;
  each_crash(log, 20261123, true, [&](const TempDir& found, std::size_t steps) {
    CAPTURE(steps);
    const std::set<std::string> marks = log.marks(steps);
    answered += marks.size();
    CHECK(lost(found / "c.cassette", marks) == 0);
  });
  CHECK(answered > 0);

  // Without any sync (PRAGMA synchronous=OFF, and no fsync), this test must detect losses.
  std::size_t missing = 0;
  each_crash(log, 20261123, false,
             [&](const TempDir& found, std::size_t steps) { missing += lost(found / "c.cassette", log.marks(steps)); });
  CHECK(missing > 0);
}

TEST_CASE("power: a command that rewrites a cassette leaves the old one or the new one") {
  if (is_missing("plain-build", memory_counts)) return;
  struct Row {
    const char* name;
    std::function<std::vector<std::string>(const std::string& cassette, const std::string& other)> command;
  };
  const Row rows[] = {
      {"scrub",
       [](auto& cassette, auto&) {
         return std::vector<std::string>{"scrub", cassette};
       }},
      {"prune",
       [](auto& cassette, auto&) {
         return std::vector<std::string>{"rm", "--take", "1", cassette};
       }},
      {"set",
       [](auto& cassette, auto&) {
         return std::vector<std::string>{"edit", cassette, ids_in(cassette).front(), "--status", "503"};
       }},
      {"merge",
       [](auto& cassette, auto& other) {
         return std::vector<std::string>{"merge", cassette, other, "-o", cassette};
       }},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Disk disk;
    const std::string cassette = disk / "c.cassette";
    const std::string other = disk.temporary / "other.cassette";
    record_calls(disk.temporary, cassette, 0, 30);
    record_calls(disk.temporary, cassette, 30, 60);
    record_calls(disk.temporary, other, 60, 70);
    std::vector<std::string> command = row.command(cassette, other);
    command.insert(command.begin(), binary());
    const std::string old = hash_of(cassette);
    power::PowerLog log(disk.folder);
    const Ran ran = run(command, milliseconds(30000), disk.traced());
    CAPTURE(ran.out, ran.err);
    REQUIRE(ran.status == 0);
    log.read(disk.trace);
    const std::string changed = hash_of(cassette);
    each_crash(log, 7, true, [&](const TempDir& found, std::size_t steps) {
      CAPTURE(steps);
      const std::string is = hash_of(found / "c.cassette");
      CHECK((is == old || is == changed));
      if (steps == log.size()) CHECK(is == changed);
    });
  }
}

}  // namespace tapedeck::tests::power_loss_cases
