// Tests where secrets are found by name without being learned before.

#include "scrubbers/header_checks.h"
#include "tests/scrubbers/fixtures.h"

#include <catch2/catch.hpp>

#include "api/request_key.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

const std::string secret = "Zq8.Wn5-Lp2_Xd7Rt";
const std::string place_call = "/webapi/entry.cgi?api=SYNO.Core.System&version=1&method=info";
const std::string form = "application/x-www-form-urlencoded";

api::Interaction with_request_header(std::string name, std::string value) {
  api::Interaction interaction = get(place_call);
  interaction.request.headers.add(name, value);
  return interaction;
}

api::Interaction with_answer_header(std::string name, std::string value) {
  api::Interaction interaction = get(place_call);
  interaction.response.headers.add(name, value);
  return interaction;
}

api::Interaction answer_of(const std::string& api, const std::string& method, std::string body) {
  return get("/webapi/entry.cgi?api=" + api + "&version=1&method=" + method, std::move(body));
}

std::string multipart(const std::string& name) {
  return "--b\r\nContent-Disposition: form-data; name=\"path\"\r\n\r\n/home\r\n--b\r\nContent-Disposition: form-data; "
         "name=\"" +
         name + "\"\r\n\r\n" + secret + "\r\n--b--\r\n";
}

struct Place {
  const char* what;
  api::Interaction interaction;
  Part part;
  SecretClass secret_class;
};

std::vector<Place> request_rows() {
  return {
      {"sid in the query", get(place_call + "&_sid=" + secret), Part::request_target, SecretClass::session_id},
      {"sid under an encoded name", get(place_call + "&%5fs%69d=" + secret), Part::request_target,
       SecretClass::session_id},
      {"sid in capitals", get(place_call + "&_SID=" + secret), Part::request_target, SecretClass::session_id},
      {"sid as JSON text", get(place_call + "&_sid=%22" + secret + "%22"), Part::request_target,
       SecretClass::session_id},
      {"CSRF token in the query", get(place_call + "&SynoToken=" + secret), Part::request_target,
       SecretClass::csrf_token},
      {"sid outside of the API", get("/webman/x.cgi?_sid=" + secret), Part::request_target, SecretClass::session_id},
      {"password in the query", get(login_path + "&passwd=" + secret), Part::request_target, SecretClass::password},
      {"account of a login", get(login_path + "&account=" + secret), Part::request_target, SecretClass::account},
      {"code", get(login_path + "&otp_code=" + secret), Part::request_target, SecretClass::otp_code},
      {"device id of a login", get(login_path + "&device_id=" + secret), Part::request_target, SecretClass::device_id},
      {"device name", get(login_path + "&device_name=" + secret), Part::request_target, SecretClass::secret},
      {"cipher text", post(place_call, form, "__cIpHeRtExT=" + secret), Part::request_body, SecretClass::token},
      {"key exchange", post(place_call, form, "a=1&ik_message=" + secret), Part::request_body, SecretClass::token},
      {"key exchange of a resumption", post(place_call, form, "a=1&kk_message=" + secret), Part::request_body,
       SecretClass::token},
      {"key exchange in the query", get(login_path + "&ik_message=" + secret), Part::request_target,
       SecretClass::token},
      {"key exchange in a multipart login",
       post(login_path, "multipart/form-data; boundary=b", multipart("ik_message")), Part::request_body,
       SecretClass::token},
      {"password in a form", post(place_call, form, "x=1&passwd=" + secret), Part::request_body, SecretClass::password},
      {"form without a type", post(place_call, "", "x=1&passwd=" + secret), Part::request_body, SecretClass::password},
      {"multipart", post(place_call, "multipart/form-data; boundary=b", multipart("_sid")), Part::request_body,
       SecretClass::session_id},
      {"JSON body", post(place_call, "application/json", R"({"a":[{"passwd":")" + secret + R"("}]})"),
       Part::request_body, SecretClass::password},
      {"JSON in a parameter", get(place_call + "&compound=[{%22passwd%22:%22" + secret + "%22}]"), Part::request_target,
       SecretClass::password},
      {"docker configuration in a parameter",
       post(place_call, form, "config={%22auths%22:{%22hub.example%22:{%22auth%22:%22" + secret + "%22}}}"),
       Part::request_body, SecretClass::secret},
      {"JSON web key", post(place_call, "application/json", R"({"key":{"kty":"oct","k":")" + secret + R"("}})"),
       Part::request_body, SecretClass::secret},
      {"unzip password", post(place_call, form, "unzip_password=" + secret), Part::request_body, SecretClass::password},
      {"cookie id", with_request_header("Cookie", "a=b; id=" + secret + "; c=d"), Part::request_headers,
       SecretClass::session_id},
      {"cookie did", with_request_header("Cookie", "did=" + secret), Part::request_headers, SecretClass::device_id},
      {"cookie _SSID", with_request_header("Cookie", "_SSID=" + secret), Part::request_headers, SecretClass::cookie},
      {"unknown cookie", with_request_header("Cookie", "whatever=" + secret), Part::request_headers,
       SecretClass::cookie},
      {"token header", with_request_header("X-SYNO-TOKEN", secret), Part::request_headers, SecretClass::csrf_token},
      {"hash header", with_request_header("x-syno-hash", secret), Part::request_headers, SecretClass::token},
      {"sharing header", with_request_header("X-SYNO-SHARING", secret), Part::request_headers, SecretClass::secret},
      {"unknown header", with_request_header("X-Whatever", secret), Part::request_headers, SecretClass::token},
      {"bearer", with_request_header("Authorization", "Bearer " + secret), Part::request_headers,
       SecretClass::authorization},
      {"referer", with_request_header("Referer", "http://nas.example/?a=1&_sid=" + secret + "#x"),
       Part::request_headers, SecretClass::session_id},
      {"referer fragment", with_request_header("Referer", "http://nas.example/#_sid=" + secret), Part::request_headers,
       SecretClass::session_id},
  };
}

