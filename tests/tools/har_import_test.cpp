// Tests archives in the forms that programs write, complete and incomplete.

#include <catch2/catch.hpp>

#include "cassettes/read/cassette_reader.h"
#include "tests/support/cassette_fixture.h"
#include "tools/exchange/har_import.h"
#include "tools/exchange/import_error.h"

using namespace tapedeck;
using namespace tapedeck::testing;

namespace {

const std::string call_url = R"("url":"http://nas.example/webapi/entry.cgi?api=SVC.A&version=1&method=get")";
const std::string get_call = R"("method":"GET","headers":[],)" + call_url;

/// Returns an entry at noon with a call and a response.
std::string entry_of(const std::string& response, const std::string& request = get_call) {
  return R"({"startedDateTime":"2026-01-01T12:00:00.000Z","time":3,"request":{)" + request + R"(},"response":)" +
         response + "}";
}

/// Returns a response 200 with that content and more members.
std::string response_of(const std::string& content, const std::string& more = R"("headers":[])") {
  return R"({"status":200,"statusText":"OK",)" + more + R"(,"content":)" + content + "}";
}

struct Imported {
  tools::HarImport result;
  std::vector<cassettes::FullInteraction> stored;
};

Imported import_of(const std::string& entries) {
  const TestFolder folder;
  const std::string path = folder.file("x.cassette");
  Imported out{tools::import_har("{\"log\":{\"entries\":[\n" + entries + "]}}", path, {}), {}};
  REQUIRE(out.result.report.finished);
  const cassettes::CassetteReader reader(path);
  reader.each([&](const cassettes::FullInteraction& full) {
    out.stored.push_back(full);
    return true;
  });
  return out;
}

}  // namespace

TEST_CASE("import: reads archives of browsers, proxies, and clients, with and without response bodies") {
  const std::string body = R"("{\"success\":true}")";
  struct Row {
    std::string_view form;
    std::string entry;
    std::string_view played;  ///< "" if the archive lacks the response or its body
  };
  const std::string length = R"("headers":[{"name":"Content-Length","value":"16"}])";
  const Row rows[] = {
      {"Firefox", entry_of(response_of(R"({"mimeType":"application/json","size":16,"text":)" + body + "}")), "json"},
      {"Firefox without bodies",
       entry_of(
           response_of(R"({"mimeType":"application/json","size":16,"comment":"Response bodies are not included."})")),
       ""},
      {"Firefox, blocked", entry_of(R"({"status":0,"statusText":"","headers":[],"content":{"size":0,"text":""}})"), ""},
      {"Chrome", entry_of(response_of(R"({"size":16,"mimeType":"application/json","text":)" + body + "}")), "json"},
      {"Chrome, body evicted", entry_of(response_of(R"({"size":16,"mimeType":"application/json"})")), ""},
      {"Chrome, canceled",
       entry_of(R"({"status":0,"_error":"net::ERR_ABORTED","headers":[],"content":{"size":0,"mimeType":"x-unknown"}})"),
       ""},
      {"Chrome, redirect",
       entry_of(R"({"status":302,"headers":[{"name":"Location","value":"/x"},{"name":"Content-Length","value":"154"}],
                    "content":{"size":0,"mimeType":"text/html"}})"),
       "empty"},
      {"Playwright without bodies", entry_of(response_of(R"({"size":-1,"mimeType":"application/json"})")), ""},
      {"Playwright, bodies beside it", entry_of(response_of(R"({"size":-1,"mimeType":"x","_file":"0a.json"})")), ""},
      {"Safari",
       entry_of(response_of(R"({"size":16,"compression":0,"mimeType":"application/json","text":)" + body + "}")),
       "json"},
      {"Safari, body not available", entry_of(response_of(R"({"size":0,"compression":0,"mimeType":"x"})", length)), ""},
      {"Charles",
       entry_of(response_of(R"({"size":16,"mimeType":"x","text":"eyJzdWNjZXNzIjp0cnVlfQ==","encoding":"base64"})")),
       "json"},
      {"Charles, body not base64",
       entry_of(response_of(R"({"size":16,"mimeType":"x","text":"%%","encoding":"base64"})")), ""},
      {"Fiddler, 7 decimals",
       R"({"startedDateTime":"2026-01-01T13:00:00.1234567+01:00","request":{)" + get_call + R"(},"response":)" +
           response_of(R"({"size":16,"compression":0,"text":)" + body + "}") + "}",
       "json"},
      {"Fiddler, body dropped", entry_of(response_of(R"({"size":0,"text":null,"comment":"Body was dropped"})", length)),
       ""},
      {"Insomnia, parameters beside the URL",
       entry_of(
           response_of(R"({"size":16,"text":)" + body + "}"),
           R"("method":"GET","url":"http://nas.example/webapi/entry.cgi","queryString":[{"name":"api","value":"SVC.A"},
                  {"name":"version","value":"1"},{"name":"method","value":"get"}])"),
       "json"},
      {"Insomnia, no response", R"({"startedDateTime":"2026-01-01T12:00:00Z","request":{)" + get_call + "}}", ""},
      {"mitmproxy", entry_of(response_of(R"({"size":16,"compression":0,"mimeType":"x","text":)" + body + "}", length)),
       "json"},
      {"mitmproxy, streamed", entry_of(response_of(R"({"size":0,"compression":0,"mimeType":"x","text":null})", length)),
       ""},
      {"an empty body", entry_of(response_of(R"({"size":0,"text":""})")), "empty"},
      {"an empty body, packed",
       entry_of(response_of(R"({"size":0})", R"("headers":[{"name":"Content-Encoding","value":"gzip"},
                                                           {"name":"Content-Length","value":"20"}])")),
       "empty"},
      {"no content", entry_of(R"({"status":200,"headers":[]})"), ""},
      {"no content, and none sent", entry_of(R"({"status":204,"headers":[]})"), "empty"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.form);
    const Imported got = import_of(row.entry);
    CHECK(got.result.faults.empty());
    CHECK(got.result.broken.size() == (row.played.empty() ? 1 : 0));
    REQUIRE(got.stored.size() == 1);
    const scrubbers::InteractionRecord& record = got.stored.front().record;
    CHECK(record.key.text == "SVC.A/1/get");
    CHECK((record.completeness == api::Completeness::complete) == !row.played.empty());
    CHECK(record.response.body == (row.played == "json" ? R"({"success":true})" : ""));
  }
}

