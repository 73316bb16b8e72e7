// Tests which scopes `exec --mode` adds to the cassette, by the results of the tests and of the command.

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/e2e/mode_scopes.h"

namespace tapedeck::tests::mode_scopes_cases {

TEST_CASE("exec --mode: a test without a result is dropped, unless the command succeeds") {
  struct Case {
    const char* what;
    std::string reports, end;
    Names kept;
    bool is_failed;  ///< the recording became CASSETTE.failed
  };
  const std::string asks =
      "curl -sS -H 'X-Tapedeck-Scope: silent' \"$TAPEDECK_URL/webapi/entry.cgi?" + info + "\" >/dev/null; ";
  for (const Case& row : {
           Case{"fails, another test passed",
                shell_test("good", info, true),
                "exit 5",
                {"good 2", "reads 1", "writes 1"},
                false},
           {"ends by a signal, another test passed",
            shell_test("good", info, true),
            "kill -TERM $$",
            {"good 2", "reads 1", "writes 1"},
            false},
           {"fails, another test failed", shell_test("bad", info, false), "exit 5", {"reads 1", "writes 1"}, false},
           {"fails, nothing was reported", "", "exit 5", {"reads 1", "writes 1"}, true},
           {"succeeds", shell_test("good", info, true), "exit 0", {"good 2", "reads 1", "silent 2", "writes 1"}, false},
       }) {
    INFO(row.what);
    const Suite suite;
    const Device device;
    const Ran ran = suite.exec(device, row.reports + asks + row.end);
    INFO(ran.err);
    CHECK(scopes_in(suite.cassette) == row.kept);
    CHECK(std::filesystem::exists(suite.cassette + ".failed") == row.is_failed);
    const bool is_named = says(ran.err, "scope silent is not kept, because its result was not reported");
    CHECK(is_named == (row.kept.size() < 4 && !row.reports.empty()));
  }
}

TEST_CASE("exec --mode: scopes that were reported as failed are dropped, and the rest is kept") {
  const Suite suite;
  {
    const Device device;
    const Ran ran = suite.exec(device, shell_test("good", info, true) + shell_test("bad", info, false) +
                                           shell_test("reads", info, true) + "exit 5");
    INFO(ran.err);
    CHECK(ran.status == 5);
    CHECK(ran.err.find("scope bad failed and is not kept") != std::string::npos);
    CHECK(scopes_in(suite.cassette) == Names{"good 2", "reads 1", "writes 1"});
    CHECK_FALSE(std::filesystem::exists(suite.cassette + ".failed"));
  }
  const std::string bytes = read_file(suite.cassette);
  {
    // A repeated test is kept as in its last run.
    const Device device;
    const Ran ran = suite.exec(device, shell_test("bad", info, false) + shell_test("bad#2", info, true));
    CHECK(ran.status == 0);
    CHECK(scopes_in(suite.cassette) == Names{"bad 3", "good 2", "reads 1", "writes 1"});
    CHECK(count(device, "API.Info/query") == 2);
  }
  write_file(suite.cassette, bytes);
  const Device device;
  // Only the failed scope was recorded, so nothing changes.
  CHECK(suite.exec(device, shell_test("bad", info, false) + "exit 5").status == 5);
  CHECK(read_file(suite.cassette) == bytes);
  CHECK_FALSE(std::filesystem::exists(suite.cassette + ".failed"));
  // A scope that failed before it sent a request also leaves nothing.
  CHECK(suite.exec(device, scope_result("bad", false) + "exit 5").status == 5);
  CHECK(read_file(suite.cassette) == bytes);
  for (const char* left : {".failed", ".recording"}) CHECK_FALSE(std::filesystem::exists(suite.cassette + left));
  // It fails without reporting a scope, so the recording is beside the cassette.
  const Ran silent = suite.exec(
      device, "curl -sS -H 'X-Tapedeck-Scope: new' \"$TAPEDECK_URL/webapi/entry.cgi?" + info + "\" >/dev/null; exit 5");
  CHECK(silent.status == 5);
  CHECK(read_file(suite.cassette) == bytes);
  CHECK(scopes_in(suite.cassette + ".failed") == Names{"good 2", "new 3", "reads 1", "writes 1"});
}

TEST_CASE("exec --mode new --rerecord: a scope is recorded again and replaces the previous recording") {
  const Suite suite;
  const Device device;
  const std::string script = "curl -sS -H 'X-Tapedeck-Scope: reads' \"$TAPEDECK_URL/webapi/entry.cgi?" + info + "\"";
  CHECK(suite.exec(device, script, {"--rerecord", "reads"}).status == 0);
  CHECK(device.requests() == 1);
  CHECK(scopes_in(suite.cassette) == Names{"reads 1", "reads 2", "writes 1"});
  // Replaced recordings do not count as unused.
  const std::string report = suite.elsewhere / "report.json";
  (void)run_tapedeck({"exec", "--strict=unused", "--report", report, suite.cassette, "--", "sh", "-c", script});
  const json scopes = json::parse(read_file(report)).at("scopes");
  CHECK(scopes.at("reads").at("unused") == json::array());
  CHECK_FALSE(scopes.contains("writes"));  // it did not run
}

}  // namespace tapedeck::tests::mode_scopes_cases
