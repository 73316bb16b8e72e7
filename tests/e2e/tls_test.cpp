// Devices behind https: who is trusted, and that nobody else sees a byte of a request.

#include <catch2/catch.hpp>

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

const std::vector<Step> steps = {login_step(), call("network", "api=SYNO.Core.Network&version=1&method=get"),
                                 call("shares", "api=SYNO.Core.Share&version=1&method=list"), logout_step()};

}  // namespace

TEST_CASE("tls: --insecure and the right pin and the right CA file reach the device") {
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

TEST_CASE("tls: a wrong certificate is 502 with the fingerprint seen and the device sees no request") {
  const TempDir folder;
  const Certificate certificate = make_certificate(folder, "device"), other = make_certificate(folder, "other");
  const Device device(https_options(certificate));
  const std::vector<std::vector<std::string>> ways = {
      {}, {"--pin-sha256", other.fingerprint}, {"--ca-file", other.file}};
  for (std::size_t i = 0; i < ways.size(); ++i) {
    CAPTURE(i);
    std::vector<std::string> arguments = {"record", "--device", device.url(),
                                          folder / (std::to_string(i) + ".cassette")};
    arguments.insert(arguments.end(), ways[i].begin(), ways[i].end());
    Server recorder(folder.path(), arguments);
    const Reply reply = curl({recorder.url() + "/webapi/entry.cgi?api=SYNO.Core.Network&version=1&method=get"});
    CHECK(reply.status == 502);
    CHECK(without_colons(reply.body).find(certificate.fingerprint) != std::string::npos);
    CHECK(recorder.stop() == 0);
  }
  CHECK(device.requests() == 0);
}

}  // namespace tapedeck::tests::tls_cases
