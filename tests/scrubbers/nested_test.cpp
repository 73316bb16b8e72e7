// Tests secrets inside of other texts: JSON in strings, in base64, and behind text, scripts, lists under the name of a
// secret, and values of any length.

#include <catch2/catch.hpp>

#include "base/base64.h"
#include "http/message/urlencoded.h"
#include "tests/scrubbers/fixtures.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

const std::string nested_call = "/webapi/entry.cgi?api=SYNO.Core.Planted&version=1&method=get";
const std::string nested_secret = "q8Zr2VtXw71LmNb0Kc5Dy9Pj";

std::string in_json_quotes(const std::string& text) { return "\"" + encode(text, "json") + "\""; }

api::Interaction typed(const std::string& type, const std::string& body) {
  api::Interaction made = get(nested_call, body);
  made.response.headers.set("Content-Type", type);
  return made;
}

/// Replaces `S` in a text by a secret.
std::string planted(std::string text, const std::string& secret) {
  for (std::size_t at = text.find("«»"); at != std::string::npos; at = text.find("«»", at + secret.size())) {
    text.replace(at, 4, secret);
  }
  return text;
}

void check_hidden(const api::Interaction& given, const std::string& secret) {
  INFO(given.request.target.substr(0, 300) << '\n'
                                           << given.request.body.substr(0, 300) << '\n'
                                           << given.response.body.substr(0, 300));
  Scrubber scrubber({});
  const InteractionRecord record = scrubber.scrub(given).record();
  CHECK(record.completeness == api::Completeness::complete);
  CHECK_FALSE(record.redactions.empty());
  CHECK(rows_fit(record));
  CHECK(all_of(record).find(secret) == std::string::npos);
}

}  // namespace

TEST_CASE("nested: a secret is found in every string that holds a text of its own") {
  // With «» in place of the secret.
  const std::vector<std::string> strings{
      R"({"password":"«»"})",
      R"(10:31 sent {"user":"ann","password":"«»"} to the server)",
      R"(key={"private_key":"«»"})",
      R"({'user': 'ann', 'password': '«»', 'port': 1})",
      R"([{'name': 'x', 'api_key': '«»'}])",
      "user=ann&password=«»&x=1",
      "https://nas.example/x?next=%2Fy%3Fpassword%3D«»",
      "HTTP/1.1 200 OK\r\nX-Api-Key: «»\r\nServer: x",
      "<config><password>«»</password></config>",
      "<a><![CDATA[password=«»]]></a>",
      "<user password=\"«»\" name=\"ann\"/>",
      "<p>password: «»</p>",
  };
  for (const std::string& text : strings) {
    std::string said = planted(text, nested_secret);
    for (int depth = 0; depth < 5; ++depth) {
      CAPTURE(depth);
      check_hidden(get(nested_call, "{\"note\":" + in_json_quotes(said) + "}"), nested_secret);
      check_hidden(post(nested_call, "application/json", "{\"note\":" + in_json_quotes(said) + "}"), nested_secret);
      check_hidden(get(nested_call + "&note=" + http::percent_encode(said)), nested_secret);
      said = "{\"more\":" + in_json_quotes(said) + "}";
    }
    const std::string coded = base::base64_form(planted(text, nested_secret));
    for (const std::string& body : {R"({"note":")" + coded + "\"}", R"({"a":"{\"note\":\")" + coded + R"(\"}"})"}) {
      Scrubber scrubber({});
      const InteractionRecord record = scrubber.scrub(get(nested_call, body)).record();
      CAPTURE(body, record.response.body);
      REQUIRE(record.redactions.size() == 1);
      CHECK(to_string(record.redactions[0].encoding).find("base64") != std::string::npos);
      CHECK(restored(record, Part::response_body, {nested_secret}) == body);
    }
  }
}

TEST_CASE("nested: the values in a list or object under a plural name are secrets, and what describes them is not") {
  const std::vector<std::string> hidden{
      R"({"tokens":["«»","x"]})",
      R"({"tokens":{"ann":"«»"}})",
      R"({"tokens":[{"name":"laptop","value":"«»","created_at":"2026-01-02"}]})",
      R"({"passwords":{"ann":"«»"}})",
      R"({"secrets":{"db":{"value":"«»"}}})",
      R"({"data":{"credentials":[{"username":"ann","data":"«»"}]}})",
      R"({"recovery_codes":{"list":["«»"]}})",
  };
  for (const std::string& body : hidden) {
    check_hidden(get(nested_call, planted(body, nested_secret)), nested_secret);
    check_hidden(post(nested_call, "application/json", planted(body, nested_secret)), nested_secret);
  }
  const std::vector<std::string> kept{
      R"({"tokens":[{"name":"my-laptop-token-1","created_at":"2026-01-02 10:11:12","user_id":"u-1026-abcdef"}]})",
      R"({"credentials":{"type":"password-and-code","username":"henrike.lindwurm","enabled":true}})",
      R"({"password":{"min_length":8,"strength":"high","history":"five"}})",
      R"({"max_tokens":{"model":"example-large-2","limit":4096}})",
  };
  for (const std::string& body : kept) {
    INFO(body);
    Scrubber scrubber({});
    CHECK(scrubber.scrub(get(nested_call, body)).record().response.body == body);
  }
}

