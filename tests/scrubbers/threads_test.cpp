// Tests calls from any thread.

#include <atomic>
#include <catch2/catch.hpp>

#include "base/joined_thread.h"
#include "tests/scrubbers/fixtures.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

}  // namespace

TEST_CASE("threads: simultaneous logins and reads leave no ID") {
  constexpr int thread_count = 4;
  constexpr int logins = 60;
  Scrubber scrubber({});
  std::atomic<int> leaks{0};
  const auto work = [&](int number) {
    for (int i = 0; i < logins; ++i) {
      const std::string id = make_of_shape("40:base64url", std::to_string(number * logins + i));
      const api::Interaction first = login(id);
      scrubber.learn(first.request);
      if (all_of(scrubber.scrub(first).record()).find(id) != std::string::npos) ++leaks;
      const std::string body = "x " + id + " " + encode(id, "percent-all") + " " + encode(id, "base64:0:0:0");
      const ScrubbedInteraction read = scrubber.scrub(get("/y?_sid=" + id, body));
      if (read.record().redactions.size() != 4 || !rows_fit(read.record())) ++leaks;
      if (scrubber.scrub_text("at " + id) != "at <SESSION_ID>") ++leaks;
      static_cast<void>(scrubber.rescrub(read.record()));
    }
  };
  std::vector<base::JoinedThread> threads;
  for (int number = 0; number < thread_count; ++number) threads.emplace_back([&work, number] { work(number); });
  threads.clear();
  CHECK(leaks == 0);
  CHECK(scrubber.stats().learned == thread_count * logins + 1u);
}
