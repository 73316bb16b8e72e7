// Tests that the hash depends on the recording and not on chance (docs/cassette-format.md).

#include <catch2/catch.hpp>

#include <random>
#include <set>

#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/content_hash.h"
#include "tests/support/cassette_fixture.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteReader;

namespace {

/// Returns an ID like those of devices, which may have a '-' or a '_', have only digits, or need escapes.
std::string random_id(std::mt19937& random, std::string_view alphabet, std::size_t length) {
  std::string id;
  while (id.size() < length) id += alphabet[random() % alphabet.size()];
  return id;
}

/// Returns the same traffic with the IDs, tokens, and times of one seed.
std::vector<Recorded> traffic(unsigned seed) {
  constexpr std::string_view base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  constexpr std::string_view base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::mt19937 random(seed);
  const std::string sid = random_id(random, base64url, 24), token = random_id(random, base64url, 13),
                    device = random_id(random, base64, 22), other = random_id(random, base64url, 24);
  std::vector<Recorded> rows;
  rows.push_back(record("SVC.API.Auth/6/login?account=ann&passwd=Zx9-fixture-pass!7&enable_syno_token=yes&format=sid",
                        R"({"data":{"did":")" + device + R"(","sid":")" + sid + R"(","synotoken":")" + token +
                            R"("},"success":true})")
                     .with_header("Set-Cookie", "id=" + sid + "; path=/"));
  rows.push_back(login("bob", other));
  rows.push_back(record("SVC.Core.Network/1/get", R"({"data":{"me":")" + sid + R"("},"success":true})", sid)
                     .with_request_header("X-SYNO-TOKEN", token)
                     .with_request_header("Cookie", "id=" + sid));
  rows.push_back(record_target("POST", target_of("SVC.Core.Network/1/set", sid), ok).with_form("SynoToken=" + token));
  rows.push_back(record("SVC.Core.Network/1/get", R"({"data":2,"success":true})", other));
  rows.push_back(record("SVC.Core.Script/1/get", R"(<a href=\"?_sid=)" + sid + R"(&x=1\">)", sid));
  std::int64_t now = fixture_start_us + static_cast<std::int64_t>(random() % 1'000'000);
  for (Recorded& row : rows) {
    row = std::move(row).at(now, now + 100 + static_cast<std::int64_t>(random() % 300));
    now += 500 + static_cast<std::int64_t>(random() % 1000);
  }
  return rows;
}

}  // namespace

TEST_CASE("hash: recordings of the same traffic with other random IDs have the same hash") {
  std::set<std::string> hashes, ids;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const auto cassette = cassette_with(traffic(seed));
    const CassetteReader reader(cassette.path());
    hashes.insert(cassettes::content_hash(reader));
    ids.insert(reader.info().takes.at(0).id);
  }
  CHECK(hashes.size() == 1);
  CHECK(ids.size() == 60);
}

TEST_CASE("hash: depends on whose value is in a place") {
  const auto hash = [](const std::vector<Recorded>& rows) {
    const auto cassette = cassette_with(rows);
    return cassettes::content_hash(CassetteReader(cassette.path()));
  };
  const std::string a = "Kq3xV9fixturesessionLm2pQ7", b = "Zz8yW1fixturesessionAb9cD4";
  const auto shows = [&](const std::string& whose) {
    return std::vector<Recorded>{login("ann", a), login("bob", b),
                                 record("SVC.A/1/get", R"({"data":")" + whose + R"(","success":true})", a)};
  };
  CHECK(hash(shows(a)) != hash(shows(b)));
}
