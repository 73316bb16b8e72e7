// Tests secrets that were not learned, and texts that only look like secrets.

#include <catch2/catch.hpp>
#include <vector>

#include "tests/scan/scan_support.h"

using namespace tapedeck::scan;
using namespace tapedeck::scan::testing;

namespace {
struct Row {
  std::string text;
  std::string rule;
};
}  // namespace

TEST_CASE("heuristics: random values beside telling names and token shapes are findings") {
  const std::string token = "q8Zr2VtXw71LmNb0Kc5Dy9Pj";
  const std::vector<Row> rows = {
      {R"({"sid":")" + token + "\"}", "named:sid"},
      {R"({"synotoken" : ")" + token + "\"}", "named:token"},
      {R"({\"access_token\":\")" + token + "\\\"}", "named:token"},
      {"GET /webapi/entry.cgi?api=A&_sid=" + token + " HTTP/1.1", "named:sid"},
      {"x=_sid%3D" + token, "named:sid"},
      {"X-SYNO-TOKEN: " + token, "named:token"},
      {"Authorization: Bearer " + token, "named:authorization"},
      {"Cookie: id=" + token + "; a=b", "named:cookie"},
      {R"(["Set-Cookie","did=)" + token + "; path=/\"]", "named:cookie"},
      {"<apiKey>" + token + "</apiKey>", "named:api_key"},
      {"unzip_password=" + token, "named:password"},
      {"token=9f86d081884c7d65", "named:token"},
      {base64("{\"token\":\"" + token + "\"}"), "named:token"},
      {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.q8Zr2VtXw71LmNb0Kc5Dy9Pj", "jwt"},
      {"rtsp://camera:hunter2@192.0.2.7/stream", "url-userinfo"},
      {"-----BEGIN RSA PRIVATE KEY-----\n" + base64(noise(48)) + "\n-----END RSA PRIVATE KEY-----", "private-key"},
      {R"("key":"-----BEGIN PRIVATE KEY-----\n)" + base64(noise(48)) + R"(\n-----END PRIVATE KEY-----")",
       "private-key"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    const ScanReport report = scan_bytes(row.text, "body", {});
    REQUIRE(report.findings.size() >= 1);
    CHECK(report.findings[0].rule == row.rule);
    CHECK_FALSE(report.findings[0].learned);
    CHECK(said_by(report).find(token) == std::string::npos);
  }
}

TEST_CASE("heuristics: every kind of telling name is recognized") {
  const std::vector<std::string> names = {
      "token",       "passwd",        "passphrase",   "client_secret", "api-key",       "accessKey",   "privkey",
      "PHPSESSID",   "device_id",     "credential",   "credentials",   "otp_key",       "otp",         "sid",
      "_SSID",       "pwd",           "psk",          "auth",          "bearer",        "rocommunity", "ik_message",
      "X-SYNO-HASH", "otp_code",      "ciphertext",   "sessionId",     "Authorization", "secret_key",  "authKey",
      "enc_key",     "preshared_key", "recovery_key", "masterKey",     "signing_key",   "app_key",     "StmKey",
      "wpa_psk",     "SMTP_PASS",     "otp_seed"};
  for (const std::string& name : names) {
    INFO(name);
    CHECK(scan_bytes("\"" + name + "\":\"q8Zr2VtXw71LmNb0Kc5Dy9Pj\"", "body", {}).heuristic == 1);
  }
}

