// Tests secrets by their shape, in texts and in JSON strings, and private keys in files that cannot be changed.

#include <catch2/catch.hpp>

#include "http/message/urlencoded.h"
#include "tests/scrubbers/fixtures.h"
#include "tests/scrubbers/packing.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

const std::string key_lines =
    "MC4CAQAwBQYDK2VwBCIEIHq8Zr2VtXw71LmNb0Kc5Dy9PjQv3Wn4Bt6Ys8Ud1Fg0\nAb3Cd4Ef5Gh6Ij7Kl8Mn9Op0";

const std::string public_lines =
    "MCowBQYDK2VwAyEAq8Zr2VtXw71LmNb0Kc5Dy9PjQv3Wn4Bt6Ys8Ud1Fg0Ab3Cd4\nEf5Gh6Ij7Kl8Mn9Op0Qr1St2Uv3Wx4";

struct PatternCase {
  std::string text;  ///< the secret is between « and »
  std::string rule;
};

std::string without_marks(std::string text) {
  for (const std::string_view mark : {"«", "»"}) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.erase(at, mark.size());
  }
  return text;
}

std::string secret_of(const std::string& text) {
  constexpr std::size_t mark = 2;  // number of bytes of « and of »
  const std::size_t begin = text.find("«") + mark;
  return text.substr(begin, text.find("»") - begin);
}

