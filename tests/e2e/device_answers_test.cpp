// Tests the same round trip with the published responses of real devices, which are not part of this project.

#include <catch2/catch.hpp>
#include <set>

#include "tests/e2e/harness.h"
#include "tests/support/leak_search.h"
#include "tests/support/needs.h"

namespace tapedeck::tests::device_answers_cases {

namespace {

std::string answers_folder() {
  const std::string shared = shared_folder();
  const std::string folder = shared.empty() ? "" : shared + "/data/device-answers";
  return !folder.empty() && std::filesystem::is_directory(folder) ? folder : "";
}

/// Returns one call for each file, in the order of their names, after a login.
std::vector<Step> every_answer(const std::string& folder) {
  std::set<std::string> stems;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") {
      stems.insert(entry.path().stem().string());
    }
  }
  std::vector<Step> steps = {login_step()};
  std::string operation;
  for (const std::string& stem : stems) {
    const bool variant = !operation.empty() && stem.starts_with(operation + ".");
    operation = variant ? operation : stem;
    if (operation.ends_with("API.Auth.login")) {
      continue;
    }
    const auto dot = operation.rfind('.');
    steps.push_back(call(stem, "api=" + operation.substr(0, dot) + "&version=1&method=" + operation.substr(dot + 1)));
  }
  steps.push_back(logout_step());
  return steps;
}

}  // namespace

TEST_CASE("device responses: every published response of a real device survives the round trip") {
  const std::string answers = answers_folder();
  if (is_missing("device-answers", !answers.empty())) return;
  for (const bool live_ids : {false, true}) {
    CAPTURE(live_ids);
    const TempDir folder;
    DeviceOptions options;
    options.answers_folder = answers;
    options.live_ids = live_ids;
    const Device device(options);
    const std::vector<Step> steps = every_answer(answers);
    REQUIRE(steps.size() >= 22);
    const std::string cassette = folder / "answers.cassette";
    const Transcript direct = play(device.url(), steps);
    Transcript proxied;
    record(folder.path(), device, cassette, [&](const std::string& url) { proxied = play(url, steps); });
    // The published IDs are words that also occur elsewhere, so only fresh IDs can be distinguished from the rest of a
    // body.
    if (live_ids) {
      CHECK(differences(direct, proxied) == std::vector<std::string>());
    }
    const auto reached = device.requests();
    Server replay(folder.path(), {"replay", cassette});
    const Transcript replayed = play(replay.url(), steps);
    CHECK(device.requests() == reached);
    if (live_ids) {
      CHECK(differences(proxied, replayed) == std::vector<std::string>());
    }
    for (std::size_t i = 1; i < steps.size(); ++i) {
      CAPTURE(steps[i].name);
      const bool same = without_secrets(replayed.replies[i].body) == without_secrets(proxied.replies[i].body);
      CHECK(same);
    }
    std::vector<std::string> secrets = {options.password};
    for (const std::string& id : device.secrets().session_ids) {
      secrets.push_back(id);
    }
    CHECK(leaks(folder.path(), secrets) == std::vector<std::string>());
  }
}

TEST_CASE("device responses: two-factor logins of a real device survive the round trip") {
  const std::string answers = answers_folder();
  if (is_missing("device-answers", !answers.empty())) return;
  const TempDir folder;
  DeviceOptions options;
  options.answers_folder = answers;
  options.two_factor_code = "39174628";
  const Device device(options);
  const Step asked = {"code needed", login_step().curl};
  Step login = login_step();
  login.curl[0] += "&otp_code=39174628";
  const std::string cassette = folder / "two.cassette";
  Transcript proxied;
  record(folder.path(), device, cassette, [&](const std::string& url) { proxied = play(url, {asked, login}); });
  Server replay(folder.path(), {"replay", cassette});
  CHECK(differences(proxied, play(replay.url(), {asked, login})) == std::vector<std::string>());
}

}  // namespace tapedeck::tests::device_answers_cases
