// Tests exec --mode for a suite that gains tests: the device only gets new requests.

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::exec_record_cases {

namespace {

using Names = std::vector<std::string>;

const std::string entry = "/webapi/entry.cgi?version=1&api=SYNO.";

/// Returns a client as a shell script that logs in and sends each of the calls, which must succeed.
std::string client(const Names& calls) {
  std::string script =
      "sid=$(curl -sS \"$TAPEDECK_URL/webapi/auth.cgi?api=SYNO.API.Auth&version=6&method=login&account=ann&passwd=x\" "
      "| sed -n 's/.*\"sid\":\"\\([^\"]*\\)\".*/\\1/p'); ";
  for (const std::string& call : calls) {
    script += "curl -sS \"$TAPEDECK_URL" + entry + call + "&_sid=$sid\" | grep -q '\"success\":true' || exit 9; ";
  }
  return script;
}

const std::string network = "Core.Network&method=get", shares = "Core.Share&method=list",
                  portals = "Core.AppPortal&method=list";

/// Returns a device with the account of client().
DeviceOptions nas() {
  DeviceOptions options;
  options.account = "ann";
  options.password = "x";
  return options;
}

struct Suite {
  Suite() {
    const Device device(nas());
    const Step login = {"login",
                        {"{base}/webapi/auth.cgi?api=SYNO.API.Auth&version=6&method=login&account=ann&passwd=x"}};
    record(folder.path(), device, cassette, [&login](const std::string& url) {
      (void)play(url, {login, call("network", "api=SYNO.Core.Network&version=1&method=get"), logout_step()});
    });
    old_bytes = read_file(cassette);
  }
  [[nodiscard]] Ran exec(const std::string& device, const std::string& script, Names more = {},
                         const std::string& mode = "new") const {
    Names arguments = {"exec", "--mode", mode, "--device", device};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {cassette, "--", "sh", "-c", script});
    return run_tapedeck(arguments);
  }

  TempDir folder;
  std::string cassette = folder / "c.cassette", old_bytes;
};

}  // namespace

TEST_CASE("exec --mode new: sends only logins and new requests to the device") {
  const Suite suite;
  const Names old_ids = ids_in(suite.cassette);
  const Device device(nas());
  const Ran ran = suite.exec(device.url(), client({network, shares}), {"--note", "two tests more"});
  INFO(ran.err);
  CHECK(ran.status == 0);
  CHECK(ran.out.empty());  // standard output belongs to the command
  CHECK(count(device, "Core.Network/get") == 0);
  CHECK(count(device, "Core.Share/list") == 1);
  CHECK(count(device, "API.Auth/login") == 1);
  const Names ids = ids_in(suite.cassette);
  CHECK(ids.size() == old_ids.size() + 2);
  for (const std::string& id : old_ids) CHECK(std::find(ids.begin(), ids.end(), id) != ids.end());
  CHECK(run_tapedeck({"exec", "--strict", suite.cassette, "--", "sh", "-c", client({shares, network})}).status == 0);
  // A run that stored only logins changes nothing.
  const std::string bytes = read_file(suite.cassette);
  CHECK(suite.exec(device.url(), client({network, shares})).status == 0);
  CHECK(read_file(suite.cassette) == bytes);
}

TEST_CASE("exec --mode: if the command fails, the cassette stays unchanged and the recording is beside it") {
  const Suite suite;
  const Device device(nas());
  const Ran ran = suite.exec(device.url(), client({network, shares}) + "exit 7");
  INFO(ran.err);
  CHECK(ran.status == 7);
  CHECK(read_file(suite.cassette) == suite.old_bytes);
  CHECK(ids_in(suite.cassette + ".failed").size() == ids_in(suite.cassette).size() + 2);
  CHECK(ran.err.find("c.cassette.failed") != std::string::npos);
  CHECK(run_tapedeck({"scan", suite.cassette + ".failed"}).status == 0);
}

