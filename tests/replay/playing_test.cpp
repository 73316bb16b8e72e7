// Looser matching, redactions, and HTTP details of recorded responses (docs/replay.md).
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "http/message/urlencoded.h"
#include "replay/request/parsed_request.h"
#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using nlohmann::json;
using testing::cassette_with;
using testing::error;
using testing::login;
using testing::ok;
using testing::record;
using testing::record_target;

TEST_CASE("replay: returns bodies byte for byte with the recorded headers") {
  const std::string odd = "{\"success\" : true,\"data\":{ \"n\":1.0, \"n\":2,\n\t\"u\":\"\\u00e9\"} }";
  const auto cassette = cassette_with({record("SVC.Core.Share/1/list", odd)
                                           .with_header("X-Odd", "a  b")
                                           .with_header("Date", "Mon, 01 Jan 2024 00:00:00 GMT")
                                           .with_header("Strict-Transport-Security", "max-age=1")
                                           .with_header("Alt-Svc", "h3")
                                           .with_header("Connection", "keep-alive")});
  ReplayHandler handler(playing(cassette), 1);
  const http::Response response = call(handler, "SVC.Core.Share/1/list");
  CHECK(response.body == odd);
  CHECK(outcome(response) == "recorded");
  CHECK_FALSE(response.headers.contains("X-Tapedeck-Match"));
  CHECK(response.headers.first("X-Odd") == "a  b");
  CHECK(response.headers.first("Content-Length") == std::to_string(odd.size()));
  for (const std::string name : {"Date", "Strict-Transport-Security", "Alt-Svc", "Connection", "Transfer-Encoding"}) {
    CAPTURE(name);
    CHECK_FALSE(response.headers.contains(name));
  }
}

TEST_CASE("replay: replaces every recorded session ID by the client's own") {
  const std::string id(sid_a);
  const auto cassette = cassette_with(
      {login("ann", id).with_header("Set-Cookie", "id=" + id + "; path=/; HttpOnly"),
       record("SVC.FileStation.Info/1/get",
              R"({"data":{"url":"\/d?_sid=)" + id + R"(","again":")" + id + R"("},"success":true})", id),
       record_target("GET", "/d/start?_sid=" + id, "moved")
           .with_status(302, "Found")
           .with_header("Location", "/d/end?_sid=" + id + "&x=%2F"),
       record("SVC.FileStation.List/1/list_share", R"({"data":"<SESSION_ID> stays","success":true})", id)});
  ReplayHandler handler(playing(cassette), 1);
  const http::Response login_answer = call(handler, "SVC.API.Auth/6/login?account=zoe&passwd=other&format=sid");
  CHECK(outcome(login_answer) == "recorded");
  const std::string own = string_in(login_answer.body, "sid");
  CHECK(own.size() == id.size());
  CHECK(own != id);
  CHECK(login_answer.headers.first("Set-Cookie") == "id=" + own + "; path=/; HttpOnly");
  CHECK(call(handler, "SVC.FileStation.Info/1/get?_sid=" + own).body ==
        R"({"data":{"url":"\/d?_sid=)" + own + R"(","again":")" + own + R"("},"success":true})");
  CHECK(get(handler, "/d/start?_sid=" + own).headers.first("Location") == "/d/end?_sid=" + own + "&x=%2F");
  CHECK(call(handler, "SVC.FileStation.List/1/list_share?_sid=" + own).body ==
        R"({"data":"<SESSION_ID> stays","success":true})");
  const http::Response cookie = call(handler, "SVC.FileStation.Info/1/get", {{"Cookie", "id=" + own}});
  CHECK(cookie.body.find(own) != std::string::npos);
}

std::string base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at + 3 <= text.size(); at += 3) {
    unsigned bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8 | static_cast<unsigned char>(text[at + i]);
    for (int shift = 18; shift >= 0; shift -= 6) out += digits[bits >> shift & 63];
  }
  return out;
}

TEST_CASE("replay: encodes a session ID like the recorded one") {
  const std::string id = "AAAA+r3c0rDed/s3ssI0n+one/012345678+";  // characters of the base64 alphabet
  const auto answer = [](const std::string& sid) {
    return R"({"data":{"link":"https:\/\/nas.example\/d?sid=)" + http::percent_encode(sid) + R"(","again":")" +
           http::percent_encode(http::percent_encode(sid)) + R"(","basic":")" + base64("ab:" + sid + "012") +
           R"("},"success":true})";
  };
  const auto cassette =
      cassette_with({login("ann", id), record("SVC.FileStation.Info/1/get", answer(id), http::percent_encode(id))});
  ReplayHandler handler(playing(cassette), 1);
  const std::string own = log_in(handler, "zoe");
  const http::Response response = call(handler, "SVC.FileStation.Info/1/get?_sid=" + http::percent_encode(own));
  CHECK(outcome(response) == "recorded");
  CHECK(response.body.find("AAAA") == std::string::npos);
  CHECK(response.body == answer(own));
}

