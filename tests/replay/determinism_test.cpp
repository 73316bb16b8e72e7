// The same requests in the same sessions get the same bytes, with any number of threads (docs/replay.md, "Details of
// HTTP").
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <random>
#include <thread>

#include "base/digest.h"
#include "tests/replay/asking.h"
#include "tests/support/needs.h"

namespace tapedeck::replay {
namespace {

using testing::login;
using testing::ok;
using testing::record;
using testing::Recorded;

constexpr int sessions = 8;
constexpr int steps = 12;

std::string numbered(int n, std::string_view sid) {
  return R"({"data":{"n":)" + std::to_string(n) + R"(,"link":"/d?_sid=)" + std::string(sid) + R"("},"success":true})";
}

/// Records two concurrent clients, one of which logs in again, with polls, reads around a write, and errors.
testing::TestCassette recording() {
  const std::string one = "AAAA-recorded-session-one-0123456789";
  const std::string two = "BBBB-recorded-session-two-0123456789";
  const std::string again = "CCCC-recorded-session-three-01234567";
  std::vector<Recorded> rows;
  rows.push_back(login("ann", one));
  rows.push_back(login("ann", two));
  for (int i = 0; i < 5; ++i) {
    rows.push_back(record("SVC.Core.System.Utilization/1/get", numbered(i, one), one));
    rows.push_back(record("SVC.Core.System.Utilization/1/get", numbered(100 + i, two), two));
  }
  rows.push_back(record("SVC.Core.Terminal/1/get", numbered(1, one), one));
  rows.push_back(record("SVC.Core.Terminal/1/set?enable_ssh=true", ok, one));
  rows.push_back(record("SVC.Core.Terminal/1/get", numbered(2, one), one));
  rows.push_back(login("ann", again));
  rows.push_back(record("SVC.Core.Terminal/1/get", numbered(3, again), again));
  rows.push_back(record("SVC.Core.Share/1/list", testing::error(117), again));
  rows.push_back(record("SVC.Core.Share/1/list", numbered(4, again), again));
  return testing::cassette_with(std::move(rows));
}

const std::vector<std::string>& calls() {
  static const std::vector<std::string> all = {"SVC.Core.System.Utilization/1/get",
                                               "SVC.Core.Terminal/1/get",
                                               "SVC.Core.Terminal/1/set?enable_ssh=true",
                                               "SVC.Core.Share/1/list",
                                               "SVC.Core.Network/1/get",
                                               "SVC.Core.User/1/list"};
  return all;
}

/// The requests of one client, which depend only on its number, and its responses with its own ID normalized.
class SeededClient {
 public:
  SeededClient(ReplayHandler& handler, int number)
      : handler_(handler), number_(number), random_(static_cast<unsigned>(number)) {}

  void step(int n) {
    if (n == 0) {
      const http::Response answer =
          call(handler_, "SVC.API.Auth/6/login?account=client" + std::to_string(number_) + "&passwd=x&format=sid");
      sid_ = string_in(answer.body, "sid");
      note(answer);
      return;
    }
    const std::string& text = calls()[random_() % calls().size()];
    note(call(handler_, text + (text.find('?') == std::string::npos ? "?" : "&") + "_sid=" + sid_));
  }
  [[nodiscard]] std::string hash() const { return base::to_hex(base::sha256(transcript_)); }

 private:
  void note(const http::Response& answer) {
    std::string text = answer.headers.to_text() + answer.body;
    for (std::size_t at = text.find(sid_); at != std::string::npos; at = text.find(sid_))
      text.replace(at, sid_.size(), "<OWN>");
    transcript_ += text;
  }

  ReplayHandler& handler_;
  int number_;
  std::mt19937 random_;
  std::string sid_, transcript_;
};

std::vector<std::string> hashes(const std::string& path, unsigned threads, unsigned seed) {
  ReplayOptions options;
  options.cassettes = {path};
  ReplayHandler handler(options, threads);
  std::vector<std::string> found(sessions);
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      std::vector<std::pair<int, SeededClient>> own;
      for (int number = static_cast<int>(t); number < sessions; number += static_cast<int>(threads))
        own.emplace_back(number, SeededClient(handler, number));
      std::vector<std::size_t> order;
      for (std::size_t i = 0; i < own.size(); ++i) order.insert(order.end(), steps, i);
      std::mt19937 random(seed * 31 + t);
      std::shuffle(order.begin(), order.end(), random);
      std::map<std::size_t, int> done;
      for (const std::size_t i : order) own[i].second.step(done[i]++);
      for (auto& [number, client] : own) found[static_cast<std::size_t>(number)] = client.hash();
    });
  }
  for (std::thread& thread : running) thread.join();
  return found;
}

TEST_CASE("replay: any interleaving on any number of threads gives each session the same transcript") {
  const auto cassette = recording();
  const unsigned rounds = tests::is_long() ? 1000 : 30;
  const std::vector<std::string> expected = hashes(cassette.path(), 1, 0);
  for (unsigned seed = 1; seed <= rounds; ++seed) {
    for (const unsigned threads : {1U, 2U, 8U}) {
      CAPTURE(seed, threads);
      REQUIRE(hashes(cassette.path(), threads, seed) == expected);
    }
  }
}

}  // namespace
}  // namespace tapedeck::replay
