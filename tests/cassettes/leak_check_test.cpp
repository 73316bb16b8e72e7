// Tests the last search of a cassette: a finding removes an interaction or a text, and Tapedeck's own texts are not
// findings.

#include <catch2/catch.hpp>

#include "base/digest.h"
#include "cassettes/read/cassette_reader.h"
#include "tests/support/cassette_fixture.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteReader;
using cassettes::FinishReport;

namespace {

const std::string session = "Kq3xV9-fixture_session-Lm2pQ7";

/// Returns a form that the scan decodes and scrubbing does not replace.
std::string hidden(std::string_view value) { return base::to_hex(base::to_hex(value)); }

FinishReport finished_with(const std::string& path, std::vector<Recorded> rows,
                           const std::vector<std::string>& taught = {}, const cassettes::Take& take = fixture_take()) {
  scrubbers::Scrubber scrubber({});
  for (const std::string& value : taught) scrubber.teach(value);
  auto writer = writer_with(path, timed(std::move(rows)), scrubber, take);
  cassettes::FinishOptions options;
  options.scrubber = &scrubber;
  return cassettes::finish(std::move(writer), options);
}

}  // namespace

TEST_CASE("leak check: numbers, columns, and tables of the cassette itself are not findings") {
  const std::vector<std::string> values = {"1",
                                           "12",
                                           "157",
                                           "1000",
                                           "200",
                                           "body",
                                           "interaction",
                                           "withheld_digest",
                                           "request_headers",
                                           "PASSWORD",
                                           "<PASSWORD>",
                                           "version=1",
                                           "SESSION_ID",
                                           "sequence_entry"};
  std::vector<Recorded> rows = {login("tester", session)};
  for (int i = 0; i < 200; ++i) {
    rows.push_back(
        record("SVC.Core.Log/1/get?offset=" + std::to_string(i),
               R"({"data":{"id":)" + std::to_string(i) + R"(,"text":"body of interaction"},"success":true})"));
  }
  for (const std::string& value : values) {
    rows.push_back(record("SVC.API.Auth/6/login?account=a&passwd=" + value, ok));
    rows.push_back(record("SVC.Core.User/1/set?otp_code=" + value, ok));
  }
  const TestFolder folder;
  const FinishReport report = finished_with(folder.file("own.cassette"), std::move(rows), values);
  INFO(report.failure);
  CHECK(report.finished);
  CHECK(report.withheld == std::vector<std::string>());
  CHECK(report.findings == std::vector<std::string>());
}

TEST_CASE("leak check: a scope or note with a value loses only its text") {
  const TestFolder folder;
  const std::string path = folder.file("texts.cassette");
  cassettes::Take take = fixture_take();
  take.note = "by " + hidden(session);
  const FinishReport report =
      finished_with(path,
                    {login("tester", session), record("SVC.Core.Network/1/get", ok).in_scope("test " + hidden(session)),
                     record("SVC.Core.System/1/info", ok).in_scope("another")},
                    {}, take);
  INFO(report.failure);
  REQUIRE(report.finished);
  CHECK(report.quarantined.empty());
  CHECK(report.withheld.size() == 2);
  const CassetteReader reader(path);
  std::vector<std::string> scopes;
  reader.scopes([&](const cassettes::ScopeTake& scope) {
    if (!scope.name.empty()) scopes.push_back(scope.name);
    return true;
  });
  CHECK(scopes.size() == 2);
  CHECK(std::count(scopes.begin(), scopes.end(), "another") == 1);
  std::size_t complete = 0;
  reader.list([&](const cassettes::ListedInteraction& line) {
    complete += line.completeness == api::Completeness::complete ? 1 : 0;
    return true;
  });
  CHECK(complete == 3);
}

TEST_CASE("leak check: a value in a request's method withholds that interaction") {
  const TestFolder folder;
  const std::string path = folder.file("method.cassette");
  const FinishReport report = finished_with(
      path, {login("tester", session), record_target("GET" + session, "/x", ok), record("SVC.Core.Network/1/get", ok)});
  INFO(report.failure);
  REQUIRE(report.finished);
  CHECK(report.withheld.size() == 1);
  CassetteReader(path).list([&](const cassettes::ListedInteraction& line) {
    CHECK(line.key.find(session) == std::string::npos);
    return true;
  });
}