TEST_CASE("replay: two sessions get the same bytes except for their IDs") {
  const std::string id(sid_a);
  const auto cassette = cassette_with({login("ann", id), record("SVC.FileStation.Info/1/get", data("see " + id), id)});
  ReplayHandler handler(playing(cassette), 1);
  const auto transcript = [&](const std::string& account) {
    const http::Response first = call(handler, "SVC.API.Auth/6/login?account=" + account + "&passwd=x&format=sid");
    const std::string own = string_in(first.body, "sid");
    std::string text = first.headers.to_text() + first.body;
    const http::Response second = call(handler, "SVC.FileStation.Info/1/get?_sid=" + own);
    text += second.headers.to_text() + second.body;
    std::size_t count = 0;
    for (std::size_t at = text.find(own); at != std::string::npos; at = text.find(own)) {
      text.replace(at, own.size(), "OWN");
      ++count;
    }
    CHECK(count == 2);
    return text;
  };
  CHECK(transcript("ann") == transcript("bob"));
}

TEST_CASE("replay: a session's own ID in a request matches the recorded one") {
  const std::string id(sid_a);
  const auto cassette =
      cassette_with({login("ann", id), record("SVC.FileStation.Info/1/get?link=/d/" + id + "/x", data("own link"), id),
                     record_target("GET", "/d/" + id + "/file", "a file").with_request_header("Cookie", "id=" + id)});
  ReplayHandler handler(playing(cassette), 1);
  const std::string own = string_in(call(handler, "SVC.API.Auth/6/login?account=zoe&passwd=x&format=sid").body, "sid");
  CHECK(call(handler, "SVC.FileStation.Info/1/get?link=/d/" + own + "/x&_sid=" + own).body == data("own link"));
  CHECK(get(handler, "/d/" + own + "/file", {{"Cookie", "id=" + own}}).body == "a file");
}

TEST_CASE("replay: the first label is an alias if the cassette has only one") {
  const auto one = cassette_with({record("SYNO.Core.Share/1/list", data("syno"))});
  ReplayHandler alias(playing(one), 1);
  CHECK(call(alias, "SVC.Core.Share/1/list").body == data("syno"));
  CHECK(call(alias, "SYNO.Core.Share/1/LIST").body == data("syno"));
  const auto both =
      cassette_with({record("SYNO.Core.Share/1/list", data("syno")), record("SVC.Core.User/1/list", data("svc"))});
  ReplayHandler exact(playing(both), 1);
  CHECK(outcome(call(exact, "SVC.Core.Share/1/list")) == "miss");
  CHECK(call(exact, "SYNO.Core.Share/1/list").body == data("syno"));
}

TEST_CASE("replay: a redacted parameter matches any value, and several candidates are a miss") {
  const auto cassette =
      cassette_with({record("SVC.Core.User.PasswordConfirm/1/auth?password=Zx9-secret-one!7", data("confirmed")),
                     record("SVC.Core.SNMP/1/set?privacy_key=Qy8-secret-two!6&enable=true", ok)});
  ReplayHandler handler(playing(cassette), 1);
  const http::Response response = call(handler, "SVC.Core.User.PasswordConfirm/1/auth?password=quite-another");
  CHECK(response.body == data("confirmed"));
  CHECK(response.headers.first("X-Tapedeck-Match") == "redacted=password");
  CHECK(outcome(call(handler, "SVC.Core.User.PasswordConfirm/1/auth?password=x&more=1")) == "miss");
}

