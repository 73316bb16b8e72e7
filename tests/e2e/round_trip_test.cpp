// Tests the main promise: direct, through the recorder, and replayed, a client gets the same responses, and no secret
// is left.

#include <catch2/catch.hpp>

#include "tests/e2e/harness.h"
#include "tests/support/leak_search.h"
#include "tests/support/needs.h"

namespace tapedeck::tests::round_trip_cases {

namespace {

/// Returns all values that must be in no file of the run.
std::vector<std::string> all_secrets(const Device& device) {
  const DeviceSecrets given = device.secrets();
  std::vector<std::string> secrets = {device.options().password};
  secrets.insert(secrets.end(), given.session_ids.begin(), given.session_ids.end());
  secrets.insert(secrets.end(), given.csrf_tokens.begin(), given.csrf_tokens.end());
  secrets.insert(secrets.end(), given.device_ids.begin(), given.device_ids.end());
  return secrets;
}

/// Writes the output of `ls`, `show`, and `show --body` to files in `folder`, of every sixth interaction; in a long
/// run, of all.
void tell_all(const std::string& cassette, const TempDir& folder) {
  write_file(folder / "ls.txt", run_tapedeck({"ls", cassette}).out);
  const std::vector<std::string> ids = ids_in(cassette);
  for (std::size_t i = 0; i < ids.size(); i += is_long() ? 1 : 6) {
    const std::string& id = ids[i];
    write_file(folder / ("show-" + id), run_tapedeck({"show", cassette, id}).out);
    write_file(folder / ("body-" + id), run_tapedeck({"show", cassette, id, "--as", "body"}).out);
    write_file(folder / ("request-" + id), run_tapedeck({"show", cassette, id, "--as", "request-body"}).out);
  }
}

}  // namespace

TEST_CASE("round trip: a whole session is the same direct, through the recorder, and replayed") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "session.cassette";
  const Transcript direct = play(device.url(), whole_session());
  REQUIRE(direct.sid.size() == 86);
  Transcript proxied;
  record(folder.path(), device, cassette, [&](const std::string& url) { proxied = play(url, whole_session()); });
  CHECK(differences(direct, proxied) == std::vector<std::string>());
  const auto reached = device.requests();

  Server replay(folder.path(), {"replay", cassette});
  const Transcript replayed = play(replay.url(), whole_session());
  CHECK(differences(proxied, replayed) == std::vector<std::string>());
  for (std::size_t i = 0; i < replayed.replies.size(); ++i) {
    CAPTURE(replayed.steps[i].name);
    CHECK(replayed.replies[i].header("x-tapedeck-outcome") == "recorded");
    CHECK(replayed.replies[i].header("content-encoding").empty());
  }
  CHECK(replayed.sid.size() == proxied.sid.size());
  CHECK(replayed.sid != proxied.sid);
  CHECK(device.requests() == reached);
  CHECK(replay.stop() == 0);
}

TEST_CASE("round trip: another login in the same replay gets the same responses with its own IDs") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "session.cassette";
  Transcript proxied;
  record(folder.path(), device, cassette, [&](const std::string& url) { proxied = play(url, whole_session()); });
  Server replay(folder.path(), {"replay", cassette});
  const Transcript first = play(replay.url(), whole_session());
  // Another account, any password, and the other name of the first label.
  Login other{"somebody-else", "any password", "SYNO"};
  const Transcript second = play(replay.url(), whole_session(), other);
  CHECK(second.sid != first.sid);
  CHECK(differences(proxied, second) == std::vector<std::string>());
  Server again(folder.path(), {"replay", cassette});
  CHECK(play(again.url(), whole_session()).sid == first.sid);
}

TEST_CASE("round trip: session ID, password, and tokens are in no file of the run in any form") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "session.cassette";
  record(folder.path(), device, cassette, [&](const std::string& url) {
    (void)play(url, whole_session());
    (void)play(url, {login_step(), call("link", "api=SYNO.FileStation.List&version=2&method=getlink")});
    (void)curl(
        {url +
         "/webapi/auth.cgi?api=SYNO.API.Auth&version=6&method=login&account=x&passwd=Wr0ng-Pass/word&format=sid"});
  });
  {
    Server replay(folder.path(), {"replay", cassette});
    (void)play(replay.url(), whole_session());
  }
  tell_all(cassette, folder);
  std::vector<std::string> secrets = all_secrets(device);
  secrets.emplace_back("Wr0ng-Pass/word");
  CHECK(secrets.size() == 8);
  CHECK(leaks(folder.path(), secrets) == std::vector<std::string>());
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    files += entry.path().filename().string().starts_with("session.cassette") ? 1 : 0;
  }
  CHECK(files == 1);
  CHECK((std::filesystem::status(cassette).permissions() & std::filesystem::perms::mask) ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

TEST_CASE("round trip: a two-factor login is replayed, and its code is not stored") {
  const TempDir folder;
  DeviceOptions options;
  options.two_factor_code = "48291537";
  const Device device(options);
  const std::string cassette = folder / "two.cassette";
  const Step first = login_step();
  Step second = first;
  second.curl[0] += "&otp_code=48291537";
  const std::vector<Step> steps = {{"asked for a code", first.curl},
                                   second,
                                   call("network", "api=SYNO.Core.Network&version=1&method=get"),
                                   logout_step()};
  Transcript proxied;
  record(folder.path(), device, cassette, [&](const std::string& url) { proxied = play(url, steps); });
  REQUIRE(proxied.sid.size() == 86);
  Server replay(folder.path(), {"replay", cassette});
  const Transcript replayed = play(replay.url(), steps);
  CHECK(replayed.steps[0].body.starts_with(R"({"error":{"code":403,"errors":{"token":")"));
  CHECK(replayed.sid.size() == 86);
  CHECK(differences({{proxied.steps.begin() + 1, proxied.steps.end()}, "", "", "", {}},
                    {{replayed.steps.begin() + 1, replayed.steps.end()}, "", "", "", {}}) ==
        std::vector<std::string>());
  CHECK(leaks(folder.path(), {"48291537"}) == std::vector<std::string>());
}

}  // namespace tapedeck::tests::round_trip_cases
