// Tests a device that breaks its responses in every known way, behind the built recorder: the client gets what a
// faithful proxy sends, nothing broken is stored as complete, deadlines apply, and memory stays bounded.

#include "tests/support/fault_device.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/e2e/fault_client.h"
#include "tests/e2e/harness.h"
#include "tests/http/timing.h"
#include "tests/support/bombs.h"
#include "tests/support/proc.h"

namespace tapedeck::tests::fault_cases {

namespace {

using namespace std::chrono_literals;

/// The result for the client.
enum class Sees {
  all,      ///< the whole body of the device
  cut,      ///< the device's head, and a body that is recognizably incomplete
  refusal,  ///< 502 or 504 with a text from Tapedeck
};

struct Fault {
  std::string name;
  int status;
  Sees sees;
  std::string stored;
  milliseconds deadline{0};  ///< set if a deadline ends it
};

constexpr milliseconds device_time = 1300ms;
constexpr std::size_t buffer_limit = 32u << 20;
constexpr std::size_t memory_limit = (64u << 20) + buffer_limit;

const std::vector<Fault>& faults() {
  static const std::vector<Fault> rows = {
      {"none", 200, Sees::all, "complete"},
      // cut
      {"cut-length", 200, Sees::cut, "broken"},
      {"no-last-chunk", 200, Sees::cut, "broken"},
      {"cut-chunk", 200, Sees::cut, "broken"},
      {"cut-head", 502, Sees::refusal, "broken"},
      {"reset-before-head", 502, Sees::refusal, "broken"},
      {"reset-in-body", 200, Sees::cut, "broken"},
      {"closed-at-once", 502, Sees::refusal, "broken"},
      {"only-100", 502, Sees::refusal, "broken"},
      // framing
      {"bad-chunk-size", 200, Sees::cut, "broken"},
      {"huge-chunk-size", 200, Sees::cut, "broken"},
      {"bad-chunk-ending", 200, Sees::cut, "broken"},
      {"length-abc", 502, Sees::refusal, "broken"},
      {"two-lengths", 502, Sees::refusal, "broken"},
      {"negative-length", 502, Sees::refusal, "broken"},
      {"chunked-and-length", 502, Sees::refusal, "broken"},
      {"te-gzip", 502, Sees::refusal, "broken"},
      // The response is complete. The bytes after it are ignored, and the connection is not used again.
      {"trailing-bytes", 200, Sees::all, "complete"},
      // heads
      {"garbage", 502, Sees::refusal, "broken"},
      {"http-0.9", 502, Sees::refusal, "broken"},
      {"bare-line-feeds", 502, Sees::refusal, "broken"},
      {"folded-header", 200, Sees::all, "complete"},
      {"switching-protocols", 502, Sees::refusal, "broken"},
      {"continue-first", 200, Sees::all, "complete"},
      {"long-reason", 502, Sees::refusal, "broken"},
      {"long-header-line", 502, Sees::refusal, "broken"},
      {"million-headers", 502, Sees::refusal, "broken"},
      {"endless-interim", 502, Sees::refusal, "broken"},
      // The framing is valid, but the content cannot be decoded. The client gets it, and the cassette does not.
      {"cut-gzip", 200, Sees::all, "withheld"},
      {"garbage-gzip", 200, Sees::all, "withheld"},
      {"bomb-gzip", 200, Sees::all, "withheld"},
      {"bomb-br", 200, Sees::all, "withheld"},
      {"bomb-zstd", 200, Sees::all, "withheld"},
      {"endless-body", 200, Sees::cut, "broken"},
      // time
      {"no-answer", 504, Sees::refusal, "broken", device_time},
      {"stall-in-head", 504, Sees::refusal, "broken", device_time},
      {"stall-in-body", 200, Sees::cut, "broken", device_time},
  };
  return rows;
}

std::vector<std::string> recording(const std::string& device, const std::string& cassette) {
  return {"record",
          "--device",
          device,
          "--device-time",
          "1300ms",
          "--buffer",
          std::to_string(buffer_limit),
          "--max-response-body",
          "8388608",
          cassette};
}

/// Returns the rows of `ls` by the fault in their keys.
std::map<std::string, Listed> by_fault(const std::string& cassette) {
  std::map<std::string, Listed> rows;
  for (const Listed& row : listed(cassette)) rows.emplace(row.key.substr(row.key.find("fault=") + 6), row);
  return rows;
}

void check_answer(const Fault& fault, const Heard& heard) {
  CHECK(heard.ended);
  CHECK(heard.status == fault.status);
  CHECK(heard.whole == (fault.sees != Sees::cut));
  if (fault.sees == Sees::refusal) {
    CHECK(heard.body.starts_with(std::to_string(fault.status)));
    CHECK(heard.body.size() > 30);
  }
}

/// Checks the client's response and the stored interaction for an unreachable device.
void check_unreachable(const std::string& device, std::vector<std::string> options, const std::string& says) {
  CAPTURE(device);
  const TempDir folder;
  const std::string cassette = folder / "u.cassette";
  options.insert(options.begin(), {"record", "--mode", "new", "--device", device, "--device-time", "2s", cassette});
  Server recorder(folder.path(), options);
  const Heard heard = ask(recorder.url(), target_with("none"));
  CHECK((heard.status == 502 || heard.status == 504));
  CHECK(heard.whole);
  CHECK(heard.took < 2350ms);
  CHECK(heard.body.find(says) != std::string::npos);
  CHECK(recorder.stop() == 0);
  const auto rows = listed(cassette);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].completeness == "broken");
  CHECK_FALSE(rows[0].reason.empty());
}

}  // namespace