TEST_CASE("import: an unusable entry is reported with its place and does not affect others") {
  const std::string good = entry_of(response_of(R"({"size":2,"text":"{}"})"));
  struct Row {
    std::string entry;
    std::string_view fault;
  };
  const Row rows[] = {
      {"{}", "line 3, column 1: the entry has no usable \"request\""},
      {"[]", "line 3, column 1: an entry is not an object"},
      {"null", "line 3, column 1: an entry is not an object"},
      {entry_of("{}", R"("method":"GET")"), "line 3, column 1: the entry has no usable \"url\""},
      {entry_of("{}", R"("method":"G T",)" + call_url), "line 3, column 1: invalid request method"},
      {entry_of("{}", get_call + R"(,"postData":{"text":"%","encoding":"base64"})"),
       "line 3, column 1: the request body is not base64"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.entry);
    const Imported got = import_of(good + ",\n" + row.entry + ",\n" + good);
    CHECK(got.result.faults == std::vector<std::string>{std::string(row.fault)});
    CHECK(got.result.broken.empty());
    CHECK(got.stored.size() == 2);
    CHECK_THROWS_AS(import_of(row.entry), tools::ImportError);
  }
}

TEST_CASE("import: an entry without a valid date gets the time of the entry before it") {
  const std::string dated = entry_of(response_of(R"({"size":2,"text":"{}"})"));
  const std::string date = R"("startedDateTime":"2026-01-01T12:00:00.000Z",)";
  for (const std::string instead : {R"()", R"("startedDateTime":"noon",)", R"("startedDateTime":1,)"}) {
    CAPTURE(instead);
    std::string undated = dated;
    undated.replace(undated.find(date), date.size(), instead);
    const Imported got = import_of(undated + "," + dated + "," + undated);
    CHECK(got.result.undated == 2);
    REQUIRE(got.stored.size() == 3);
    for (const auto& one : got.stored) CHECK(one.record.started_us == got.stored.front().record.started_us);
    CHECK(got.stored.front().record.started_us == 1'767'268'800'000'000);
  }
}

TEST_CASE("import: splits cookies that an archive joins with line ends") {
  const Imported got = import_of(entry_of(
      response_of(R"({"size":2,"text":"{}"})",
                  R"("headers":[{"name":"set-cookie","value":"a=1; path=/\nb=2\r\n"},{"name":"X","value":"y\nz"}])")));
  REQUIRE(got.stored.size() == 1);
  const http::Headers& headers = got.stored.front().record.response.headers;
  CHECK(headers.all("Set-Cookie").size() == 2);
  CHECK(headers.first("X") == "y");
}
