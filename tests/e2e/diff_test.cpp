// Tests diff: two recordings of the same calls, before and after the device has changed.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <set>

#include "tests/e2e/harness.h"
#include "tests/support/device_drift.h"

namespace tapedeck::tests::diff_cases {

namespace {

using nlohmann::json;

const Step network = call("network", "api={label}.Core.Network&version=1&method=get");
const Step workgroup = call("workgroup", "api={label}.Core.FileServ.SMB&version=1&method=get");

/// Returns calls of every kind that the planted changes affect.
std::vector<Step> reads() {
  return {
      Step{"info", {"{base}/webapi/query.cgi?api={label}.API.Info&version=1&method=query&query=all"}},
      login_step(),
      network,
      call("station", "api={label}.DSM.Info&version=1&method=getinfo"),
      call("users", "api={label}.Core.User&version=1&method=list"),
      call("shares", "api={label}.Core.Share&version=1&method=list"),
      call("portals", "api={label}.Core.AppPortal&version=1&method=list"),
      call("script", "api={label}.Core.Desktop.SessionData&version=1&method=getjs&SynoToken={token}"),
      Step{"template", {"{base}/webapi/Template"}},
      workgroup,
      workgroup,
      logout_step(),
  };
}

/// Returns the calls three times, so that the recording shows which values differ in each response.
std::vector<Step> polls() {
  std::vector<Step> steps;
  for (int i = 0; i < 3; ++i) {
    for (const Step& step : reads()) steps.push_back(step);
  }
  return steps;
}

void record_steps(const TempDir& folder, const Device& device, const std::string& cassette,
                  const std::vector<Step>& steps) {
  record(folder.path(), device, cassette, [&steps](const std::string& url) { (void)play(url, steps); });
}

/// Returns "value /data/gateway" of all changes except noise.
std::set<std::string> named_in(const json& report) {
  std::set<std::string> names;
  for (const json& call : report.at("calls")) {
    for (const json& change : call.at("changes")) {
      names.insert(change.at("kind").get<std::string>() + " " + change.at("path").get<std::string>());
    }
  }
  return names;
}

const std::set<std::string> planted = {
    "added /data/mtu",
    "removed /data/multi_gateway",
    "renamed /data/codepage",
    "type /data/ram",
    "value /data/gateway",
    "added /data/SYNO.Core.Fresh",
    "value /data/SYNO.Core.Network/maxVersion",
    "length /data/shares",
    "removed /data/shares/name=share-0",
    "header content-type",
    "status ",
    "error code ",
};

}  // namespace

TEST_CASE("diff: names twelve planted changes, and no noise that each take shows") {
  const TempDir folder;
  const std::string cassette = folder / "a.cassette", same = folder / "same.cassette", later = folder / "later.cassette";
  const Drifting noise(Drift::noisy);
  const Device device;
  record_steps(folder, device, cassette, polls());
  record_steps(folder, device, same, polls());
  const Ran equal = run_tapedeck({"diff", cassette, same});
  INFO(equal.out << equal.err);
  CHECK(equal.status == 0);
  CHECK(says(equal.out, "0 changed, 0 added, 0 removed"));

  const Drifting moved(Drift::moved_on);
  record_steps(folder, device, later, polls());
  const Ran differs = run_tapedeck({"diff", "--json", cassette, later});
  CHECK(differs.status == 1);
  const json report = json::parse(differs.out);
  CHECK(named_in(report) == planted);
  // Both are reported: the refusal with another code and the missing call.
  std::set<std::string> codes;
  for (const json& call : report.at("calls")) {
    for (const json& change : call.at("changes")) {
      if (change.at("kind") == "error code") codes.insert(change.at("after").get<std::string>());
    }
  }
  CHECK(codes == std::set<std::string>{"102", "402"});
}

}  // namespace tapedeck::tests::diff_cases