TEST_CASE("nested: no rule ends in the middle of a long value") {
  for (const std::size_t length : {600u, 5000u, 300'000u}) {
    std::string value;
    for (int i = 0; value.size() < length; ++i) value += make_of_shape("40:alnum", std::to_string(i));
    const std::string end = value.substr(value.size() - 12);
    const std::vector<std::string> texts{
        "Authorization: Bearer " + value,
        "https://nas.example/?a=1&_sid=" + value,
        "https://ann:" + value + "@nas.example/",
        "https://hooks.example/services/hook/" + value,
        "https://cdn.example/a?Signature=" + value + "&b=1",
        "https://maps.example/js?key=" + value,
        "DB_PASSWORD=" + value,
        "password: " + value,
        "<a><password>" + value + "</password></a>",
        "<input name=\"passwd\" value=\"" + value + "\">",
        "-----BEGIN PRIVATE KEY-----\n" + value + "\n-----END PRIVATE KEY-----",
        "curl -u ann:" + value,
        "sshpass -p " + value,
    };
    for (const std::string& text : texts) {
      CAPTURE(length, text.substr(0, 60));
      for (const api::Interaction& given :
           {get(nested_call, "{\"note\":" + in_json_quotes(text) + "}"), typed("text/plain", text)}) {
        Scrubber scrubber({});
        const InteractionRecord record = scrubber.scrub(given).record();
        CHECK_FALSE(record.redactions.empty());
        CHECK(record.response.body.find(end) == std::string::npos);
      }
    }
  }
}

TEST_CASE("nested: private keys in base64 are found without the lines around them") {
  const std::string rest = make_of_shape("400:alnum", "key");
  for (const std::string head : {"MIIEpAIBAAKCAQEA", "MIICXQIBAAKBgQDd", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
                                 "MIGHAgEAMBMGByqGSM49AgEG", "MHcCAQEEIGh1", "MC4CAQAwBQYDK2VwBCIE"}) {
    std::string lines;
    for (std::size_t at = 0; at < head.size() + rest.size(); at += 64) lines += (head + rest).substr(at, 64) + "\n";
    for (const std::string& text : {head + rest, lines}) {
      check_hidden(get(nested_call, "{\"cert\":" + in_json_quotes(text) + "}"), rest.substr(300, 12));
      check_hidden(typed("text/plain", "key\n" + text), rest.substr(300, 12));
    }
  }
  const std::string pem = "-----BEGIN PRIVATE KEY-----\n" + rest + "\n-----END PRIVATE KEY-----\n";
  const std::string coded = base::base64_form(pem);
  check_hidden(get(nested_call, "{\"client-key-data\":\"" + coded + "\"}"), coded.substr(200, 12));
}

TEST_CASE("nested: codes of eight digits are secrets as numbers too") {
  for (const std::string name :
       {"pin", "passcode", "otp_code", "verification_code", "access_code", "security_code", "recovery_codes"}) {
    const bool is_list = name.ends_with('s');
    const std::string value = is_list ? "[48201937,59301746]" : "48201937";
    check_hidden(get(nested_call, "{\"" + name + "\":" + value + "}"), "48201937");
    const std::string kept = "{\"" + name + "_length\":48201937,\"count\":48201937}";
    Scrubber scrubber({});
    CHECK(scrubber.scrub(get(nested_call, kept)).record().response.body == kept);
  }
}

TEST_CASE("nested: names with how a value is written, and names of keys") {
  for (const std::string name :
       {"private_key_enc", "password_encrypted", "passwd_b64", "token_base64", "password_hash", "enc_password",
        "userPasswordHash", "apiKeyEncoded", "token_b64", "license_key", "wpa2_key", "luks_key", "vault_key",
        "unlock_key", "tsig_key", "pairing_key", "saml_assertion", "private_exponent"}) {
    CAPTURE(name);
    check_hidden(get(nested_call, "{\"" + name + "\":\"" + nested_secret + "\"}"), nested_secret);
    check_hidden(get(nested_call + "&x=1", "{\"env\":\"" + name + "=" + nested_secret + "\"}"), nested_secret);
  }
  const std::string kept =
      R"({"password_strength":"q8Zr2VtXw71L","has_password":"q8Zr2VtXw","passwd_expiry":"q8Zr2VtXw71",)"
      R"("token_type":"q8Zr2VtXw71LmNb0","key_id":"q8Zr2VtXw71LmNb0Kc5D","content_hash":"q8Zr2VtXw71"})";
  Scrubber scrubber({});
  CHECK(scrubber.scrub(get(nested_call, kept)).record().response.body == kept);
}

TEST_CASE("nested: assignments in scripts") {
  for (const std::string line :
       {"SYNO.SDS.Session.SynoToken = \"«»\";", "window.SynoToken=\"«»\";", "var token = '«»';",
        "window[\"SynoToken\"] = \"«»\";", "let cfg = {\"SynoToken\": \"«»\"};", "x = JSON.parse('{\"_sid\":\"«»\"}');",
        "a.b.password = \"«»\";"}) {
    const std::string script = planted(line, nested_secret);
    check_hidden(typed("application/javascript", script), nested_secret);
    check_hidden(typed("text/html", "<html><script>\n" + script + "\n</script></html>"), nested_secret);
  }
  const std::string kept =
      "var token = getToken(); let password = document.x; tokenType = \"bearer\"; a.token = \"name\";";
  Scrubber scrubber({});
  CHECK(scrubber.scrub(typed("application/javascript", kept)).record().response.body == kept);
}

TEST_CASE("nested: headers, parts, and parameters with indexes") {
  for (const std::string value : {"Token «»", "apikey «»", "NTLM «»", "Negotiate «»", "Bearer «»", " «» "}) {
    check_hidden(get(nested_call, R"({"Authorization":")" + planted(value, nested_secret) + "\"}"), nested_secret);
    check_hidden(get(nested_call, R"({"headers":{"authorization":")" + planted(value, nested_secret) + "\"}}"),
                 nested_secret);
  }
  for (const std::string value : {"{\"password\":\"«»\"}", "password: «»", "x; password=«»"}) {
    api::Interaction made = get(nested_call);
    made.response.headers.add("X-Debug", planted(value, nested_secret));
    check_hidden(made, nested_secret);
    api::Interaction reasoned = get(nested_call);
    reasoned.response.reason = planted(value, nested_secret);
    check_hidden(reasoned, nested_secret);
  }
  const std::string disposition = "Content-Disposition: form-data; name=\"file\"; filename=\"";
  const std::string part =
      "--b\r\n" + disposition + "a.txt\"\r\nX-Api-Key: " + nested_secret + "\r\n\r\nx\r\n--b--\r\n";
  check_hidden(post(nested_call, "multipart/form-data; boundary=b", part), nested_secret);
  const std::string file = "--b\r\n" + disposition + "password=" + nested_secret + ".txt\"\r\n\r\nx\r\n--b--\r\n";
  check_hidden(post(nested_call, "multipart/form-data; boundary=b", file), nested_secret);
  for (const std::string type : {"multipart/mixed", "multipart/related"}) {
    const std::string json =
        "--b\r\nContent-Type: application/json\r\n\r\n{\"password\":\"" + nested_secret + "\"}\r\n--b--\r\n";
    check_hidden(post(nested_call, type + "; boundary=b", json), nested_secret);
  }
  const std::string pair = "p[0][name]=token&p[0][value]=" + nested_secret;
  check_hidden(post(nested_call, "application/x-www-form-urlencoded", pair), nested_secret);
  check_hidden(get(nested_call + "&" + pair), nested_secret);
}

