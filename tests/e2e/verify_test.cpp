// Tests verify: the device gets the reads before the first write again, and is not changed.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

#include "tests/e2e/harness.h"
#include "tests/support/deep_search.h"
#include "tests/support/device_drift.h"

namespace tapedeck::tests::verify_cases {

namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

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

void record_steps(const TempDir& folder, const Device& device, const std::string& cassette,
                  const std::vector<Step>& steps) {
  record(folder.path(), device, cassette, [&steps](const std::string& url) { (void)play(url, steps); });
}

struct Verifying {
  explicit Verifying(std::vector<std::string> more = {}) : options(std::move(more)) {
    write_file(password, Login().password + "\n");
  }
  [[nodiscard]] Ran operator()(const std::string& cassette, const Device& device,
                               std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {
        "verify", cassette, "--device", device.url(), "--device-account", "fixture-admin", "--device-password-file",
        password, "--rate", "0"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_tapedeck(arguments);
  }
  TempDir elsewhere;
  std::string password = elsewhere / "password";
  std::vector<std::string> options;
};

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

TEST_CASE("verify and diff: name twelve planted changes, and no noise after three takes") {
  const TempDir folder;
  const std::string cassette = folder / "a.cassette", later = folder / "later.cassette";
  const Drifting noise(Drift::noisy);
  const Device device;
  for (int take = 0; take < 3; ++take) record_steps(folder, device, cassette, reads());
  const Verifying verify;
  const Ran same = verify(cassette, device);
  INFO(same.out << same.err);
  CHECK(same.status == 0);
  CHECK(says(same.out, "0 changed, 0 added, 0 removed"));
  CHECK(says(same.out, "repeated 9 calls; not repeated: 2 changes the device or logs in"));

  const Drifting moved(Drift::moved_on);
  const std::string before = read_file(cassette);
  const Ran drifted = verify(cassette, device, {"--json"});
  INFO(drifted.out << drifted.err);
  CHECK(drifted.status == 3);
  CHECK(named_in(json::parse(drifted.out)) == planted);
  CHECK(read_file(cassette) == before);
  record_steps(folder, device, later, reads());
  const Ran differs = run_tapedeck({"diff", "--json", cassette, later});
  CHECK(differs.status == 3);
  CHECK(named_in(json::parse(differs.out)) == planted);
  // Both are reported: the refusal with another code and the missing call.
  for (const Ran& ran : {drifted, differs}) {
    std::set<std::string> codes;
    const json report = json::parse(ran.out);
    for (const json& call : report.at("calls")) {
      for (const json& change : call.at("changes")) {
        if (change.at("kind") == "error code") codes.insert(change.at("after").get<std::string>());
      }
    }
    CHECK(codes == std::set<std::string>{"102", "402"});
  }
}

TEST_CASE("verify: for a cassette with writes and compounds, the device gets only reads and its own session") {
  const TempDir folder;
  const std::string cassette = folder / "a.cassette";
  const Step write = call("write", "api={label}.Core.Terminal&version=3&method=set&enable_ssh=true");
  const auto compound = [](const std::string& name, const std::string& parts) {
    return Step{name,
                {"{base}/webapi/entry.cgi", "--data-urlencode", "compound=" + parts, "-d",
                 "api={label}.Entry.Request&version=1&method=request&_sid={sid}"}};
  };
  const std::string reading = R"([{"api":"{label}.Core.Network","method":"get","version":1}])";
  const std::string writing = R"([{"api":"{label}.Core.Network","method":"get","version":1},)"
                              R"({"api":"{label}.Core.Group","method":"create","name":"g","version":1}])";
  {
    const Device device;
    record_steps(folder, device, cassette,
                 {login_step(), network, compound("reading", reading), compound("writing", writing), workgroup, write,
                  call("group", "api={label}.Core.Group&version=1&method=create&name=another"),
                  call("scan", "api={label}.Core.SecurityScan.Operation&version=1&method=start&items=ALL"),
                  Step{"posted", {"{base}/webapi/Template", "-d", "x=1"}},
                  call("upload", "api={label}.FileStation.Upload&version=2&method=upload", {"-F", "file=@/dev/null"}),
                  network, logout_step()});
  }
  const Device device;
  const Ran ran = Verifying()(cassette, device);
  INFO(ran.out << ran.err);
  CHECK(ran.status == 0);
  const std::map<std::string, unsigned> heard = device.operations();
  CHECK(heard == std::map<std::string, unsigned>{{"API.Info/query", 1},
                                                 {"API.Auth/login", 1},
                                                 {"Core.Network/get", 2},
                                                 {"Entry.Request/request", 1},
                                                 {"API.Auth/logout", 1}});
  CHECK(device.requests() == 5);
  CHECK(says(ran.out, "1 after a write"));
}

TEST_CASE("verify: without an account, sends calls that need no session, and exits with 1 or 2 if none can be sent") {
  const TempDir folder;
  const std::string cassette = folder / "a.cassette", closed = folder / "closed.cassette";
  std::string gone;
  {
    const Device device;
    gone = device.url();
    record_steps(folder, device, cassette, reads());
    record_steps(folder, device, closed, {login_step(), network});
  }
  const Device device;
  const Ran open = run_tapedeck({"verify", cassette, "--device", device.url()});
  INFO(open.out << open.err);
  CHECK(open.status == 0);
  CHECK(says(open.out, "repeated 2 calls"));
  CHECK(says(open.out, "7 needs an account"));
  CHECK(device.operations().count("API.Auth/login") == 0);
  CHECK(device.operations().count("Core.Network/get") == 0);

  const Ran nothing = run_tapedeck({"verify", closed, "--device", device.url()});
  CHECK(nothing.status == 2);
  CHECK(says(nothing.err, "--device-account"));
  const Ran alone = run_tapedeck({"verify", cassette, "--device", device.url(), "--device-password-file", cassette});
  CHECK(alone.status == 2);
  const Ran away = run_tapedeck({"verify", cassette, "--device", gone});
  CHECK(away.status == 1);
  CHECK(says(away.err, "tapedeck doctor"));
  CHECK(away.out.empty());
  DeviceOptions strict;
  strict.password = "quite another one";
  const Device refusing(strict);
  const Ran refused = Verifying()(cassette, refusing);
  CHECK(refused.status == 1);
  CHECK(says(refused.err, "the device refused the login"));
  CHECK(run_tapedeck({"verify", cassette, "--device", device.url(), "--ignore", "data"}).status == 2);
}

TEST_CASE("verify: trusts an https device under the same conditions as record") {
  const TempDir folder;
  const std::string cassette = folder / "a.cassette", rules = folder / "tapedeck.toml";
  const Certificate own = make_certificate(folder, "own"), other = make_certificate(folder, "other");
  DeviceOptions https;
  https.certificate = own.file;
  https.private_key = own.key;
  const Device device(https);
  record(folder.path(), device, cassette, [](const std::string& url) { (void)play(url, {reads().front()}); },
         {"--insecure"});
  write_file(rules, "# no rule of its own\n");
  const auto status = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"verify", cassette, "--device", device.url(), "--config", rules};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ran ran = run_tapedeck(arguments);
    INFO(ran.out << ran.err);
    CHECK(says(ran.err, "another machine could pose as the device") == (more.size() == 1));
    return ran.status;
  };
  CHECK(status({"--insecure"}) == 0);
  CHECK(status({"--ca-file", own.file}) == 0);
  CHECK(status({"--pin-sha256", own.fingerprint}) == 0);
  CHECK(status({"--ca-file", other.file}) == 1);
  CHECK(status({"--pin-sha256", other.fingerprint}) == 1);
}