TEST_CASE("exec --mode: sends writes only with --allow-writes") {
  const Suite suite;
  const std::string set =
      "curl -sS -d 'api=SYNO.Core.Terminal&version=3&method=set&enable_ssh=true&_sid='$sid "
      "\"$TAPEDECK_URL/webapi/entry.cgi\"";
  const Device device(nas());
  const Ran blocked = suite.exec(device.url(), client({}) + set);
  CHECK(blocked.out.find("105") != std::string::npos);
  CHECK(count(device, "Core.Terminal/set") == 0);
  CHECK(read_file(suite.cassette) == suite.old_bytes);
  CHECK(suite.exec(device.url(), client({}) + set, {"--allow-writes"}).out.find("true") != std::string::npos);
  CHECK(count(device, "Core.Terminal/set") == 1);
}

TEST_CASE("exec --mode all and once: create a cassette, and once then replays it") {
  for (const std::string mode : {"all", "once"}) {
    CAPTURE(mode);
    const Suite suite;
    std::filesystem::remove(suite.cassette);
    const Device device(nas());
    CHECK(suite.exec(device.url(), client({network}) + "exit 3", {}, mode).status == 3);
    CHECK_FALSE(std::filesystem::exists(suite.cassette));
    CHECK(suite.exec(device.url(), client({network}), {}, mode).status == 0);
    CHECK(ids_in(suite.cassette).size() == 2);
    const auto asked = device.requests();
    CHECK(suite.exec(device.url(), client({network}), {}, mode).status == 0);
    CHECK((device.requests() == asked) == (mode == "once"));
    CHECK(run_tapedeck({"exec", "--strict", suite.cassette, "--", "sh", "-c", client({network})}).status == 0);
  }
}

TEST_CASE("exec --mode: trusts an https device under the same conditions as record") {
  const Suite suite;
  const TempDir folder;
  const Certificate certificate = make_certificate(folder, "device");
  DeviceOptions options = nas();
  options.certificate = certificate.file;
  options.private_key = certificate.key;
  const Device device(options);
  const std::vector<Names> ways = {
      {"--insecure"}, {"--pin-sha256", certificate.fingerprint}, {"--ca-file", certificate.file}};
  for (const Names& way : ways) {
    CAPTURE(way[0]);
    CHECK(suite.exec(device.url(), client({network, shares}), way).status == 0);
    write_file(suite.cassette, suite.old_bytes);
  }
  CHECK(count(device, "Core.Share/list") == 3);
  CHECK(suite.exec(device.url(), client({network, shares})).status == 9);
}

TEST_CASE("exec --mode: reports impossible options before the command runs") {
  const TempDir folder;
  const std::string touch = "touch " + (folder / "ran");
  const std::vector<Names> wrong = {
      {"exec", "--mode", "new", folder / "c.cassette", "--", "sh", "-c", touch},
      {"exec", "--mode", "new", "--device", "http://127.0.0.1:1", "--", "sh", "-c", touch},
      {"exec", "--mode", "sometimes", "--device", "http://127.0.0.1:1", folder / "c.cassette", "--", "sh", "-c", touch},
  };
  for (const Names& arguments : wrong) {
    CAPTURE(arguments[2], arguments[3]);
    CHECK(run_tapedeck(arguments).status == 2);
  }
  CHECK_FALSE(std::filesystem::exists(folder / "ran"));
}

TEST_CASE("exec --mode: a recording that cannot be finished is a failed test case of the report") {
  const TempDir folder;
  const Device device;
  const std::string place = folder / "place", report = folder / "r.xml";
  std::filesystem::create_directory(place);
  const std::string script =
      "curl -sS -o /dev/null \"$TAPEDECK_URL" + entry + network + "\"; mv " + place + " " + folder / "moved";
  const Ran ran = run_tapedeck({"exec", "--mode", "all", "--device", device.url(), "--report", report,
                                place + "/a.cassette", "--", "sh", "-c", script});
  CAPTURE(ran.err);
  CHECK(ran.status == 1);
  CHECK(says(read_file(report), "name=\"the recording is complete\">\n    <failure message=\"ended with status 1\">"));
}

}  // namespace tapedeck::tests::exec_record_cases
