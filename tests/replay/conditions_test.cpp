// Responses to conditions and ranges (docs/replay.md, "Details of HTTP").
#include <catch2/catch.hpp>

#include "replay/recorded/playable.h"
#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::login;
using testing::ok;
using testing::record;
using testing::record_target;
using testing::Recorded;

Recorded file(std::string_view body, std::string_view sid = {}) {
  return record_target("GET", sid.empty() ? "/f.bin" : "/f.bin?_sid=" + std::string(sid), body)
      .with_header("ETag", "\"v1\"");
}

Recorded part(std::string_view range, std::string_view body, std::string_view sid = {}) {
  return file(body, sid).with_request_header("Range", range).with_status(206, "Partial Content");
}

/// Returns status and body, such as "206 0123".
std::string answer(ReplayHandler& handler, std::string_view target, http::Headers headers = {}) {
  const http::Response response = get(handler, target, std::move(headers));
  return std::to_string(response.status) + " " + response.body;
}

TEST_CASE("ranges: a recorded part is not in the sequence of the plain request") {
  for (const int status : {206, 416}) {
    CAPTURE(status);
    const http::Headers range{{"Range", status == 206 ? "bytes=0-3" : "bytes=99-"}};
    const auto partly = [&] {
      return file("partly").with_request_header("Range", range.begin()->value).with_status(status, "X");
    };
    const auto cassette = cassette_with({partly(), file("one"), partly(), file("two"), partly()});
    ReplayHandler handler(playing(cassette), 1);
    CHECK(answer(handler, "/f.bin?_sid=x") == "200 one");
    CHECK(answer(handler, "/f.bin?_sid=x", range) == std::to_string(status) + " partly");
    CHECK(answer(handler, "/f.bin?_sid=x") == "200 two");
    CHECK(answer(handler, "/f.bin?_sid=x") == "200 two");
    CHECK(answer(handler, "/f.bin?_sid=x", range) == std::to_string(status) + " partly");
  }
}

TEST_CASE("ranges: parts in a newer take or the session's lane do not hide whole bodies") {
  const auto cassette = cassette_with({file("0123456789")});
  testing::record_take(cassette.path(), {part("bytes=2-3", "23")});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(answer(handler, "/f.bin") == "200 0123456789");
  CHECK(answer(handler, "/f.bin", {{"Range", "bytes=2-3"}}) == "206 23");
  CHECK(answer(handler, "/f.bin", {{"Range", "bytes=4-5"}}) == "206 45");

  const auto at = [](Recorded row, int ms) {
    return std::move(row).at(testing::fixture_start_us + ms * 1000, testing::fixture_start_us + ms * 1000 + 500);
  };
  const auto lanes =
      cassette_with({at(login("ann", sid_a), 1), at(login("ann", sid_b), 2), at(part("bytes=0-1", "01", sid_a), 3),
                     at(file("0123456789", sid_b), 4), at(record("SVC.X/1/get", ok, sid_a), 5)});
  ReplayHandler other(playing(lanes), 1);
  const std::string first = log_in(other, "zoe");
  CHECK(answer(other, "/f.bin?_sid=" + first) == "200 0123456789");
  CHECK(answer(other, "/f.bin?_sid=" + first, {{"Range", "bytes=0-1"}}) == "206 01");
}

TEST_CASE("ranges: another range, and the whole body, miss if only parts are recorded") {
  const auto cassette = cassette_with({part("bytes=0-1", "01"), part("bytes=2-9", "23456789")});
  ReplayHandler handler(playing(cassette), 1);
  for (const http::Headers& headers : {http::Headers{}, http::Headers{{"Range", "bytes=4-5"}}}) {
    const http::Response miss = get(handler, "/f.bin", headers);
    CHECK(outcome(miss) == "miss");
    CHECK(miss.headers.first("X-Tapedeck-Miss") == "only other ranges of this body are recorded");
    CHECK(miss.body.find("--ignore") == std::string::npos);
  }
  CHECK(answer(handler, "/f.bin", {{"Range", "bytes=2-9"}}) == "206 23456789");
}

TEST_CASE("ranges: are found in every cassette, scope, and with bound values") {
  const auto none = cassette_with({record("SVC.X/1/get", ok)});
  const auto cassette = cassette_with({part("bytes=0-1", "01"), part("bytes=0-1", "in s").in_scope("s")});
  ReplayOptions options = playing(none);
  options.cassettes.push_back(cassette.path());
  options.bind_params = {"name"};
  ReplayHandler handler(options, 1);
  CHECK(answer(handler, "/f.bin", {{"Range", "bytes=0-1"}}) == "206 01");
  CHECK(answer(handler, "/f.bin", {{"Range", "bytes=0-1"}, {"X-Tapedeck-Scope", "s"}}) == "206 in s");
}