const std::vector<PatternCase>& pattern_cases() {
  static const std::vector<PatternCase> all{
      {"mysql://root:«Tr0ub4dor-3»@db.example:3306/app", "body-url-password"},
      {"postgresql+asyncpg://app:«Tr0ub4dor-3»@db.example/app", "body-url-password"},
      {"mongodb+srv://app:«Tr0ub4dor-3»@cluster.example/?retryWrites=true", "body-url-password"},
      {"redis://:«Tr0ub4dor-3»@cache.example:6379/0", "body-url-password"},
      {"smb://WORKGROUP;ann:«Tr0ub4dor-3»@files.example/share", "body-url-password"},
      {"ftp://ann:«p%40ss%3Aw0rd-99»@files.example/a.txt", "body-url-password"},
      {"rtsp://«admin»:x@cam.example/1", "body-rtsp-user"},
      {"rtsp://camera:«hunter2hunter2»@cam.example/1", "body-url-password"},
      {"https://«q8Zr2VtXw71LmNb0Kc5Dy9Pj»@git.example/a.git", "body-url-token"},
      {"https://chat.example/hooks/«q8Zr2VtXw71LmNb0Kc5Dy9Pj»", "body-webhook"},
      {"https://hooks.slack.com/services/«T00EXAMPLE0/B00EXAMPLE0/q8Zr2VtXw71LmNb0Kc5D»", "body-webhook"},
      {"https://chat.example/api/webhooks/«1234567890123/q8Zr2VtXw71LmNb0Kc5Dy9Pj»", "body-webhook"},
      {"https://maker.example/trigger/door/with/key/«q8Zr2VtXw71LmNb0Kc5Dy9Pj»", "body-webhook"},
      {"https://api.telegram.org/bot«123456789:AAq8Zr2VtXw71LmNb0Kc5Dy9PjQv3Wn4Bt6»/sendMessage", "body-telegram"},
      {"https://maps.example/js?v=3&key=«q8Zr2VtXw71LmNb0Kc5Dy9PjQv3»&a=1", "body-url-key"},
      {"see «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.q8Zr2VtXw71LmNb0» there", "body-jwt"},
      {"curl -H 'Authorization: Bearer «q8Zr2VtXw71LmNb0»' x", "body-bearer"},
      {"curl -H 'Authorization: Basic «YW5uOlRyMHViNGRvci0z»' x", "body-basic"},
      {"curl -s --header='X-Api-Key: «q8Zr2VtXw71LmNb0»' x", "name-apikey"},
      {"curl -sSu ann:«Tr0ub4dor-3» https://nas.example/", "body-curl-user"},
      {"curl --proxy-user 'ann:«Tr0ub4dor-3»' https://nas.example/", "body-curl-user"},
      {"mariadb-dump -u root -p«Tr0ub4dor-3» db", "body-mysql"},
      {"https://cdn.example/a?Expires=1&Signature=«q8Zr2VtXw71LmNb0Kc5Dy9Pj»&Key-Pair-Id=K1", "body-url-signature"},
      {"root:«$6$Zr2VtXw7$1LmNb0Kc5Dy9PjQv3Wn4Bt6Ys8Ud1Fg0Ab3Cd4Ef5Gh6Ij7Kl8Mn9Op0»:19000:0:", "body-crypt"},
      {"ann:«$2y$10$Zr2VtXw71LmNb0Kc5Dy9PjQv3Wn4Bt6Ys8Ud1Fg0Ab3Cd4Ef5Gh6»", "body-crypt"},
      {"«$argon2id$v=19$m=65536,t=3,p=4$Zr2VtXw71LmNb0$Kc5Dy9PjQv3Wn4Bt6Ys8Ud1Fg0»", "body-crypt"},
      {"userhash {SSHA}«Zr2VtXw71LmNb0Kc5Dy9PjQv3Wn4Bt6Y»", "body-ldap-hash"},
      {"https://nas.example:5001/sharing/«pHTBKQf9»", "body-share-link"},
      {"http://gofile.me/7aBcD/«q8Zr2VtXw»", "body-share-link"},
      {"https://nas.example/d/s/«q8Zr2VtXw71LmNb0Kc5Dy9Pj/Ab3Cd4Ef5Gh6Ij7Kl8Mn9Op0»", "body-share-link"},
      {"-----BEGIN PRIVATE KEY-----«\n" + key_lines + "\n»-----END PRIVATE KEY-----\n", "body-private-key"},
      {"-----BEGIN OPENSSH PRIVATE KEY-----«\n" + key_lines + "\n»-----END OPENSSH PRIVATE KEY-----\n",
       "body-private-key"},
      {"-----BEGIN RSA PRIVATE KEY-----«\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0A1B\n\n" + key_lines +
           "\n»-----END RSA PRIVATE KEY-----\n",
       "body-private-key"},
      {"-----BEGIN PGP PRIVATE KEY BLOCK-----«\n\n" + key_lines + "\n»-----END PGP PRIVATE KEY BLOCK-----\n",
       "body-private-key"},
      {"Private-Lines: 2«\r\n" + key_lines + "\r\n»-", "body-putty-key"},
      {"-----BEGIN OpenVPN Static key V1-----«\n0a1b2c3d4e5f60718293a4b5c6d7e8f9\n»-----END OpenVPN Static key V1-----",
       "body-openvpn-key"},
      {"«AGE-SECRET-KEY-1Q8ZR2VTXW71LMNB0KC5DY9PJQV3WN4BT6YS8UD1FG0AB3CD4EF5GH6»", "body-age-key"},
      {"PrivateKey = «q8Zr2VtXw71LmNb0Kc5Dy9PjQv3Wn4Bt6Ys8Ud1Fg0A=»\n", "name-privatekey"},
      {"PresharedKey = «q8Zr2VtXw71LmNb0Kc5Dy9PjQv3Wn4Bt6Ys8Ud1Fg0A=»\n", "name-presharedkey"},
      {"otpauth://totp/NAS:ann?secret=«JBSWY3DPEHPK3PXP»&issuer=NAS", "name-secret"},
      {"http://nas.example/webman/3rdparty/x.cgi?StmKey=«q8Zr2VtXw71LmNb0»&id=1", "name-stmkey"},
  };
  return all;
}

}  // namespace