TEST_CASE("faults: the table covers every fault of the device") {
  std::set<std::string> names = {"stale"};  // it has a separate test
  for (const Fault& fault : faults()) names.insert(fault.name);
  CHECK(names.size() > 30);
  CHECK(names == std::set<std::string>(FaultDevice::faults().begin(), FaultDevice::faults().end()));
}

TEST_CASE("faults: no broken response is stored as complete, and clients get what a faithful proxy sends", "[timing]") {
  (void)gzip_bomb(), (void)brotli_bomb(), (void)zstd_bomb();  // created before a deadline counts
  const TempDir folder;
  const FaultDevice device;
  const std::string cassette = folder / "f.cassette";
  Server recorder(folder.path(), recording(device.url(), cassette));
  for (const Fault& fault : faults()) {
    CAPTURE(fault.name);
    Heard heard;
    const auto hear = [&] {
      heard = ask(recorder.url(), target_with(fault.name));
      check_answer(fault, heard);
      return heard.took;
    };
    if (fault.deadline > 0ms) {
      http::testing::check_deadline(fault.deadline, hear);
    } else {
      hear();
    }
    if (fault.sees == Sees::all && fault.stored == "complete") CHECK(heard.body == FaultDevice::body());
    CHECK(memory_of(recorder.child().pid(), "VmRSS") > 0);  // it is still running
  }
  const std::size_t most = memory_of(recorder.child().pid(), "VmHWM");
  CAPTURE(most >> 20);
  if (memory_counts) CHECK(most < memory_limit);
  CHECK(recorder.stop() == 0);
  const auto rows = by_fault(cassette);
  for (const Fault& fault : faults()) {
    CAPTURE(fault.name);
    REQUIRE(rows.count(fault.name) == 1);
    CHECK(rows.at(fault.name).completeness == fault.stored);
    CHECK(rows.at(fault.name).reason.empty() == (fault.stored == "complete"));
  }
}

TEST_CASE("faults: a stale connection is tried again once and only for a read") {
  const TempDir folder;
  const FaultDevice device;
  const std::string cassette = folder / "s.cassette";
  Server recorder(folder.path(), recording(device.url(), cassette));
  CHECK(ask(recorder.url(), target_with("none")).status == 200);
  CHECK(ask(recorder.url(), target_with("stale")).body == FaultDevice::body());
  CHECK(device.asked("stale") == 2);
  CHECK(ask(recorder.url(), target_with("none")).status == 200);
  const std::string write = "/webapi/entry.cgi?api=SVC.Core.Fault&version=1&method=set&fault=stale";
  CHECK(ask(recorder.url(), write, "POST", "Content-Length: 0\r\n").status == 502);
  CHECK(device.asked("stale") == 3);
  CHECK(recorder.stop() == 0);
  const auto rows = listed(cassette);
  REQUIRE(rows.size() == 4);
  for (const Listed& row : rows) {
    const bool is_write = row.key.find("/set") != std::string::npos;
    CHECK(row.completeness == (is_write ? "broken" : "complete"));
  }
}

TEST_CASE("faults: a device that refuses, has no name, or has no TLS is a clear response in time") {
  const FaultDevice plain;
  check_unreachable("http://127.0.0.1:" + std::to_string(closed_port()), {}, "refused");
  check_unreachable("http://nas.invalid", {}, "device");
  check_unreachable("https" + plain.url().substr(4), {"--insecure"}, "TLS");
  CHECK(plain.asked("none") == 0);
}

TEST_CASE("faults: broken responses are never played") {
  const TempDir folder;
  const FaultDevice device;
  const std::string cassette = folder / "b.cassette";
  {
    Server recorder(folder.path(), recording(device.url(), cassette));
    CHECK(ask(recorder.url(), target_with("cut-length")).status == 200);
    CHECK(ask(recorder.url(), target_with("garbage-gzip")).status == 200);
    CHECK(recorder.stop() == 0);
  }
  Server replay(folder.path(), {"replay", cassette});
  for (const char* const fault : {"cut-length", "garbage-gzip"}) {
    const Heard heard = ask(replay.url(), target_with(fault));
    CHECK(heard.whole);
    CHECK(heard.head.find("X-Tapedeck-Outcome: miss") != std::string::npos);
  }
}

}  // namespace tapedeck::tests::fault_cases