std::vector<Place> answer_rows() {
  const std::string otp = R"({"data":{"key":")" + secret + R"("},"success":true})";
  const std::string proxy = R"({"data":{"username":")" + secret + R"("},"success":true})";
  return {
      {"sid", get(login_path, R"({"data":{"sid":")" + secret + R"("},"success":true})"), Part::response_body,
       SecretClass::session_id},
      {"escaped key", get(login_path, R"({"data":{"\u0073i\u0064":")" + secret + R"("},"success":true})"),
       Part::response_body, SecretClass::session_id},
      {"synotoken", get(place_call, R"({"data":{"SynoToken":")" + secret + R"("}})"), Part::response_body,
       SecretClass::csrf_token},
      {"did", get(login_path, R"({"data":{"did":")" + secret + R"("}})"), Part::response_body, SecretClass::device_id},
      {"device_id", get(login_path, R"({"data":{"device_id":")" + secret + R"("}})"), Part::response_body,
       SecretClass::device_id},
      {"token of an error", get(login_path, R"({"error":{"code":403,"errors":{"token":")" + secret + R"("}}})"),
       Part::response_body, SecretClass::token},
      {"ciphertoken", answer_of("SYNO.API.Encryption", "getinfo", R"({"data":{"ciphertoken":")" + secret + R"("}})"),
       Part::response_body, SecretClass::token},
      {"confirmed password",
       answer_of("SYNO.Core.User.PasswordConfirm", "auth", R"({"data":{"token":")" + secret + R"("}})"),
       Part::response_body, SecretClass::token},
      {"seed of codes", answer_of("SYNO.Core.OTP", "get_qrcode", otp), Part::response_body, SecretClass::secret},
      {"community", answer_of("SYNO.Core.SNMP", "get", R"({"data":{"rocommunity":")" + secret + R"("}})"),
       Part::response_body, SecretClass::secret},
      {"account at a proxy", answer_of("SYNO.Core.Network.Proxy", "get", proxy), Part::response_body,
       SecretClass::secret},
      {"password in settings", get(place_call, R"({"data":[{"Password":")" + secret + R"("}]})"), Part::response_body,
       SecretClass::password},
      {"camera", get(place_call, R"({"camPassWord":")" + secret + R"("})"), Part::response_body, SecretClass::password},
      {"camera URL", get(place_call, R"({"rtspPath":"rtsp:\/\/)" + secret + R"(@cam.example\/1"})"),
       Part::response_body, SecretClass::password},
      {"JSON in JSON", get(place_call, R"({"msg":"{\"passwd\":\")" + secret + R"(\"}"})"), Part::response_body,
       SecretClass::password},
      {"URL in JSON", get(place_call, R"({"url":"\/download?a=1&_sid=)" + secret + R"("})"), Part::response_body,
       SecretClass::session_id},
      {"key exchange", get(login_path, R"({"data":{"ik_message":")" + secret + R"("},"success":true})"),
       Part::response_body, SecretClass::token},
      {"key exchange of a resumption", get(place_call, R"({"data":{"kk_message":")" + secret + R"("},"success":true})"),
       Part::response_body, SecretClass::token},
      {"Set-Cookie of the handshake", with_answer_header("Set-Cookie", "_SSID=" + secret + "; path=/"),
       Part::response_headers, SecretClass::cookie},
      {"Set-Cookie", with_answer_header("Set-Cookie", "id=" + secret + ";path=/;HttpOnly"), Part::response_headers,
       SecretClass::session_id},
      {"other Set-Cookie", with_answer_header("Set-Cookie", "x=" + secret + "; path=/"), Part::response_headers,
       SecretClass::cookie},
      {"Location", with_answer_header("Location", "http://nas.example/a?_sid=" + secret), Part::response_headers,
       SecretClass::session_id},
      {"Link", with_answer_header("Link", "<http://a.example/?a=1>; rel=x, <http://b.example/?_sid=" + secret + ">"),
       Part::response_headers, SecretClass::session_id},
      {"token header", with_answer_header("X-SYNO-TOKEN", secret), Part::response_headers, SecretClass::csrf_token},
  };
}

