// How fast bodies are scrubbed; run by hand: scrubbers_tests "[.bench]" in a release build.

#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <iostream>

#include "tests/scrubbers/fixtures.h"

namespace {

using namespace tapedeck;
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

template <class Work>
double megabytes_per_second(std::size_t bytes, Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return static_cast<double>(bytes) / seconds.count() / 1e6;
}

}  // namespace

TEST_CASE("speed of scrubbing JSON", "[.bench]") {
  constexpr int rounds = 100;
  for (const int logins : {5, 1000}) {
    Scrubber scrubber({});
    const double per_login =
        1e6 / megabytes_per_second(static_cast<std::size_t>(logins), [&] {
          for (int i = 0; i < logins; ++i) {
            const std::string seed = std::to_string(i);
            static_cast<void>(scrubber.scrub(
                get(login_path, R"({"data":{"sid":")" + make_of_shape("64:base64url", seed) + R"(","synotoken":")" +
                                    make_of_shape("13:base64url", seed) + R"("},"success":true})")));
          }
        });
    std::cout << logins << " logins: " << per_login / 1e9 << " ms each\n";
    for (const bool escaped : {false, true}) {
      const api::Interaction interaction =
          get("/webapi/entry.cgi?api=SYNO.A&version=1&method=get", json_of(200'000, escaped));
      const std::size_t bytes = interaction.response.body.size() * rounds;
      std::size_t rows = 0;
      const double speed = megabytes_per_second(bytes, [&] {
        for (int i = 0; i < rounds; ++i) rows += scrubber.scrub(interaction).record().redactions.size();
      });
      std::cout << scrubber.stats().learned << " values" << (escaped ? ", with escapes: " : ": ") << speed << " MB/s\n";
      CHECK(rows == 0);
    }
  }
  const std::string body = json_of(200'000, false);
  std::size_t found = 0;
  const double speed = megabytes_per_second(body.size() * rounds, [&] {
    for (int i = 0; i < rounds; ++i) found += std::memchr(body.data(), '\1' + i % 2, body.size()) != nullptr ? 1 : 0;
  });
  std::cout << "memchr: " << speed << " MB/s\n";
  CHECK(found == 0);
}
