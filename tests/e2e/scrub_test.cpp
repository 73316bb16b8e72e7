// Tests `tapedeck scrub` and reviewed findings: suspects of the leak scan that a cassette allows.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::scrub_cases {

namespace {

const std::string suspect = "access_token = q8Zr2VtXw71LmNb0Kc5Dy9Pj";

void send_note(const std::string& url, const std::string& text) {
  (void)curl({url + "/webapi/note.cgi", "-H", "Content-Type: text/plain", "--data-binary", text});
}

/// Returns the fingerprint of the only suspect that `tapedeck scan` finds.
std::string only_suspect(const std::string& path) {
  const Ran scanned = run_tapedeck({"scan", "--json", path});
  CHECK(scanned.status == 3);
  const auto report = nlohmann::json::parse(scanned.out);
  if (report.at("findings").size() != 1) throw std::runtime_error("one suspect was expected: " + scanned.out);
  return report.at("findings")[0].at("fingerprint").get<std::string>();
}

bool says(const Ran& ran, const std::string& text) { return ran.out.find(text) != std::string::npos; }

}  // namespace

TEST_CASE("scrub: --allow keeps a reviewed suspect in the cassette, and --disallow reverts it") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "note.cassette";
  record(folder.path(), device, cassette, [](const std::string& url) { send_note(url, suspect); });
  const std::string fingerprint = only_suspect(cassette);

  const Ran allowed = run_tapedeck({"scrub", cassette, "--allow", fingerprint, "--strict"});
  CHECK(allowed.status == 0);
  CHECK(says(allowed, "reviewed: 1 suspect allowed"));
  CHECK(says(run_tapedeck({"ls", cassette}), "1 suspect of the leak scan marked as reviewed"));

  const Ran scanned = run_tapedeck({"scan", cassette});
  CHECK(scanned.status == 0);
  CHECK(says(scanned, "1 is marked as reviewed in the cassettes"));
  CHECK(nlohmann::json::parse(run_tapedeck({"scan", cassette, "--json"}).out).at("allowed_by_file") == 1);
  const Ran distrusting = run_tapedeck({"scan", cassette, "--strict"});
  CHECK(distrusting.status == 3);
  CHECK(says(distrusting, fingerprint));

  // A later run of `record` keeps the list, and reports a new suspect.
  record(folder.path(), device, cassette, [](const std::string& url) { send_note(url, "another"); }, {"--strict=suspect"});
  CHECK(says(run_tapedeck({"ls", cassette}), "1 suspect of the leak scan marked as reviewed"));
  Server recorder(folder.path(), {"record", "--device", device.url(), cassette, "--strict=suspect"});
  send_note(recorder.url(), "access_token = nB4kW8sYp2LmQx7RvT3cZd");
  CHECK(recorder.stop() == 3);
  CHECK(recorder.out().find("LEAK: 0 learned values and 1 suspect found") != std::string::npos);

  const std::string quarantined = cassette + ".quarantined";
  const Ran back = run_tapedeck({"scrub", quarantined, "--disallow", fingerprint});
  CHECK(back.status == 0);
  CHECK(says(back, "[" + fingerprint + "]"));
  CHECK_FALSE(says(run_tapedeck({"ls", quarantined}), "marked as reviewed"));
}

TEST_CASE("scrub: an invalid fingerprint is refused, and an unused one is reported") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "note.cassette";
  record(folder.path(), device, cassette, [](const std::string& url) { send_note(url, "nothing"); });
  const std::string before = read_file(cassette);
  for (const char* option : {"--allow", "--disallow"}) {
    for (const char* text : {"", "12", "0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef0123456789abcdeg"}) {
      const Ran refused = run_tapedeck({"scrub", cassette, option, text});
      CHECK(refused.status == 2);
      CHECK(refused.err.find("32 hex digits") != std::string::npos);
    }
  }
  CHECK(run_tapedeck({"scan", cassette, "--allow", "12"}).status == 2);
  const std::string unknown = "0123456789abcdef0123456789abcdef";
  CHECK(run_tapedeck({"scrub", cassette, "--allow", unknown, "--disallow", unknown}).status == 2);
  CHECK(read_file(cassette) == before);
  const Ran allowed = run_tapedeck({"scrub", cassette, "--allow", unknown});
  CHECK(allowed.status == 0);
  CHECK(says(allowed, "--allow " + unknown + ": no suspect has this fingerprint"));
  CHECK(says(run_tapedeck({"scrub", cassette, "--disallow", unknown}), "contains 1 interaction\n"));
  CHECK(read_file(cassette) == before);
  CHECK(says(run_tapedeck({"scrub", cassette, "--disallow", unknown}), "this fingerprint was not allowed"));
}

TEST_CASE("scrub: lists changes by ID, key, part, and rule and never by value") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "old.cassette";
  const std::string secret = "q8Zr2VtXw71LmNb0Kc5Dy9Pj";
  constexpr int many = 103;
  record(folder.path(), device, cassette, [&](const std::string& url) {
    std::vector<std::string> all;
    for (int i = 0; i < many; ++i) {
      all.push_back(url + "/webapi/entry.cgi?api=SYNO.Core.Network&version=1&method=get&licence=" + secret +
                    "&n=" + std::to_string(i));
    }
    (void)curl(all);
  });
  const std::string rules = folder / "rules.toml";
  write_file(rules,
             "[[scrub.rule]]\nid = \"licence-key\"\nreason = \"bought\"\nscope = \"parameter\"\n"
             "match = \"licence\"\nclass = \"token\"\n");
  const std::string copy = folder / "copy.cassette";
  std::filesystem::copy_file(cassette, copy);

  const Ran scrubbed = run_tapedeck({"scrub", cassette, "--config", rules});
  CHECK(scrubbed.status == 0);
  CHECK(says(scrubbed, "scrubbed again: 103 interactions"));
  CHECK(says(scrubbed, ": request target 1 by licence-key"));
  CHECK(says(scrubbed, "and 3 more"));
  CHECK_FALSE(says(scrubbed, secret));

  const auto report = nlohmann::json::parse(run_tapedeck({"scrub", copy, "--config", rules, "--json"}).out);
  CHECK(report.at("finished") == true);
  CHECK(report.at("scrubbed_again") == many);
  REQUIRE(report.at("changes").size() == 100);
  std::vector<std::string> ids;  // in the order of the file
  for (const auto& row : nlohmann::json::parse(run_tapedeck({"ls", "--json", "--sort", "key", copy}).out)) {
    ids.push_back(row.at("id").get<std::string>());
  }
  for (std::size_t i = 0; i < 100; ++i) {
    const auto& change = report.at("changes")[i];
    CHECK(change.at("id") == ids[i]);
    CHECK(says(scrubbed, "  " + ids[i] + "  "));
    CHECK(change.at("added") == nlohmann::json::parse(R"([{"part":"request target","rule":"licence-key","count":1}])"));
  }
  CHECK(read_file(copy) == read_file(cassette));
  CHECK_FALSE(says(run_tapedeck({"scrub", cassette, "--config", rules}), "scrubbed again"));
}

TEST_CASE("record: counts late scrubbing at the end and names the command with the details") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "late.cassette";
  const Login login;
  Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
  send_note(recorder.url(), "soon: " + login.password);
  (void)play(recorder.url(), {login_step()}, login);
  CHECK(recorder.stop() == 0);
  CHECK(recorder.out().find("scrubbed again: 1 interaction; `tapedeck show " + cassette + " ID`") != std::string::npos);
  CHECK(recorder.out().find(login.password) == std::string::npos);
}

}  // namespace tapedeck::tests::scrub_cases