TEST_CASE("verify: a cassette with pseudonyms is verified with its key, and an update has no original") {
  const TempDir folder, elsewhere;
  const std::string cassette = folder / "a.cassette", key = elsewhere / "key", serial = "0000FX0000000";
  const Device device;
  const Step system = call("system", "api={label}.Core.System&version=1&method=info");
  record(folder.path(), device, cassette,
         [&](const std::string& url) {
           (void)play(url, {login_step(), system, network});
         },
         {"--private-key", key});
  REQUIRE_FALSE(says(run_tapedeck({"export", "--text", cassette}).out, serial));
  const Verifying verify;
  CHECK(verify(cassette, device).status == 3);
  const Ran same = verify(cassette, device, {"--private-key", key});
  INFO(same.out << same.err);
  CHECK(same.status == 0);
  CHECK(verify(cassette, device, {"--private-key", elsewhere / "no key"}).status == 2);
  const Drifting moved(Drift::moved_on);
  CHECK(verify(cassette, device, {"--private-key", key, "--update"}).status == 3);
  CHECK(verify(cassette, device, {"--private-key", key}).status == 0);
  CHECK_FALSE(says(run_tapedeck({"export", "--text", cassette}).out, "192.0.2.254"));
}

TEST_CASE("verify: --update adds changed responses as a take that then plays, without values of the session") {
  const TempDir folder;
  const std::string cassette = folder / "a.cassette";
  {
    const Device device;
    record_steps(folder, device, cassette, reads());
  }
  const Device device;
  const Drifting moved(Drift::moved_on);
  const Verifying verify({"--disable", "param-unused-in-this-test"});
  CHECK(verify(cassette, device).status == 2);  // the rule does not exist
  const Ran updated = Verifying()(cassette, device, {"--update", "--ignore", "/data/mtu", "--noise", "--markdown"});
  INFO(updated.out << updated.err);
  CHECK(updated.status == 3);
  CHECK(says(updated.out, "| what | where |"));
  CHECK(says(updated.err, "added 8 responses"));
  CHECK(Verifying()(cassette, device).status == 0);
  const json info = json::parse(run_tapedeck({"info", "--json", cassette}).out);
  CHECK(info[0].at("takes") == 2);
  const DeviceSecrets all = device.secrets();
  Names secrets = {device.options().password};
  for (const auto* kind : {&all.session_ids, &all.csrf_tokens, &all.device_ids}) {
    secrets.insert(secrets.end(), kind->begin(), kind->end());
  }
  Names where;
  CHECK(deep_search_files(folder.path(), secrets, &where).empty());
  CHECK(where == Names());
  Server replay(folder.path(), {"replay", cassette});
  const Transcript played = play(replay.url(), reads());
  CHECK(says(played.steps[2].body, "192.0.2.254"));
  CHECK(replay.stop() == 0);
}

}  // namespace tapedeck::tests::verify_cases
