// Tests devices with https: which certificates are trusted, and that others get no byte of a request.

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::tls_cases {

namespace {

DeviceOptions https_options(const Certificate& certificate) {
  DeviceOptions options;
  options.certificate = certificate.file;
  options.private_key = certificate.key;
  return options;
}

std::string without_colons(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ':'), text.end());
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::size_t count_files(const TempDir& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

const std::vector<Step> steps = {login_step(), call("network", "api=SYNO.Core.Network&version=1&method=get"),
                                 call("shares", "api=SYNO.Core.Share&version=1&method=list"), logout_step()};

}  // namespace

TEST_CASE("tls: --insecure, the right pin, and the right CA file reach the device") {
  const TempDir folder;
  const Certificate certificate = make_certificate(folder, "device");
  const Device device(https_options(certificate));
  const std::vector<std::vector<std::string>> ways = {
      {"--insecure"}, {"--pin-sha256", certificate.fingerprint}, {"--ca-file", certificate.file}};
  for (const auto& way : ways) {
    CAPTURE(way[0]);
    std::vector<std::string> arguments = {"record", "--device", device.url(), folder / (way[0] + ".cassette")};
    arguments.insert(arguments.end(), way.begin(), way.end());
    Server recorder(folder.path(), arguments);
    const Transcript seen = play(recorder.url(), steps);
    CHECK(seen.sid.size() == 86);
    CHECK(recorder.stop() == 0);
    CHECK((recorder.err().find("accepts any certificate") != std::string::npos) == (way[0] == "--insecure"));
    Server replay(folder.path(), {"replay", folder / (way[0] + ".cassette")});
    CHECK(differences(seen, play(replay.url(), steps)) == std::vector<std::string>());
  }
}

TEST_CASE("tls: a wrong certificate is 502 with its fingerprint, and the device gets no request") {
  const TempDir folder;
  const Certificate certificate = make_certificate(folder, "device"), other = make_certificate(folder, "other");
  const Device device(https_options(certificate));
  const std::vector<std::vector<std::string>> ways = {
      {}, {"--pin-sha256", other.fingerprint}, {"--ca-file", other.file}};
  for (std::size_t i = 0; i < ways.size(); ++i) {
    CAPTURE(i);
    const std::string cassette = folder / (std::to_string(i) + ".cassette");
    std::vector<std::string> arguments = {"record", "--device", device.url(), cassette};
    arguments.insert(arguments.end(), ways[i].begin(), ways[i].end());
    const Ran refused = run_tapedeck(arguments);
    CHECK(refused.status == 1);
    CHECK(refused.err.find("--pin-sha256 " + certificate.fingerprint) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(cassette));
    // With --mode new, the first call connects to the device.
    arguments.insert(arguments.end(), {"--mode", "new"});
    Server recorder(folder.path(), arguments);
    const Reply reply = curl({recorder.url() + "/webapi/entry.cgi?api=SYNO.Core.Network&version=1&method=get"});
    CHECK(reply.status == 502);
    CHECK(without_colons(reply.body).find(certificate.fingerprint) != std::string::npos);
    CHECK(recorder.stop() == 0);
  }
  CHECK(device.requests() == 0);
}

TEST_CASE(
    "record: what keeps the device from being reached is said at the start, with the remedy, and leaves no file") {
  const TempDir folder, state;
  const Certificate certificate = make_certificate(folder, "device");
  const Device https(https_options(certificate)), http;
  const std::string https_url = https.url(), http_url = http.url();
  const auto other_scheme = [](const std::string& url) {
    return url.starts_with("https") ? "http" + url.substr(5) : "https" + url.substr(4);
  };
  // Uses another name of this machine, because https is not tried on loopback.
  const auto elsewhere = [](std::string url) { return url.replace(url.find("127.0.0.1"), 9, "0.0.0.0"); };
  struct Row {
    std::string device, says, hint;
  };
  const Row rows[] = {
      {"http://127.0.0.1:1", "cannot record http://127.0.0.1:1: Connection refused", "check the host and the port"},
      {"https://127.0.0.1:1", "Connection refused", "check the host and the port"},
      {"http://nas.invalid:5000", "cannot record http://nas.invalid:5000: ", "check the host and the port"},
      {elsewhere(other_scheme(https_url)), "the port speaks https, not http", "use --device " + elsewhere(https_url)},
      {other_scheme(http_url), "the port does not speak https", "use --device " + http_url},
      {https_url, "self-signed certificate", "use --pin-sha256 " + certificate.fingerprint},
  };
  const std::size_t files = count_files(folder);
  for (const Row& row : rows) {
    const std::vector<std::vector<std::string>> commands = {
        {"record", "--listen", "127.0.0.1:0", "--device", row.device, folder / "c.cassette"},
        {"record", "--listen", "127.0.0.1:0", "--mode", "once", "--device", row.device, folder / "c.cassette"},
        {"exec", "--mode", "all", "--device", row.device, folder / "c.cassette", "--", "true"},
    };
    for (const auto& command : commands) {
      CAPTURE(row.device, command);
      const Ran ran = run_tapedeck(command);
      INFO(ran.err);
      CHECK(ran.status == 1);
      CHECK(ran.err.find(row.says) != std::string::npos);
      CHECK(ran.err.find(row.hint) != std::string::npos);
      CHECK(count_files(folder) == files);
    }
  }
  CHECK(https.requests() + http.requests() == 0);
}

TEST_CASE("record: an accepted certificate is trusted later unless others can write its file") {
  const TempDir folder, state;
  const Certificate certificate = make_certificate(folder, "device");
  const Device device(https_options(certificate));
  const std::string heading = "# Certificates of devices that you accepted for Tapedeck: HOST:PORT SHA256\n";
  const std::string address = device.url().substr(8), pins = state / "tapedeck/pins";
  std::filesystem::create_directories(state / "tapedeck");
  const auto record_status = [&](const std::string& text, mode_t mode) {
    write_file(pins, text);
    ::chmod(pins.c_str(), mode);
    const Ran ran = run({"env", "XDG_STATE_HOME=" + state.path().string(), binary(), "exec", "--mode", "all",
                         "--device", device.url(), folder / "c.cassette", "--", "true"});
    INFO(ran.err);
    CHECK((ran.status == 0) == (ran.err.find("cannot record") == std::string::npos));
    return ran.status;
  };
  const std::string line = address + " " + certificate.fingerprint + "\n";
  CHECK(record_status(heading + line, 0600) == 0);
  CHECK(record_status(heading + "other.example:5001 " + std::string(64, '0') + "\n" + line, 0644) == 0);
  CHECK(record_status(heading + line, 0666) == 1);
  CHECK(record_status(line, 0600) == 1);
  CHECK(record_status(heading + "127.0.0.1:1 " + certificate.fingerprint + "\n", 0600) == 1);
  CHECK(record_status(heading + address + " " + std::string(64, '0') + "\n", 0600) == 1);
}

}  // namespace tapedeck::tests::tls_cases