TEST_CASE("replay: looser rules apply on a miss and report what was not exact") {
  const auto cassette = cassette_with({record("SVC.Core.Share/1/list?limit=10&offset=0", data("ten")),
                                       record("SVC.Core.Share/1/list?limit=20&offset=0", data("twenty"))});
  ReplayOptions options = playing(cassette);
  ReplayHandler strict(options, 1);
  options.ignore_params = {"limit"};
  ReplayHandler ignoring(options, 1);
  options.ignore_params = {"Core.User:limit"};
  ReplayHandler elsewhere(options, 1);
  options.ignore_params = {};
  options.any_version = true;
  ReplayHandler any_version(options, 1);

  const std::string other = "SVC.Core.Share/1/list?limit=30&offset=0";
  CHECK(outcome(call(strict, other)) == "miss");
  CHECK(outcome(call(elsewhere, other)) == "miss");
  CHECK(call(ignoring, "SVC.Core.Share/1/list?limit=20&offset=0").body == data("twenty"));
  const http::Response loose = call(ignoring, other);
  CHECK(loose.body == data("twenty"));  // the exact match before has advanced the merged sequence
  CHECK(loose.headers.first("X-Tapedeck-Match") == "ignored=limit");
  CHECK(outcome(call(ignoring, "SVC.Core.Share/1/list?limit=30&offset=5")) == "miss");
  const http::Response version = call(any_version, "SVC.Core.Share/2/list?limit=10&offset=0");
  CHECK(version.body == data("ten"));
  CHECK(version.headers.first("X-Tapedeck-Match") == "version=1");
}

TEST_CASE("replay: a miss names the nearest recordings and a hint that works") {
  const auto cassette = cassette_with({record("SVC.Core.Share/1/list?limit=10&offset=0", data("ten")),
                                       record("SVC.Core.Share/1/list?limit=20&offset=0&more=1", data("twenty"))});
  ReplayOptions options = playing(cassette);
  ReplayHandler handler(options, 1);
  const std::string asked = "SVC.Core.Share/1/list?limit=30&sort=name";
  const json miss = json::parse(call(handler, asked).body)["error"]["errors"]["tapedeck"];
  REQUIRE(miss["nearest"].size() == 2);
  CHECK(miss["nearest"][0]["recording"] == "SVC.Core.Share/1/list?limit=10&offset=0");
  CHECK(miss["nearest"][0]["parameters"].dump() ==
        R"([{"name":"limit","verdict":"differs"},{"name":"offset","verdict":"missing"},)"
        R"({"name":"sort","verdict":"extra"}])");
  const auto hint = miss["hint"].get<std::string>();
  CHECK(hint.find("--ignore limit --ignore offset --ignore sort") != std::string::npos);
  options.ignore_params = {"limit", "offset", "sort"};
  ReplayHandler following(options, 1);
  CHECK(call(following, asked).body == data("ten"));
}