TEST_CASE("ranges: a part recorded after a write is not replayed before it") {
  const http::Headers range{{"Range", "bytes=0-1"}};
  const auto upload = record_target("PUT", "/f.bin", "");
  struct Row {
    std::string what;
    std::vector<Recorded> recorded;
    std::string before, after;  ///< recorded before and after the write
  };
  const std::vector<Row> rows = {
      {"a range", {file("old"), upload, part("bytes=0-1", "ne")}, "206 ol", "206 ne"},
      {"a range before and after",
       {part("bytes=0-1", "ol"), file("old"), upload, part("bytes=0-1", "ne")},
       "206 ol",
       "206 ne"},
      {"the whole after it", {part("bytes=0-1", "ol"), upload, file("new")}, "206 ol", "206 ne"},
      // There is no other response, so this one is better than a miss.
      {"nothing else is recorded", {upload, part("bytes=0-1", "ne")}, "206 ne", "206 ne"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const auto cassette = cassette_with(row.recorded);
    ReplayHandler handler(playing(cassette), 1);
    CHECK(answer(handler, "/f.bin", range) == row.before);
    http::Request put;
    put.method = "PUT";
    put.target = "/f.bin";
    CHECK(ask(handler, put).status == 200);
    CHECK(answer(handler, "/f.bin", range) == row.after);
  }
}

TEST_CASE("conditions: a client that has the recorded body gets a 304") {
  const std::string date = "Mon, 01 Jan 2024 00:00:00 GMT";
  const auto cassette =
      cassette_with({file("0123").with_header("Last-Modified", date), record_target("GET", "/plain", "x"),
                     file("busy").with_status(412, "Precondition Failed")});
  struct Row {
    std::string path;
    http::Headers headers;
    std::string expected;
  };
  const std::vector<Row> rows = {
      {"/f.bin", {{"If-None-Match", "\"v1\""}}, "304 "},
      {"/f.bin", {{"If-None-Match", "W/\"v1\""}}, "304 "},
      {"/f.bin", {{"If-None-Match", "\"v0\", \"v1\""}}, "304 "},
      {"/f.bin", {{"If-None-Match", "*"}}, "304 "},
      {"/f.bin", {{"If-None-Match", "\"v2\""}}, "200 0123"},
      {"/f.bin", {{"If-None-Match", ""}}, "200 0123"},
      {"/f.bin", {{"If-Modified-Since", date}}, "304 "},
      {"/f.bin", {{"If-Modified-Since", "Mon, 01 Jan 2018 00:00:00 GMT"}}, "200 0123"},
      // If-None-Match takes precedence, also over the range.
      {"/f.bin", {{"If-None-Match", "\"v2\""}, {"If-Modified-Since", date}}, "200 0123"},
      {"/f.bin", {{"If-None-Match", "\"v1\""}, {"Range", "bytes=0-1"}}, "304 "},
      {"/f.bin", {{"If-None-Match", "\"v2\""}, {"Range", "bytes=0-1"}}, "206 01"},
      {"/plain", {{"If-None-Match", "\"\""}}, "200 x"},
      {"/plain", {{"If-Modified-Since", date}}, "200 x"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.path, row.headers.to_text());
    ReplayHandler handler(playing(cassette), 1);
    CHECK(answer(handler, row.path + "?_sid=x", row.headers) == row.expected);
  }
  ReplayHandler handler(playing(cassette), 1);
  const http::Response unchanged = get(handler, "/f.bin?_sid=x", {{"If-None-Match", "\"v1\""}});
  CHECK(unchanged.headers.first("ETag") == "\"v1\"");
  CHECK_FALSE(unchanged.headers.contains("Content-Length"));
  // Only a 200 is replaced by a 304, which counts as a response of the sequence.
  CHECK(answer(handler, "/f.bin?_sid=x", {{"If-None-Match", "\"v1\""}}) == "412 busy");
}

TEST_CASE("ranges: parses the header for ten bytes") {
  struct Row {
    std::string header, range;  ///< "first-last", or "" for the whole body
  };
  for (const Row& row : std::vector<Row>{{"bytes=0-0", "0-0"},
                                         {"bytes=2-5", "2-5"},
                                         {"bytes=2-", "2-9"},
                                         {"bytes=2-99", "2-9"},
                                         {"BYTES=9-9", "9-9"},
                                         {"bytes=-3", "7-9"},
                                         {"bytes=-99", "0-9"},
                                         {"bytes=0-18446744073709551616", "0-9"},
                                         {"bytes=-18446744073709551616", "0-9"},
                                         // Not satisfiable.
                                         {"bytes=10-", ""},
                                         {"bytes=10-20", ""},
                                         {"bytes=-0", ""},
                                         {"bytes=99999999999999999999-", ""},
                                         // Not a single range of bytes.
                                         {"bytes=5-2", ""},
                                         {"bytes=0-1,4-5", ""},
                                         {"bytes=", ""},
                                         {"bytes=-", ""},
                                         {"bytes=a-b", ""},
                                         {"bytes=1", ""},
                                         {"bytes=+1-2", ""},
                                         {"bytes=0x1-2", ""},
                                         {"lines=0-1", ""},
                                         {"", ""},
                                         {"bytes=1-2 ", ""}}) {
    CAPTURE(row.header);
    const auto found = range_in(row.header, 10);
    CHECK((found ? std::to_string(found->first) + "-" + std::to_string(found->last) : "") == row.range);
    CHECK_FALSE(range_in(row.header, 0));
  }
}

TEST_CASE("ranges: a satisfiable range is cut from a recorded 200") {
  const auto cassette = cassette_with(
      {file("0123456789").with_header("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT").with_header("X-Odd", "a")});
  ReplayHandler handler(playing(cassette), 1);
  const http::Response cut = get(handler, "/f.bin", {{"Range", "bytes=2-5"}});
  CHECK(cut.status == 206);
  CHECK(cut.reason == "Partial Content");
  CHECK(cut.body == "2345");
  CHECK(cut.headers.first("Content-Range") == "bytes 2-5/10");
  CHECK(cut.headers.first("Content-Length") == "4");
  CHECK(cut.headers.first("ETag") == "\"v1\"");
  CHECK(cut.headers.first("X-Odd") == "a");
  CHECK(cut.headers.first("X-Tapedeck-Match") == "range");
  CHECK(answer(handler, "/f.bin", {{"Range", "bytes=-3"}}) == "206 789");
  CHECK(answer(handler, "/f.bin", {{"Range", "bytes=0-1,4-5"}}) == "200 0123456789");
  CHECK(answer(handler, "/f.bin", {{"Range", "bytes=10-"}}) == "200 0123456789");
  // If-Range returns the whole body if it is another version.
  const auto if_range = [&](const char* validator) {
    return answer(handler, "/f.bin", {{"Range", "bytes=2-5"}, {"If-Range", validator}});
  };
  CHECK(if_range("\"v1\"") == "206 2345");
  CHECK(if_range("Mon, 01 Jan 2024 00:00:00 GMT") == "206 2345");
  CHECK(if_range("\"v2\"") == "200 0123456789");
  CHECK(if_range("W/\"v1\"") == "200 0123456789");
  CHECK(if_range("Tue, 02 Jan 2024 00:00:00 GMT") == "200 0123456789");
  // Ranges apply to GET only.
  http::Request head;
  head.method = "HEAD";
  head.target = "/f.bin";
  head.headers.add("Range", "bytes=2-5");
  CHECK(ask(handler, head).status == 200);
}

TEST_CASE("ranges: only a 200 is cut") {
  const auto cassette = cassette_with({record_target("GET", "/gone", "not here").with_status(404, "Not Found"),
                                       record_target("POST", "/post", "0123456789")});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(answer(handler, "/gone", {{"Range", "bytes=0-1"}}) == "404 not here");
  http::Request post;
  post.method = "POST";
  post.target = "/post";
  post.headers.add("Range", "bytes=0-1");
  CHECK(ask(handler, post).body == "0123456789");
}

TEST_CASE("ranges: a cut body contains the session's own values") {
  const std::string id(sid_a);
  const auto cassette =
      cassette_with({login("ann", id), record_target("GET", "/p.js?_sid=" + id, "id=" + id + ";end")});
  ReplayHandler handler(playing(cassette), 1);
  const std::string own = log_in(handler, "zoe");
  const std::string whole = "id=" + own + ";end";
  for (std::size_t first = 0; first < whole.size(); ++first) {
    for (std::size_t last = first; last < whole.size(); last += 5) {
      const std::string range = "bytes=" + std::to_string(first) + "-" + std::to_string(last);
      CAPTURE(range);
      REQUIRE(answer(handler, "/p.js?_sid=" + own, {{"Range", range}}) ==
              "206 " + whole.substr(first, last + 1 - first));
    }
  }
}

}  // namespace
}  // namespace tapedeck::replay
