// Tests SIGKILL with many simultaneous clients, and while finishing: interactions that a client received are in the
// cassette, and every command finishes it.

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <set>
#include <thread>

#include "base/joined_thread.h"
#include "tests/e2e/fault_client.h"
#include "tests/e2e/harness.h"
#include "tests/http/raw_socket.h"
#include "tests/support/fault_device.h"
#include "tests/support/needs.h"

namespace tapedeck::tests::crash_cases {

namespace {

using http::testing::RawSocket;

/// Clients that request one number after another, and remember which responses were complete.
class Clients {
 public:
  Clients(const std::string& url, int count) : numbers_(static_cast<std::size_t>(count)) {
    for (int i = 0; i < count; ++i) {
      auto socket = std::make_shared<RawSocket>(RawSocket::connect(port_of(url)));
      threads_.emplace_back([this, i, socket] { ask_on(*socket, i); });
    }
  }
  /// Waits until the server has ended. Returns the numbers with complete responses.
  std::set<std::string> answered() {
    for (base::JoinedThread& thread : threads_) thread.join();
    std::set<std::string> all;
    for (const auto& of_one : numbers_) all.insert(of_one.begin(), of_one.end());
    return all;
  }
  [[nodiscard]] int count() const { return count_; }

 private:
  void ask_on(RawSocket& socket, int client) {
    for (int number = 0;; ++number) {
      const std::string name = std::to_string(client) + "-" + std::to_string(number);
      socket.send("GET " + target_with("none") + "&n=" + name + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
      const std::string answer = socket.read_message();
      if (!answer.starts_with("HTTP/1.1 200") || !answer.ends_with(FaultDevice::body())) return;
      numbers_[static_cast<std::size_t>(client)].push_back(name);
      ++count_;
    }
  }

  std::vector<std::vector<std::string>> numbers_;  ///< numbers of each client, created before the threads
  std::atomic<int> count_{0};
  std::vector<base::JoinedThread> threads_;
};

std::set<std::string> recorded(const std::string& cassette) {
  std::set<std::string> names;
  if (!std::filesystem::exists(cassette) && !std::filesystem::exists(cassette + ".recording")) return names;
  for (const Listed& row : listed(cassette)) {
    if (row.completeness == "complete") names.insert(row.key.substr(row.key.find("n=") + 2));
  }
  return names;
}

/// Returns the numbers of complete responses that are not in the cassette.
std::vector<std::string> lost(const std::set<std::string>& answered, const std::string& cassette) {
  const std::set<std::string> found = recorded(cassette);
  std::vector<std::string> missing;
  std::set_difference(answered.begin(), answered.end(), found.begin(), found.end(), std::back_inserter(missing));
  return missing;
}

void wait_for(const Clients& clients, int answers) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (clients.count() < answers && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(1));
  }
}

}  // namespace

TEST_CASE("crash: SIGKILL with eight clients loses no interaction that a client received") {
  std::mt19937 random(20261120);
  const FaultDevice device;
  const int rounds = is_long() ? 500 : 12;
  std::size_t answers = 0;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const TempDir folder;
    const std::string cassette = folder / "c.cassette";
    Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
    Clients clients(recorder.url(), 8);
    wait_for(clients, static_cast<int>(random() % 400));
    recorder.kill();
    const std::set<std::string> answered = clients.answered();
    answers += answered.size();
    if (!answered.empty()) {
      const Ran scanned = run_tapedeck({"scan", cassette});
      CHECK(scanned.status == 3);
      CHECK(scanned.out.find("is an unfinished recording") != std::string::npos);
    }
    CHECK(lost(answered, cassette) == std::vector<std::string>());
  }
  CHECK(answers > static_cast<std::size_t>(rounds) * 20);
}

TEST_CASE("crash: SIGKILL while finishing leaves a cassette that is finished later") {
  std::mt19937 random(7);
  const FaultDevice device;
  const int rounds = is_long() ? 200 : 5;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const TempDir folder;
    const std::string cassette = folder / "c.cassette";
    std::set<std::string> answered;
    {
      Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
      Clients clients(recorder.url(), 4);
      wait_for(clients, 200);
      recorder.child().signal(SIGTERM);
      answered = clients.answered();  // the sockets are closed, so it is finishing or has finished
      // This test varies the moment, so real time must pass.
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 40'000));
      recorder.kill();
    }
    CHECK(lost(answered, cassette) == std::vector<std::string>());
    if (answered.empty()) continue;
    const Ran scrubbed = run_tapedeck({"scrub", cassette});
    // It was killed either before or after its end.
    CHECK(scrubbed.status == (scrubbed.out.find("UNVERIFIED") == std::string::npos ? 0 : 3));
    CHECK(lost(answered, cassette) == std::vector<std::string>());
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      CAPTURE(entry.path().string());
      CHECK_FALSE(entry.path().filename().string().starts_with("c.cassette."));  // no side file remains
    }
  }
}

TEST_CASE("crash: a second signal while finishing keeps the recording") {
  const TempDir folder;
  const FaultDevice device;
  const std::string cassette = folder / "c.cassette";
  Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
  Clients clients(recorder.url(), 4);
  wait_for(clients, 300);
  recorder.child().signal(SIGTERM);
  const std::set<std::string> answered = clients.answered();
  recorder.child().signal(SIGTERM);
  REQUIRE(recorder.child().wait());
  CHECK(lost(answered, cassette) == std::vector<std::string>());
}

}  // namespace tapedeck::tests::crash_cases