void check(const Place& row) {
  INFO(row.what);
  Scrubber scrubber({});
  const ScrubbedInteraction scrubbed = scrubber.scrub(row.interaction);
  const InteractionRecord& record = scrubbed.record();
  CHECK(all_of(record).find(secret) == std::string::npos);
  CHECK(record.completeness == api::Completeness::complete);
  CHECK(rows_fit(record));
  REQUIRE(record.redactions.size() == 1);
  CHECK(record.redactions[0].part == row.part);
  CHECK(to_string(record.redactions[0].secret_class) == to_string(row.secret_class));
  // Secrets that only a request has are not generated again, so even their length is not kept.
  const bool is_request = row.part < Part::response_reason;
  const bool is_id = row.secret_class <= SecretClass::task_id;
  const auto stored = CheckedShape::of(record.redactions[0].shape);
  const bool tells_requests_apart = !stored.check.empty();
  CHECK((!tells_requests_apart || row.part == Part::request_headers));
  CHECK(stored.shape == (is_request && !is_id && !tells_requests_apart ? "" : shape_of(secret)));
}

}  // namespace

TEST_CASE("places: secrets of a request are found by name in every place") {
  for (const Place& row : request_rows()) check(row);
}

TEST_CASE("places: secrets of a response are found by name in every place") {
  for (const Place& row : answer_rows()) check(row);
}

TEST_CASE("places: a redaction restores a secret that was found by name exactly") {
  for (const std::vector<Place>& rows : {request_rows(), answer_rows()}) {
    for (const Place& row : rows) {
      INFO(row.what);
      Scrubber scrubber({});
      const ScrubbedInteraction scrubbed = scrubber.scrub(row.interaction);
      InteractionRecord original;
      original.request = row.interaction.request;
      original.response = row.interaction.response;
      CHECK(restored(scrubbed.record(), row.part, {secret}) == part_of(original, row.part));
    }
  }
}

TEST_CASE("places: values that only look like secrets stay") {
  const std::vector<api::Interaction> kept{
      answer_of("SYNO.API.Encryption", "getinfo",
                R"({"data":{"public_key":"C0FFEE0123456789ABCDEF","server_time":1}})"),
      answer_of("SYNO.Core.User", "list", R"({"data":{"username":"alice","account":"alice","device_id":"usb1"}})"),
      answer_of("SYNO.Core.DSMNotify.Strings", "get", R"({"common":{"password":"Password","passwd":"Enter it"}})"),
      answer_of("SYNO.FileStation.Search", "start", R"({"data":{"taskid":"51CE617CF57B24E5"},"success":true})"),
      get(place_call, R"({"password":null,"passwd":"","sid":true,"synotoken":false,"otp":123456})"),
      get(place_call, R"({"fields":["sid","password","passwd"],"sid":{"x":1}})"),
      get(place_call + "&sid=1&passwd="),
      get(place_call, R"({"data":{"sid":"S-1-5-21-3623811015-3361044348-30300820-1013"}})"),
      with_request_header("Cookie", "stay_login=1; lang=enu"),
      with_answer_header("Set-Cookie", "id=deleted; Expires=Thu, 01-Jan-1970 00:00:01 GMT"),
      with_answer_header("ETag", "\"5f3a9c1d2b7e8f40\""),
  };
  for (const api::Interaction& interaction : kept) {
    INFO(interaction.response.body << interaction.request.target);
    Scrubber scrubber({});
    const ScrubbedInteraction scrubbed = scrubber.scrub(interaction);
    CHECK(lines_of(scrubbed.record()) == std::vector<std::string>{});
    CHECK(scrubbed.record().response.body == interaction.response.body);
    CHECK(scrubbed.record().request.target == interaction.request.target);
  }
}