TEST_CASE("nested: credentials of a header that a page accepted are learned") {
  Scrubber scrubber({});
  api::Interaction page = get("/files/index.html", "<html>");
  page.request.headers.add("Authorization", "Basic " + base::base64_form("ann:Corr3ct-Horse-Battery"));
  page.response.status = 401;
  static_cast<void>(scrubber.scrub(page));
  const api::Interaction later = get(nested_call, R"({"x":"Corr3ct-Horse-Battery"})");
  CHECK(scrubber.scrub(later).record().redactions.empty());
  page.response.status = 200;
  static_cast<void>(scrubber.scrub(page));
  CHECK(scrubber.scrub(later).record().response.body == R"({"x":"<PASSWORD>"})");
}

TEST_CASE("nested: a rule holds for an API with any label, and one for no API is refused") {
  for (const std::string api : {"Core.Package", "SYNO.Core.Package", "SVC.Core.Package", "syno.core.package"}) {
    RuleSet rules = RuleSet::defaults();
    rules.add({"own", "test", Scope::json_key, "wanted", api, "", SecretClass::secret});
    ScrubberOptions options;
    options.rules = rules;
    Scrubber scrubber(options);
    const std::string call = "/webapi/entry.cgi?version=1&method=list&api=SYNO.Core.Package";
    CHECK(scrubber.scrub(get(call, R"({"wanted":"abc"})")).record().response.body == R"({"wanted":"<SECRET>"})");
  }
  for (const std::string api : {"Core Package", "Core.Package/list", "*", ".*", "Core.*.List"}) {
    RuleSet rules;
    CHECK_THROWS_WITH(rules.add({"own", "test", Scope::json_key, "wanted", api, "", SecretClass::secret}),
                      Catch::Contains("no API has this name"));
  }
}
