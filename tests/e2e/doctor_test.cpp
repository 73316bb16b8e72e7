// Tests tapedeck doctor with sound and broken devices.

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::doctor_cases {

namespace {

using Json = nlohmann::json;
using Environment = std::vector<std::pair<std::string, std::string>>;

/// Makes a self-signed certificate for nas.example that expired long ago.
Certificate make_expired_certificate(const TempDir& folder) {
  Certificate made{folder / "expired.pem", folder / "expired.key", ""};
  const std::string config = folder / "ca.cnf";
  write_file(config, "[ca]\ndefault_ca=c\n[c]\ndatabase=" + (folder / "index.txt") + "\nserial=" + (folder / "serial") +
                         "\ndefault_md=sha256\npolicy=p\n" + "new_certs_dir=" + folder.path().string() +
                         "\n[p]\ncommonName=supplied\n[req]\ndistinguished_name=dn\n[dn]\n[e]\n"
                         "subjectAltName=DNS:nas.example\n");
  write_file(folder / "index.txt", "");
  write_file(folder / "serial", "01\n");
  const Ran request =
      run({"openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-config",
           config, "-subj", "/CN=nas.example", "-keyout", made.key, "-out", folder / "expired.csr"});
  const Ran signed_one = run({"openssl", "ca", "-batch", "-selfsign", "-config", config, "-keyfile", made.key, "-in",
                              folder / "expired.csr", "-out", made.file, "-startdate", "20200101000000Z", "-enddate",
                              "20210101000000Z", "-extensions", "e", "-notext"});
  if (request.status != 0 || signed_one.status != 0) throw std::runtime_error("openssl: " + signed_one.err);
  return made;
}

/// Returns a URL of a port of this machine on which no program listens.
std::string unused_url() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(socket, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  close(socket);
  return "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

/// Runs doctor without the machine's proxy settings.
Ran doctor(const std::string& url, std::vector<std::string> options = {}, Environment environment = {}) {
  std::vector<std::string> argv = {"setsid",    "-w", "env",        "-u", "http_proxy",  "-u", "https_proxy", "-u",
                                   "all_proxy", "-u", "HTTP_PROXY", "-u", "HTTPS_PROXY", "-u", "ALL_PROXY"};
  for (const auto& [name, value] : environment) argv.push_back(name + "=" + value);
  argv.insert(argv.end(), {binary(), "doctor", url});
  argv.insert(argv.end(), options.begin(), options.end());
  return run(argv);
}

struct Said {
  int status = -1;
  Json json;
  /// "bad reach" …, in order, without successful checks.
  std::vector<std::string> troubles;
  std::string all;
};
Said ask(const std::string& url, std::vector<std::string> options = {}, const Environment& environment = {}) {
  options.emplace_back("--json");
  const Ran ran = doctor(url, options, environment);
  Said said;
  said.status = ran.status;
  said.json = Json::parse(ran.out);
  said.all = ran.out;
  std::set<std::string> facts;
  for (const Json& one : said.json.at("findings")) {
    const auto grade = one.at("grade").get<std::string>(), check = one.at("check").get<std::string>();
    const auto remedy = one.at("do").get<std::string>();
    CHECK_FALSE(remedy.empty());
    CHECK(facts.insert(one.at("what").get<std::string>()).second);  // each one once
    if (grade != "good") said.troubles.push_back(grade + " " + check);
  }
  CHECK(said.json.at("works") == (said.status == 0));
  return said;
}

std::string with(const std::string& url, const std::string& from, const std::string& to) {
  std::string text = url;
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("doctor: reports no problem for a sound device, and logs in nowhere") {
  const Device device;
  const Said said = ask(device.url());
  CHECK(said.status == 0);
  CHECK(said.troubles == std::vector<std::string>());
  CHECK(device.operations().count("API.Auth/login") == 0);
  CHECK(said.json.at("command") == "tapedeck record --device " + device.url() + " my.cassette");
  const Ran text = doctor(device.url());
  CHECK(text.status == 0);
  CHECK(text.out.find("Recording will work:\n    tapedeck record --device " + device.url()) != std::string::npos);
  CHECK(text.out.find("\ngood  reach ") != std::string::npos);
}

TEST_CASE("doctor: says how to record an account that gets a limited session without the web login") {
  const TempDir folder;
  Server device(folder.path().string(), {"replay"});
  const Said said = ask(device.url());
  CHECK(said.status == 0);
  CHECK(said.troubles == std::vector<std::string>{"note login"});
  for (const char* const text : {"limited session", "error 105", "in a browser"}) {
    CHECK(said.all.find(text) != std::string::npos);
  }
}

TEST_CASE("doctor: names each broken state with its remedy") {
  const TempDir folder;
  const Certificate foreign = make_certificate(folder, "foreign"), expired = make_expired_certificate(folder);
  const auto https = [](const Certificate& certificate) {
    DeviceOptions options;
    options.certificate = certificate.file;
    options.private_key = certificate.key;
    return options;
  };
  DeviceOptions based, old, stranger, late;
  based.base_path = "/dsm";
  old.old_firmware = true;
  stranger.is_stranger = true;
  late.clock_off = -4000;
  const Device plain, with_foreign(https(foreign)), with_expired(https(expired)), with_base(based), with_old(old),
      nobody(stranger), with_clock(late);
  DeviceOptions redirecting;
  redirecting.redirects_to = with_foreign.origin();
  const Device redirects(redirecting);
  using Words = std::vector<std::string>;
  const struct {
    std::string name, url;
    std::vector<std::string> options;
    Environment environment;
    int status;
    Words troubles;
    std::string says;  ///< a part of the output
  } rows[] = {
      {"no route", unused_url(), {}, {}, 1, {"bad reach"}, "cannot be reached"},
      {"no such host", "http://nas.invalid:5000", {}, {}, 1, {"bad reach"}, "cannot be reached"},
      {"http where https was said", with(plain.url(), "http:", "https:"), {}, {}, 1, {"bad scheme"}, plain.url()},
      {"https where http was said",
       with(with_foreign.url(), "https:", "http:"),
       {},
       {},
       1,
       {"bad scheme"},
       with_foreign.url()},
      {"a certificate that nobody signed", with_foreign.url(), {}, {}, 1, {"bad certificate"}, foreign.fingerprint},
      {"the same, trusted by pin",
       with_foreign.url(),
       {"--pin-sha256", foreign.fingerprint},
       {},
       0,
       {},
       "works\":true"},
      {"the same, trusted by file", with_foreign.url(), {"--ca-file", foreign.file}, {}, 0, {}, "works\":true"},
      {"an expired certificate for another name",
       with_expired.url(),
       {},
       {},
       1,
       {"note certificate", "note certificate", "bad certificate"},
       "it expired on 2021-01-01"},
      {"no check at all",
       with_expired.url(),
       {"--insecure"},
       {},
       0,
       {"note certificate", "note certificate"},
       "expired"},
      {"base path left out", with_base.origin(), {}, {}, 1, {"bad base path"}, with_base.url()},
      {"base path too long", with_base.url() + "/webman/index.cgi", {}, {}, 1, {"bad base path"}, with_base.url()},
      {"a proxy in the environment",
       plain.url(),
       {},
       {{"HTTP_PROXY", "http://192.0.2.7:3128"}},
       0,
       {"note proxy"},
       "NO_PROXY"},
      {"a proxy that is not for this machine",
       plain.url(),
       {},
       {{"http_proxy", "http://192.0.2.7:3128"}, {"no_proxy", "example.org, 127.0.0.1"}},
       0,
       {},
       "works\":true"},
      {"a redirect", redirects.url(), {}, {}, 1, {"bad redirect"}, "use " + with_foreign.origin() + " instead"},
      {"old firmware", with_old.url(), {}, {}, 0, {"note firmware"}, "older generation"},
      {"no device at all", nobody.url(), {}, {}, 1, {"bad interface"}, "no device found"},
      {"a clock that is off", with_clock.url(), {}, {}, 0, {"note clock"}, "off by 4"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const Said said = ask(row.url, row.options, row.environment);
    CAPTURE(said.all);
    CHECK(said.status == row.status);
    CHECK(said.troubles == row.troubles);
    CHECK(said.all.find(row.says) != std::string::npos);
  }
  CHECK(with_foreign.operations().count("API.Auth/login") == 0);
}

}  // namespace tapedeck::tests::doctor_cases
