// Invariant 5 (replay/recorded/sequence_lookup.h), with generated recordings and clients.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"
#include "tests/support/needs.h"

namespace tapedeck::replay {
namespace {

using testing::ok;
using testing::record;

constexpr unsigned keys = 4;

std::string read_text(unsigned key) {
  return "SVC.Core.Share/1/get?name=" + std::string(1, static_cast<char>('a' + key));
}
std::string write_text(unsigned number) { return "SVC.Core.Share/1/set?number=" + std::to_string(number); }

/// A recording of one client that reads and writes at random. Each read tells its key and the writes before it.
struct Flow {
  explicit Flow(std::mt19937& random) {
    rows.push_back(testing::login("ann", sid_a));
    for (int step = 0; step < 30; ++step) {
      if (random() % 4 == 0) {
        rows.push_back(record(write_text(++writes), ok, sid_a));
        continue;
      }
      const unsigned key = random() % keys;
      first_segment.try_emplace(key, writes);
      rows.push_back(record(read_text(key),
                            R"({"data":{"key":)" + std::to_string(key) + R"(,"writes":)" + std::to_string(writes) +
                                R"(,"step":)" + std::to_string(step) + R"(},"success":true})",
                            sid_a));
    }
  }
  std::vector<testing::Recorded> rows;
  unsigned writes = 0;
  std::map<unsigned, unsigned> first_segment;  ///< writes before the first read of a key
};

}  // namespace

TEST_CASE("invariant 5: a read never passes a write that the client has not made, and keys never share a response") {
  for (unsigned seed = 1; seed <= (tests::is_long() ? 200 : 20); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    Flow flow(random);
    const auto cassette = testing::cassette_with(flow.rows);
    ReplayHandler handler(playing(cassette), 1);
    const std::string sid = log_in(handler, "zoe");
    unsigned made = 0;
    for (int step = 0; step < 60; ++step) {
      if (flow.writes > 0 && random() % 5 == 0) {
        const unsigned number = 1 + random() % flow.writes;
        REQUIRE(outcome(call(handler, write_text(number) + "&_sid=" + sid)) == "recorded");
        made = std::max(made, number);
        continue;
      }
      const unsigned key = random() % keys;
      const http::Response response = call(handler, read_text(key) + "&_sid=" + sid);
      const auto first = flow.first_segment.find(key);
      REQUIRE(outcome(response) == (first == flow.first_segment.end() ? "miss" : "recorded"));
      if (first == flow.first_segment.end()) continue;
      const auto data = nlohmann::json::parse(response.body).at("data");
      REQUIRE(data.at("key") == key);
      // A call that was recorded only after a write is replayed from there.
      REQUIRE(data.at("writes").get<unsigned>() <= std::max(made, first->second));
    }
  }
}

}  // namespace tapedeck::replay
