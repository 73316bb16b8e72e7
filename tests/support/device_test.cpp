// Tests the test tools, because a wrong device or a search that finds nothing would make all other tests meaningless.

#include "tests/support/device.h"

#include <catch2/catch.hpp>

#include "tests/support/leak_search.h"
#include "tests/support/process.h"

namespace tapedeck::tests {

namespace {

std::string sid_of(const std::string& body) {
  const auto at = body.find("\"sid\":\"");
  return at == std::string::npos ? "" : body.substr(at + 7, body.find('"', at + 7) - at - 7);
}

std::string login(const Device& device, const std::string& more = "") {
  return curl({device.url() + "/webapi/auth.cgi?api=SYNO.API.Auth&version=7&method=login&account=fixture-admin" + more,
               "--data-urlencode", "passwd=" + device.options().password})
      .body;
}

}  // namespace

TEST_CASE("device: a login returns an ID that calls require until the logout") {
  const Device device;
  const std::string network = device.url() + "/webapi/entry.cgi?api=SYNO.Core.Network&version=1&method=get&_sid=";
  CHECK(curl({network}).body == R"({"error":{"code":119},"success":false})");
  const std::string sid = sid_of(login(device));
  REQUIRE(sid.size() == 86);
  CHECK(curl({network + sid}).body.starts_with(R"({"data":{"use_dhcp_domain":true)"));
  (void)curl({device.url() + "/webapi/auth.cgi?api=SYNO.API.Auth&version=7&method=logout&_sid=" + sid});
  CHECK(curl({network + sid}).body == R"({"error":{"code":119},"success":false})");
  CHECK(device.operations().at("Core.Network/get") == 3);
  CHECK(device.requests() == 5);
  CHECK(device.targets().front() == "/webapi/entry.cgi?api=SYNO.Core.Network&version=1&method=get&_sid=");
}

TEST_CASE("device: errors follow the order of checks of a device") {
  const Device device;
  const std::string sid = sid_of(login(device));
  const std::vector<std::pair<std::string, int>> rows = {
      {"version=1&method=get", 101},
      {"api=SYNO.Core.Nothing&version=9&method=nothing", 102},
      {"api=SYNO.Core.Network&version=9&method=nothing", 104},
      {"api=SYNO.Core.Network&version=1&method=nothing", 103},
      {"api=SYNO.Core.Terminal&version=1&method=set", 114},
      {"api=SYNO.Core.CurrentConnection&version=1&method=list&limit=x", 120},
      {"api=SYNO.Core.User&version=1&method=list", 105},
  };
  for (const auto& [query, code] : rows) {
    CAPTURE(query);
    const Reply reply = curl({device.url() + "/webapi/entry.cgi?" + query + "&_sid=" + sid});
    CHECK(reply.status == 200);
    CHECK(reply.body.starts_with("{\"error\":{\"code\":" + std::to_string(code)));
  }
}

TEST_CASE("device: a two-factor login requires the right code") {
  DeviceOptions options;
  options.two_factor_code = "482915";
  const Device device(options);
  CHECK(login(device).starts_with(R"({"error":{"code":403,"errors":{"token":")"));
  CHECK(login(device, "&otp_code=111111") == R"({"error":{"code":404},"success":false})");
  CHECK(sid_of(login(device, "&otp_code=482915")).size() == 86);
}

TEST_CASE("device: a long list is chunked, and gzipped on request") {
  const Device device;
  const std::string list =
      device.url() + "/webapi/entry.cgi?api=SYNO.Core.Share&version=1&method=list&_sid=" + sid_of(login(device));
  const Reply plain = curl({list});
  CHECK(plain.header("transfer-encoding") == "chunked");
  const Reply packed = curl({list, "-H", "Accept-Encoding: gzip"});
  CHECK(packed.header("content-encoding") == "gzip");
  CHECK(packed.body.size() < plain.body.size());
  CHECK(curl({list, "--compressed"}).body == plain.body);
}

TEST_CASE("leak search: finds a secret in every form and nothing else") {
  const std::string secret = "S3cr/t&v\"lue+9";
  for (const std::string& form : forms_of(secret)) {
    const TempDir folder;
    write_file(folder / "log", "before " + form + " after");
    CHECK(leaks(folder.path(), {secret}).size() >= 1);
    CHECK(leaks(folder.path(), {"Another-Secret-77"}).empty());
  }
  const TempDir folder;
  // Three alignments of base64: the text before the secret has 0, 1, and 2 bytes modulo three.
  for (const char* text : {"UzNjci90JnYibHVlKzk=", "eFMzY3IvdCZ2Imx1ZSs5", "eHhTM2NyL3QmdiJsdWUrOQ=="}) {
    write_file(folder / "log", text);
    CHECK(leaks(folder.path(), {secret}).size() >= 1);
  }
}

}  // namespace tapedeck::tests
