// The device's address in recorded texts, and the server's in their place (docs/recording.md, "Addresses in bodies").
#include <catch2/catch.hpp>

#include "scrubbers/private/private_profile.h"
#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using testing::record;
using testing::record_target;
using testing::Recorded;

const std::string device = "https://nas.example:5001", host = "127.0.0.1:8080", own = "http://" + host;

cassettes::Take take_of(const std::string& address) {
  cassettes::Take take = testing::fixture_take();
  take.device = address;
  return take;
}

http::Response from(ReplayHandler& handler, const std::string& target, http::Headers headers = {}) {
  headers.add("Host", host);
  return get(handler, target, std::move(headers));
}

const std::string link = "SVC.App.Link/1/get";

std::string body_with(const std::string& address) {
  return R"({"data":{"url":")" + address + R"(/a"},"success":true})";
}

TEST_CASE("addresses: a recorded text names the server as the client addressed it") {
  const auto cassette = cassette_with({record(link, body_with(device))}, take_of(device));
  for (const bool secure : {false, true}) {
    ReplayOptions options = playing(cassette);
    options.secure = secure;
    ReplayHandler handler(options, 1);
    const std::string scheme = secure ? "https://" : "http://";
    const std::string target = testing::target_of(link);
    CHECK(from(handler, target).body == body_with(scheme + host));
    CHECK(get(handler, target, {{"Host", "localhost"}}).body == body_with(scheme + "localhost"));
    CHECK(from(handler, "/~scope/a%20b" + target).body == body_with(scheme + host + "/~scope/a%20b"));
    CHECK(get(handler, target).body == body_with(""));
    CHECK(outcome(from(handler, target)) == "recorded");
  }
}

TEST_CASE("addresses: other bodies, other addresses, and takes without an address stay") {
  const std::string bytes = std::string("\0", 1) + device;
  const auto binary = record_target("GET", "/a.bin", bytes);
  auto file = binary;
  file.interaction.response.headers.set("Content-Type", "application/octet-stream");
  const std::string other = body_with("http://nas.example:5000");
  const auto cassette =
      cassette_with({record(link, body_with(device)), file, record("SVC.App.Link/1/other", other)}, take_of(device));
  ReplayHandler handler(playing(cassette), 1);
  CHECK(from(handler, "/a.bin").body == bytes);
  CHECK(from(handler, testing::target_of("SVC.App.Link/1/other")).body == other);
  const auto old = cassette_with({record(link, body_with(device))}, take_of(""));
  ReplayHandler without(playing(old), 1);
  CHECK(from(without, testing::target_of(link)).body == body_with(device));
}

TEST_CASE("addresses: a range of such a text is the whole text") {
  const auto page = record_target("GET", "/list.m3u8", device + "/a.ts\n").with_header("ETag", "\"x\"");
  const auto cassette = cassette_with({page}, take_of(device));
  ReplayHandler handler(playing(cassette), 1);
  const http::Response response = from(handler, "/list.m3u8", {{"Range", "bytes=0-3"}});
  CHECK(response.status == 200);
  CHECK(response.body == own + "/a.ts\n");
}

TEST_CASE("addresses: parts of a compound name the server, too") {
  const auto cassette = cassette_with({record(link, body_with(device))}, take_of(device));
  ReplayHandler handler(playing(cassette), 1);
  const http::Response response =
      from(handler, testing::target_of(
                        R"(SVC.Entry.Request/1/request?compound=[{"api":"SVC.App.Link","version":1,"method":"get"}])"));
  CHECK(response.body.find(own + "/a") != std::string::npos);
  CHECK(response.body.find("nas.example") == std::string::npos);
}

TEST_CASE("addresses: a request that writes the server's address back matches the device's") {
  const std::string set = "SVC.App.Link/1/set?url=";
  const auto form = record_target("POST", "/webapi/entry.cgi", testing::ok)
                        .with_form("api=SVC.App.Link&version=1&method=put&url=https%3A%2F%2Fnas.example%3A5001%2Fa");
  const auto cassette =
      cassette_with({record(link, body_with(device)), record(set + device + "/a", testing::ok), form}, take_of(device));
  ReplayHandler handler(playing(cassette), 1);
  for (const std::string& url : {own + "/a", std::string("http%3A%2F%2F127.0.0.1%3A8080%2Fa"), device + "/a"}) {
    CAPTURE(url);
    CHECK(outcome(from(handler, testing::target_of("SVC.App.Link/1/set") + "&url=" + url)) == "recorded");
  }
  CHECK(outcome(from(handler, testing::target_of("SVC.App.Link/1/set") + "&url=http%3A%2F%2F127.0.0.1%3A9%2Fa")) ==
        "miss");
  http::Request request{"POST", "/webapi/entry.cgi", 1,
                        http::Headers{{"Host", host}, {"Content-Type", "application/x-www-form-urlencoded"}},
                        "api=SVC.App.Link&version=1&method=put&url=http%3A%2F%2F127.0.0.1%3A8080%2Fa"};
  CHECK(outcome(ask(handler, std::move(request))) == "recorded");
}

TEST_CASE("addresses: the cassette has the device's address only if a text contains it") {
  const auto with = cassette_with({record(link, body_with(device))}, take_of(device));
  const auto without = cassette_with({record(link, testing::ok)}, take_of(device));
  CHECK(cassettes::CassetteReader(with.path()).info().device == device);
  CHECK(cassettes::CassetteReader(without.path()).info().device.empty());
}

TEST_CASE("addresses: with private data, a pseudonym takes the place of the device's address") {
  for (const std::string address : {"https://192.168.7.9:5001", "https://workshop.nas.example:5001"}) {
    CAPTURE(address);
    testing::TestCassette cassette;
    scrubbers::ScrubberOptions scrubbing = testing::fixture_scrubber();
    scrubbers::PrivateOptions private_values;
    if (address.find("nas") != std::string::npos) private_values.replace = {"workshop.nas.example"};
    scrubbing.profile = std::make_shared<scrubbers::PrivateProfile>(private_values);
    scrubbers::Scrubber scrubber(scrubbing);
    auto writer = testing::writer_with(cassette.path(), testing::timed({record(link, body_with(address))}), scrubber,
                                       take_of(scrubber.scrub_text(address)));
    cassettes::FinishOptions options;
    options.scrubber = &scrubber;
    REQUIRE(cassettes::finish(std::move(writer), options).finished);
    const std::string stored = cassettes::CassetteReader(cassette.path()).info().device;
    CHECK_FALSE(stored.empty());
    CHECK(stored != address);
    ReplayHandler handler(playing(cassette), 1);
    CHECK(from(handler, testing::target_of(link)).body == body_with(own));
  }
}

}  // namespace
}  // namespace tapedeck::replay