TEST_CASE("heuristics: look-alikes are not findings") {
  const std::vector<std::string> texts = {
      R"({"md5":"9e107d9d372bb6826bd81d3542a419d6"})",
      R"({"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3301"})",
      R"({"etag":"q8Zr2VtXw71LmNb0Kc5Dy9Pj"})",
      R"({"sid":"<SESSION_ID>","synotoken":"<CSRF_TOKEN>"})",
      "_sid=%3CSESSION_ID%3E&SynoToken=%3CCSRF_TOKEN%3E",
      R"({"sid":"\u003cSESSION_ID\u003e"})",
      "Cookie: id=<SESSION_ID>; did=<DEVICE_ID>",
      "Authorization: Bearer <AUTHORIZATION>",
      R"({"token":"resetPasswordDialogText"})",
      R"({"passwd":"the_passwords_do_not_match_at_all"})",
      R"({"password":"****************"})",
      R"({"token":"xxxxxxxxxxxxxxxxxxxxxxxx"})",
      R"({"token_expires":"1700000000123456"})",
      R"({"token":"1700000000123456"})",
      R"({"password_changed":"2024-01-01T10:20:30Z"})",
      R"({"public_key":")" + base64(noise(60)) + "\"}",
      "-----BEGIN CERTIFICATE-----\n" + base64(noise(90)) + "\n-----END CERTIFICATE-----",
      "-----BEGIN PRIVATE KEY-----<SECRET>-----END PRIVATE KEY-----",
      "rtsp://camera:<PASSWORD>@192.0.2.7/stream and http://nas.example:5000/@x",
      "SVC.Core.AppPortal/1/list?additional=[\"default_setting\"]",
      R"({"path":"/volume1/homes/example/2024-01-01/IMG_20240101_102030.jpg"})",
      R"({"aside":"q8Zr2VtXw71LmNb0Kc5Dy9Pj","candid":"q8Zr2VtXw71LmNb0Kc5Dy9Pj"})",
      "\":q8Zr2VtXw71LmNb0Kc5Dy9Pj",
      "  = q8Zr2VtXw71LmNb0Kc5Dy9Pj",
      std::string("\x01\x02") + noise(300'000, 7),
      base64(noise(100'000, 8)),
      hex(noise(100'000, 9)),
  };
  for (const std::string& text : texts) {
    INFO(text.substr(0, 100));
    const ScanReport report = scan_bytes(text, "body", {});
    CHECK(report.heuristic == 0);
    CHECK(report.incomplete.empty());
  }
}

TEST_CASE("heuristics: names in neighboring columns and column names count as beside the value") {
  const Folder folder;
  const std::string token = "q8Zr2VtXw71LmNb0Kc5Dy9Pj";
  {
    const Database db(folder / "a.db");
    db.run("CREATE TABLE params(name TEXT, value TEXT); CREATE TABLE users(user TEXT, password TEXT)");
    db.run("INSERT INTO params VALUES('_sid','" + token + "'); INSERT INTO users VALUES('example','" + token + "')");
  }
  const ScanReport report = scan_file(folder / "a.db", {});
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].place == "params.value row 1");
  CHECK(report.findings[0].rule == "named:sid");
  CHECK(report.findings[1].place == "users.password row 1");
}

TEST_CASE("heuristics: a short learned value is found as a whole value and not in a longer one that a window cuts") {
  LearnedValues learned;
  learned.add("x1");
  ScanOptions options;
  options.learned = &learned;
  const auto found = [&](const std::string& text) { return scan_bytes(text, "body", options).learned; };
  CHECK(found("%20sid=x1 ") == 1);
  CHECK(found("sid=%781 ") == 1);
  // A text decoder keeps a limited amount of text around the escape. Here its window ends at each of these positions
  // once.
  for (std::size_t gap = 0; gap < 400; ++gap) {
    INFO(gap);
    const std::string spaces(gap, ' ');
    CHECK(found("%21" + spaces + " sid=x1=is.longer!than+it/looks; then other text") == 0);
    CHECK(found("%21" + spaces + " sid=x1; then other text") == 1);
    CHECK(found("%21" + spaces + " sid=%781; then other text") == 1);
  }
}

TEST_CASE("heuristics: a reviewed fingerprint allows a heuristic finding but not a learned one") {
  const std::string text = R"({"token":"q8Zr2VtXw71LmNb0Kc5Dy9Pj"})";
  const ScanReport first = scan_bytes(text, "body", {});
  REQUIRE(first.findings.size() == 1);
  CHECK(first.findings[0].fingerprint.size() == 32);
  CHECK(first.findings[0].fingerprint == scan_bytes("  " + text, "other", {}).findings[0].fingerprint);
  ScanOptions options;
  options.allowed.insert(first.findings[0].fingerprint);
  const ScanReport second = scan_bytes(text, "body", options);
  CHECK(second.findings.empty());
  CHECK(second.allowed == 1);
  CHECK(scan_bytes(R"({"token":"q8Zr2VtXw71LmNb0Kc5Dy9Pk"})", "body", options).heuristic == 1);

  LearnedValues learned;
  learned.add("q8Zr2VtXw71LmNb0Kc5Dy9Pj");
  options.learned = &learned;
  options.heuristics = false;
  const ScanReport third = scan_bytes(text, "body", options);
  REQUIRE(third.learned == 1);
  options.allowed.insert(third.findings[0].fingerprint);
  CHECK(scan_bytes(text, "body", options).learned == 1);
}

TEST_CASE("heuristics: a cassette's own list allows findings only in that file") {
  const Folder folder;
  const std::string token = "q8Zr2VtXw71LmNb0Kc5Dy9Pj";
  const auto make = [&](const char* name, const std::string& application_id, const std::string& more) {
    const Database db(folder / name);
    db.run("PRAGMA application_id=" + application_id + "; CREATE TABLE meta(name TEXT, value TEXT);" +
           "CREATE TABLE params(name TEXT, value TEXT); INSERT INTO params VALUES('_sid','" + token + "');" + more);
    return folder / name;
  };
  const std::string cassette = std::to_string(0x5470646b);
  const fs::path plain = make("plain.cassette", cassette, "");
  const ScanReport first = scan_file(plain, {});
  REQUIRE(first.findings.size() == 1);
  const std::string entry = "INSERT INTO meta VALUES('allowed:" + first.findings[0].fingerprint + "','')";
  const fs::path allowing = make("allowing.cassette", cassette, entry);
  const fs::path foreign = make("another.db", "1", entry);

  const ScanReport all = scan_paths(std::vector{allowing, foreign, plain}, {});
  CHECK(all.heuristic == 2);
  CHECK(all.allowed == 1);
  CHECK(all.allowed_by_file == 1);
  CHECK(all.matched.contains(first.findings[0].fingerprint));
  for (const Finding& finding : all.findings) CHECK(finding.path != allowing.string());

  ScanOptions options;
  options.file_allows = false;
  CHECK(scan_file(allowing, options).heuristic == 1);
  options.allowed = all.matched;
  const ScanReport by_caller = scan_paths(std::vector{allowing, foreign}, options);
  CHECK(by_caller.allowed == 2);
  CHECK(by_caller.allowed_by_file == 0);

  LearnedValues learned;
  learned.add(token);
  ScanOptions with_values;
  with_values.learned = &learned;
  CHECK(scan_file(allowing, with_values).learned > 0);
}

TEST_CASE("heuristics: a fingerprint is 32 hex digits in lower case") {
  CHECK(is_fingerprint("0123456789abcdef0123456789abcdef"));
  for (const char* text : {"", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdef0",
                           "0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef 123456789abcdef"}) {
    CHECK_FALSE(is_fingerprint(text));
  }
}

TEST_CASE("heuristics: a value that runs into the next row of its page is found once") {
  const Folder folder;
  const std::string text = "access_token = q8Zr2VtXw71LmNb0Kc5Dy9Pj";
  {
    const Database db(folder / "a.db");
    db.run("CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT)");
    // Row 65 follows it in the page and begins with its length of 68 bytes and its number: "DA".
    db.run("INSERT INTO notes VALUES(65,'" + std::string(64, '-') + "'); INSERT INTO notes VALUES(66,'" + text + "')");
  }
  const ScanReport report = scan_file(folder / "a.db", {});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].place == "notes.text row 66");
}