TEST_CASE(
    "places: request headers are stored unless they are about the connection, and response headers except framing") {
  api::Interaction interaction = get(place_call);
  for (const char* name : {"Accept-Language", "X-Secret-Thing", "If-None-Match", "Host", "Connection", "Range",
                           "Sec-Fetch-Site", "User-Agent", "Content-Length"}) {
    interaction.request.headers.add(name, "v");
  }
  for (const char* name : {"Connection", "X-Hop", "Transfer-Encoding", "Date", "ETag", "Content-Length",
                           "X-Tapedeck-Outcome", "X-Custom"}) {
    interaction.response.headers.add(name, std::string(name) == "Connection" ? "keep-alive, X-Hop" : "v");
  }
  Scrubber scrubber({});
  const ScrubbedInteraction scrubbed = scrubber.scrub(interaction);
  CHECK(scrubbed.record().request.headers.to_text() ==
        "Accept-Language: v\r\nX-Secret-Thing: v\r\nIf-None-Match: v\r\nRange: v\r\nSec-Fetch-Site: v\r\nUser-Agent: "
        "v\r\n");
  CHECK(scrubbed.record().response.headers.to_text() ==
        "Content-Type: application/json; charset=\"UTF-8\"\r\nETag: v\r\nX-Custom: v\r\n");
}

TEST_CASE("places: a key is built from the stored request, whatever was replaced or withheld") {
  const std::string multipart = "multipart/form-data; boundary=";
  const auto field = [](const std::string& boundary) {
    return "--" + boundary + "\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--" + boundary + "--\r\n";
  };
  const std::vector<api::Interaction> interactions{
      get(place_call),
      get(place_call + "&a=[1,%202]&b=x+y&b=z&_dc=17"),
      get(place_call + "&_sid=" + sid),
      get(place_call + "&a=" + sid),
      with_request_header("Cookie", "id=" + sid),
      get("/"),
      get("/scripts/boot.js?v=2"),
      get("/scripts/boot.js?v=" + sid),
      post("/webapi/entry.cgi", form, "api=SYNO.Core.System&version=1&method=info&a=1"),
      post("/webapi/entry.cgi", form, "api=SYNO.Core.System&version=1&method=info&a=" + sid),
      post(place_call, form, "passwd=" + secret),
      post(place_call, multipart + "plain", field("plain")),
      post(place_call, multipart + sid, field(sid)),
      post(place_call, multipart + sid + "; x=1", field("another")),
      post(place_call, "application/json", R"({"a":1})"),
      post(place_call, "application/json", R"({"sid":")" + sid + "\"}"),
      post(place_call, "application/gzip", std::string("\x1f\x8b\x08", 3) + sid),
      post("/x", "text/plain", sid),
      login(sid),
  };
  for (const api::Interaction& interaction : interactions) {
    for (const char* encoding : {"", "gzip"}) {
      api::Interaction asked = interaction;
      if (*encoding != '\0') asked.request.headers.add("Content-Encoding", encoding);  // which it is not
      INFO(asked.request.target << ' ' << asked.request.body << ' ' << encoding);
      Scrubber scrubber({});
      static_cast<void>(scrubber.scrub(login(sid)));
      const ScrubbedInteraction scrubbed = scrubber.scrub(asked);
      const InteractionRecord& record = scrubbed.record();
      std::vector<api::Hole> holes;
      for (const Redaction& row : record.redactions) {
        if (row.part != Part::request_target && row.part != Part::request_body) continue;
        const auto part = row.part == Part::request_target ? api::RequestPart::target : api::RequestPart::body;
        holes.push_back({part, {row.offset, row.length}, hole_label(row)});
      }
      const api::RequestKey expected = api::KeyPolicy::current().key(record.request, "", holes);
      CHECK(record.key.text == expected.text);
      CHECK(record.key.has_holes == expected.has_holes);
      CHECK(record.key.is_call == expected.is_call);
    }
  }
}