TEST_CASE("replay: a form with very many parameters gets a short miss or is refused") {
  std::vector<testing::Recorded> rows;
  for (int i = 0; i < 220; ++i) rows.push_back(record("SVC.Core.L/1/get?i=" + std::to_string(i), data("x")));
  const auto cassette = cassette_with(std::move(rows));
  ReplayOptions options = playing(cassette);
  options.ignore_params = {"i"};
  ReplayHandler handler(options, 1);
  const auto form = [](std::size_t params, bool is_one_name) {
    std::string text = "api=SVC.Core.L&version=1&method=get";
    for (std::size_t i = 3; i < params; ++i) text.append("&a").append(is_one_name ? "" : std::to_string(i));
    return text;
  };
  for (const bool is_one_name : {true, false}) {
    const http::Response response = post(handler, "/webapi/entry.cgi", form(most_parameters, is_one_name));
    CHECK(outcome(response) == "miss");
    CHECK(response.body.size() < 20'000);
    const json miss = json::parse(response.body)["error"]["errors"]["tapedeck"];
    REQUIRE(miss["nearest"].size() == 3);
    CHECK(miss["nearest"][0]["parameters"].size() == 50);
    CHECK(miss["nearest"][0]["more"] == most_parameters - 3 + 1 - 50);
    CHECK(miss["hint"].get<std::string>().starts_with("record it with `tapedeck record --mode new "));
  }
  const http::Response refused = post(handler, "/webapi/entry.cgi", form(most_parameters + 1, true));
  CHECK(refused.status == 413);
  CHECK(outcome(refused) == "builtin");
  CHECK(get(handler, "/webapi/entry.cgi?" + form(most_parameters + 1, true)).status == 413);
  http::Request text;
  text.method = "POST";
  text.target = "/upload/notes.txt";
  text.body = std::string(2 * most_parameters, '&');
  CHECK(ask(handler, std::move(text)).status == 404);  // not a form, so the bytes count
}

TEST_CASE("replay: broken and withheld recordings are named by a miss and never replayed") {
  const auto cassette = cassette_with({record("SVC.Core.Share/1/list", "{\"da").broken("cut"),
                                       record("SVC.Core.User/1/list", data("x")).withheld("too long")});
  ReplayHandler handler(playing(cassette), 1);
  for (const std::string text : {"SVC.Core.Share/1/list", "SVC.Core.User/1/list"}) {
    CAPTURE(text);
    const http::Response response = call(handler, text);
    CHECK(outcome(response) == "miss");
    CHECK(std::string(response.headers.first("X-Tapedeck-Miss").value_or("")).find("broken or withheld") !=
          std::string::npos);
  }
}

TEST_CASE("replay: cookies lose their domain and lifetime unless they are deletions") {
  struct Row {
    std::string recorded, plain, secure;
  };
  const std::vector<Row> rows = {
      {"a=1; Domain=nas.example; Path=/; Secure; HttpOnly", "a=1; Path=/; HttpOnly", "a=1; Path=/; Secure; HttpOnly"},
      {"a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT; Max-Age=3600; SameSite=Lax", "a=1; SameSite=Lax",
       "a=1; SameSite=Lax"},
      {"a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Domain=x.example", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
       "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"},
      {"a=deleted;Max-Age=0", "a=deleted;Max-Age=0", "a=deleted;Max-Age=0"},
      {"a=1; Expires=Wed, 21-Oct-2099 07:28:00 GMT", "a=1", "a=1"},
      {"a=; Expires=Thu, 01-Jan-70 00:00:00 GMT", "a=; Expires=Thu, 01-Jan-70 00:00:00 GMT",
       "a=; Expires=Thu, 01-Jan-70 00:00:00 GMT"},
      {"a=1; SameSite=None; Secure", "a=1; SameSite=None; Secure", "a=1; SameSite=None; Secure"},
      {"__Host-a=1; Path=/; Secure", "__Host-a=1; Path=/; Secure", "__Host-a=1; Path=/; Secure"},
      {"a=1", "a=1", "a=1"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.recorded);
    const auto cassette = cassette_with({record("SVC.Core.Share/1/list", ok).with_header("Set-Cookie", row.recorded)});
    ReplayOptions options = playing(cassette);
    ReplayHandler plain(options, 1);
    options.secure = true;
    ReplayHandler secure(options, 1);
    CHECK(call(plain, "SVC.Core.Share/1/list").headers.first("Set-Cookie") == row.plain);
    CHECK(call(secure, "SVC.Core.Share/1/list").headers.first("Set-Cookie") == row.secure);
  }
}

TEST_CASE("replay: a HEAD gets the head of the recorded GET") {
  const auto cassette = cassette_with({record_target("GET", "/a.js", "all of it")});
  ReplayHandler handler(playing(cassette), 1);
  http::Request request;
  request.method = "HEAD";
  request.target = "/a.js";
  const http::Response response = ask(handler, request);
  CHECK(outcome(response) == "recorded");
  CHECK(response.headers.first("Content-Length") == "9");
}

TEST_CASE("replay: a recorded HEAD is not replayed to a GET and does not move its position") {
  const std::string target = testing::target_of("SVC.Core.Share/1/list");
  const auto cassette = cassette_with({record_target("HEAD", target, ""), record("SVC.Core.Share/1/list", data("x")),
                                       record_target("HEAD", target, ""), record_target("HEAD", "/only-head", "")});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(get(handler, target).body == data("x"));
  http::Request request;
  request.method = "HEAD";
  request.target = target;
  CHECK(ask(handler, request).headers.first("Content-Length") == std::to_string(data("x").size()));
  request.target = "/only-head";
  const http::Response only = ask(handler, request);
  CHECK(outcome(only) == "recorded");
  CHECK_FALSE(only.headers.contains("Content-Length"));
  CHECK(outcome(get(handler, "/only-head")) == "miss");
}

TEST_CASE("replay: the device's base path is optional") {
  testing::TestCassette cassette;
  scrubbers::ScrubberOptions scrubbing;
  scrubbing.base_path = "/dsm";
  scrubbers::Scrubber scrubber(scrubbing);
  cassettes::Take take = testing::fixture_take();
  take.base_path = "/dsm";
  auto writer = std::make_unique<cassettes::CassetteWriter>(cassette.path(), take);
  writer->append(scrubber.scrub(record("SVC.Core.Share/1/list", data("x")).at(1000, 2000).interaction), nullptr);
  cassettes::FinishOptions finishing;
  finishing.scrubber = &scrubber;
  REQUIRE(cassettes::finish(std::move(writer), finishing).finished);
  ReplayHandler handler(playing(cassette), 1);
  const std::string target = testing::target_of("SVC.Core.Share/1/list");
  CHECK(get(handler, target).body == data("x"));
  CHECK(get(handler, "/dsm" + target).body == data("x"));
  CHECK(outcome(get(handler, "/dsmother" + target)) == "miss");
}

}  // namespace
}  // namespace tapedeck::replay