TEST_CASE("patterns: replaces secrets by their shape in texts and JSON strings, and nothing beside them") {
  for (const PatternCase& row : pattern_cases()) {
    const std::string plain = without_marks(row.text);
    const std::string secret = secret_of(row.text);
    INFO(plain);
    api::Interaction text = get("/a.txt", plain);
    text.response.headers.set("Content-Type", "text/plain");
    Scrubber scrubber({});
    const InteractionRecord record = scrubber.scrub(text).record();
    CHECK(all_of(record).find(secret) == std::string::npos);
    REQUIRE(record.redactions.size() >= 1);
    CHECK(rows_fit(record));
    const bool by_rule = std::any_of(record.redactions.begin(), record.redactions.end(),
                                     [&](const Redaction& one) { return one.rule == row.rule; });
    CHECK(by_rule);
    for (const char* const encoding : {"json", "json-slash"}) {
      Scrubber another({});
      const InteractionRecord json =
          another.scrub(get("/x", R"({"note":")" + encode(plain, encoding) + R"("})")).record();
      CHECK(json.response.body.find(encode(secret, encoding)) == std::string::npos);
      CHECK(json.response.body.starts_with(R"({"note":")"));
      CHECK(json.response.body.ends_with("\"}"));
      CHECK(rows_fit(json));
    }
  }
}

TEST_CASE("patterns: learns the account and the password of a URL separately") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(get("/x", R"({"p":"rtsp://viewer-one:C4mera-Pass-77@cam.example/1"})")));
  CHECK(scrubber.scrub(get("/x", R"({"a":"C4mera-Pass-77"})")).record().response.body == R"({"a":"<PASSWORD>"})");
  CHECK(scrubber.scrub(get("/x", R"({"a":"viewer-one"})")).record().response.body == R"({"a":"viewer-one"})");
}

TEST_CASE("patterns: texts that only resemble the shape of a secret stay") {
  const std::vector<std::string> texts{
      "http://nas.example:5000/a@b/c",
      "https://nas.example/hooks/useEffect",
      "https://docs.example/webhooks/getting-started-with-webhooks",
      "mailto:ann@nas.example",
      "ssh://git@git.example/a.git",
      "https://user:********@nas.example/",
      "https://user:<password>@nas.example/",
      "https://user:${PASSWORD}@nas.example/",
      "https://nas.example/?key=name&sort=asc",
      "https://nas.example/?key=volume_1_data_disk_list",
      "Bearer of good news",
      "Basic authentication or Basic configuration2",
      "curl -k --url https://nas.example:5001/",
      "curl http://nas-ubuntu:5000/webapi",
      "mysql --port=3306 -h db-prod-1 -e status",
      "https://nas.example/?Signature=none&a=1",
      "costs $5$ or $6$",
      "/volume1/sharing/photos",
      "-----BEGIN CERTIFICATE-----\n" + public_lines + "\n-----END CERTIFICATE-----",
      "-----BEGIN PUBLIC KEY-----\n" + public_lines + "\n-----END PUBLIC KEY-----",
      "Public-Lines: 2\r\n" + public_lines + "\r\n",
      "PublicKey = q8Zr2VtXw71LmNb0Kc5Dy9PjQv3Wn4Bt6Ys8Ud1Fg0A=",
      "eyJhbGciOiJIUzI1NiJ9 is no token",
      "if (password == null) return; let token = getToken();",
      "Type a password: it must have 8 characters",
      "api_key: required",
  };
  for (const std::string& plain : texts) {
    INFO(plain);
    api::Interaction text = get("/a.txt", plain);
    text.response.headers.set("Content-Type", "text/plain");
    Scrubber scrubber({});
    CHECK(scrubber.scrub(text).record().response.body == plain);
    const std::string json = R"({"note":")" + encode(plain, "json-slash") + R"("})";
    CHECK(scrubber.scrub(get("/x", json)).record().response.body == json);
  }
}

TEST_CASE("patterns: replaces tokens in scripts and HTML and keeps code") {
  const std::string script =
      R"(var a={"SynoToken":"Vd3Kq9tHb7Wm","type":"x"};b.password=document.x;c={token:"q8Zr2VtXw71LmNb0"};)";
  for (const char* const type : {"text/html", "application/javascript"}) {
    api::Interaction page = get("/a.js", script);
    page.response.headers.set("Content-Type", type);
    Scrubber scrubber({});
    const InteractionRecord record = scrubber.scrub(page).record();
    CHECK(record.response.body ==
          R"(var a={"SynoToken":"<CSRF_TOKEN>","type":"x"};b.password=document.x;c={token:"<TOKEN>"};)");
  }
  api::Interaction page =
      get("/a.html", R"(<input type="password" name="passwd" value="sunshine1"><b title="password">)");
  page.response.headers.set("Content-Type", "text/html");
  Scrubber scrubber({});
  CHECK(scrubber.scrub(page).record().response.body ==
        R"(<input type="password" name="passwd" value="<PASSWORD>"><b title="password">)");
}

TEST_CASE("patterns: finds values in every notation of tags, scripts, and nested JSON") {
  struct Row {
    std::string type, text;
  };
  const std::vector<Row> rows = {
      {"text/html", "<input type=hidden name=_sid value=«q8Zr2VtXw71LmNb0»>"},
      {"text/html", "<input value='«q8Zr2VtXw71LmNb0»' name='_sid'/>"},
      {"text/html", R"(<meta content="«q8Zr2VtXw71LmNb0»" name="csrf-token">)"},
      {"text/html", "<script>let _sid = `«q8Zr2VtXw71LmNb0»`;</script>"},
      {"text/html", R"(<script>page["SynoToken"]="«q8Zr2VtXw71LmNb0»"</script>)"},
      {"application/javascript", R"(s = JSON.parse("{\"SynoToken\":\"«q8Zr2VtXw71LmNb0»\",\"a\":1}");)"},
      {"text/xml", "<r><a:sid>\n  «q8Zr2VtXw71LmNb0»\n</a:sid></r>"},
      {"application/json", R"({"html":"<input name=\"_sid\" value=\"«q8Zr2VtXw71LmNb0»\">"})"},
      {"application/json", R"({"s":"{\"t\":\"host: x\\nPassword: «Tr0ub4dor-3»\\nport: 1\"}"})"},
      {"application/json", R"({"s":"{\"t\":\"A=1\\nDB_PASSWORD=«Tr0ub4dor-3»\\nB=2\"}"})"},
  };
  for (const Row& row : rows) {
    const std::string plain = without_marks(row.text), secret = secret_of(row.text);
    INFO(plain);
    api::Interaction page = get("/page", plain);
    page.response.headers.set("Content-Type", row.type);
    Scrubber scrubber({});
    const InteractionRecord record = scrubber.scrub(page).record();
    REQUIRE(record.redactions.size() == 1);
    CHECK(record.redactions[0].offset == plain.find(secret));
    CHECK(record.response.body.size() - record.redactions[0].length == plain.size() - secret.size());
    CHECK(rows_fit(record));
  }
}

TEST_CASE("patterns: withholds a file with a private key that a placeholder would break, two levels deep") {
  const std::string pem = "-----BEGIN PRIVATE KEY-----\n" + key_lines + "\n-----END PRIVATE KEY-----\n";
  const std::string putty = "PuTTY-User-Key-File-3: ssh-ed25519\r\nPrivate-Lines: 1\r\n" + key_lines;
  const std::string tar = "server.key" + std::string(502, '\0') + pem;
  const std::string pkcs12("\x30\x82\x01\x20\x02\x01\x03\x30\x82\x01\x10 and more", 21);
  const std::string pkcs8("\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20 and more", 25);
  const std::vector<std::string> files{gzipped(pem),
                                       zipped(pem),
                                       gzipped(tar),
                                       zipped(gzipped(pem)),
                                       gzipped(zipped(tar)),
                                       zstd(putty),
                                       zipped(pkcs12),
                                       gzipped(gzipped(pkcs8)),
                                       pkcs12,
                                       pkcs8};
  for (const std::string& file : files) {
    api::Interaction download = get("/backup", file);
    download.response.headers.set("Content-Type", "application/octet-stream");
    Scrubber scrubber({});
    CHECK(scrubber.scrub(download).record().completeness == api::Completeness::withheld);
    const std::string form =
        "--b\r\nContent-Disposition: form-data; name=\"path\"\r\n\r\n/home\r\n--b\r\n"
        "Content-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n" +
        file + "\r\n--b--\r\n";
    const InteractionRecord upload = scrubber.scrub(post("/up", "multipart/form-data; boundary=b", form)).record();
    CHECK(upload.completeness == api::Completeness::withheld);
    CHECK(upload.request.body.empty());
  }
  for (const std::string& file : {gzipped("PUBLIC KEY-----"), zipped("a,b\n1,2\n"), gzipped(zipped("nothing"))}) {
    Scrubber scrubber({});
    api::Interaction download = get("/backup", file);
    download.response.headers.set("Content-Type", "application/octet-stream");
    CHECK(scrubber.scrub(download).record().response.body == file);
  }
}
