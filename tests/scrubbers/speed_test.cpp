// Measures the speed of scrubbing. Run it by hand in a release build: scrubbers_tests "[.bench]".

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <iostream>
#include <numeric>
#include <thread>

#include "tests/scrubbers/fixtures.h"
#include "tests/support/growth.h"

namespace {

using namespace tapedeck;
using tests::seconds_of;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

std::string json_of(std::size_t size, bool escaped) {
  std::string body = R"({"data":{"items":[)";
  for (int i = 0; body.size() < size; ++i) {
    const std::string seed = std::to_string(i);
    body += R"({"id":)" + seed + R"(,"name":"disk)" + seed + R"(","enabled":true,"status":"normal","size_total":")" +
            make_of_shape("19:digit", seed) + R"(","path":")" + (escaped ? R"(\/volume1\/)" : "/volume1/") +
            make_of_shape("10:alnum", seed) +
            R"(","description":"The quick brown fox jumps over the lazy dog","additional":{"owner":"admin","perm":)" +
            R"({"acl":{"append":true,"del":false}}}},)";
  }
  return body + R"({}]},"success":true})";
}

double megabytes_per_second(std::size_t bytes, double seconds) { return static_cast<double>(bytes) / seconds / 1e6; }

}  // namespace

TEST_CASE("speed: scrubbing JSON", "[.bench]") {
  constexpr int rounds = 200;
  for (const int logins : {5, 1000}) {
    Scrubber scrubber({});
    const double seconds = seconds_of([&] {
      for (int i = 0; i < logins; ++i) {
        const std::string seed = std::to_string(i);
        static_cast<void>(scrubber.scrub(
            get(login_path, R"({"data":{"sid":")" + make_of_shape("64:base64url", seed) + R"(","synotoken":")" +
                                make_of_shape("13:base64url", seed) + R"("},"success":true})")));
      }
    });
    std::cout << logins << " logins: " << seconds * 1e3 / logins << " ms each\n";
    for (const bool escaped : {false, true}) {
      const std::string target = "/webapi/entry.cgi?api=SYNO.A&version=1&method=get";
      const api::Interaction interaction = get(target, json_of(100'000, escaped));
      std::size_t rows = 0;
      const double spent = seconds_of([&] {
        for (int i = 0; i < rounds; ++i) rows += scrubber.scrub(interaction).record().redactions.size();
      });
      std::cout << scrubber.stats().learned << " values" << (escaped ? ", with escapes: " : ": ")
                << megabytes_per_second(interaction.response.body.size() * rounds, spent) << " MB/s\n";
      CHECK(rows == 0);
    }
  }
  const std::string body = json_of(100'000, false);
  std::size_t found = 0;
  const double spent = seconds_of([&] {
    for (int i = 0; i < rounds; ++i) found += std::memchr(body.data(), '\1' + i % 2, body.size()) != nullptr ? 1 : 0;
  });
  std::cout << "memchr: " << megabytes_per_second(body.size() * rounds, spent) << " MB/s\n";
  CHECK(found == 0);
}

// Logins without and with pauses between them.
TEST_CASE("speed: logins while thousands of sessions are known", "[.bench]") {
  for (const int pause_us : {0, 500}) {
    Scrubber scrubber({});
    std::vector<double> spent;
    for (int i = 0; i < 2000; ++i) {
      const std::string seed = std::to_string(i);
      const api::Interaction interaction =
          login(make_of_shape("86:base64url", "sid" + seed), "user" + seed, make_of_shape("20:alnum", "pass" + seed));
      spent.push_back(seconds_of([&] { static_cast<void>(scrubber.scrub(interaction)); }) * 1e3);
      std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
    }
    const auto worst = std::max_element(spent.begin(), spent.end());
    std::cout << "2000 logins, " << pause_us << " us apart: worst " << *worst << " ms (number " << worst - spent.begin()
              << "), above 1 ms " << std::count_if(spent.begin(), spent.end(), [](double each) { return each > 1; })
              << ", mean " << std::accumulate(spent.begin(), spent.end(), 0.0) / static_cast<double>(spent.size())
              << " ms\n";
  }
}
