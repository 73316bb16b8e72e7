// Tests that interactions that a client received are in the cassette, whenever the recorder is killed.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <sstream>
#include <thread>

#include "tests/e2e/harness.h"
#include "tests/support/needs.h"

namespace tapedeck::tests::durability_cases {

namespace {

/// Returns the numbers of requests with complete responses from curl's report: "status exit".
std::vector<int> answered(const std::string& report) {
  std::vector<int> numbers;
  std::istringstream lines(report);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line == "200 0") {
      numbers.push_back(number);
    }
  }
  return numbers;
}

}  // namespace

TEST_CASE("durability: SIGKILL at any moment loses no interaction that a client received") {
  const int rounds = is_long() ? 500 : 6;
  std::mt19937 random(20261120);
  const Device device;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const TempDir folder;
    const std::string cassette = folder / "k.cassette";
    Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
    const std::string sid = play(recorder.url(), {login_step()}).sid;
    Child client({{"curl", "-q", "-sS", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code} %{exitcode}\n",
                   recorder.url() +
                       "/webapi/entry.cgi?api=SYNO.Core.System.Utilization&version=1&method=get&n=[1-3000]"
                       "&_sid=" +
                       sid},
                  {},
                  "",
                  folder / "client.out",
                  folder / "client.err"});
    // This test varies the moment, so real time must pass.
    std::this_thread::sleep_for(milliseconds(20 + random() % 200));
    recorder.kill();
    client.signal(SIGTERM);
    REQUIRE(client.wait());
    const std::vector<int> numbers = answered(client.out());
    const Ran listed = run_tapedeck({"ls", cassette});
    REQUIRE(listed.status == 0);
    for (const int number : numbers) {
      const std::string key = "Core.System.Utilization/1/get?n=" + std::to_string(number) + "\n";
      if (listed.out.find(key) == std::string::npos) {
        FAIL("answered, but not recorded: request " << number << " of " << numbers.size());
      }
    }
  }
}

}  // namespace tapedeck::tests::durability_cases
