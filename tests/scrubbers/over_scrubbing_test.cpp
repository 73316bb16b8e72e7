// Tests what must not happen: look-alikes of secrets in many places stay unchanged while secrets are known.

#include <catch2/catch.hpp>

#include "tests/scrubbers/fixtures.h"
#include "tests/scrubbers/look_alikes.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

const std::string password = "Corr3ct-Horse-Battery";
const std::string smid = "sM1d-4Qw8Zr2VtXw71LmNb0Kc5Dy9Pj";

/// Each value is learned under a separate name.
const Learned& learned() {
  static const Learned all{{sid, syno_token, device_id, passphrase, password, smid, "Sommer2024!"},
                           {"123", "web", "zip", "a"},
                           {"492817", "12345678", "202401011200", "camera1", "sunshine1", "ab c1\"2"}};
  return all;
}

void teach_all(Scrubber& scrubber) {
  const auto login_of = [](const std::string& value) { return login_path + "&passwd=" + encode(value, "percent"); };
  static_cast<void>(scrubber.scrub(get(login_path + "&otp_code=730164&account=root&passwd=" + password,
                                       R"({"data":{"sid":")" + sid + R"(","synotoken":")" + syno_token +
                                           R"(","did":")" + device_id + R"("},"success":true})")));
  for (const std::string& value : learned().searched) static_cast<void>(scrubber.scrub(get(login_of(value))));
  for (const std::string& value : learned().plain) static_cast<void>(scrubber.scrub(get(login_of(value))));
  for (const std::string& value : learned().whole) static_cast<void>(scrubber.scrub(get(login_of(value))));
  static_cast<void>(
      scrubber.scrub(get("/webapi/entry.cgi?api=SYNO.Core.SNMP&version=1&method=set&rocommunity=Nordlicht7")));
}

/// Returns the first part that differs, or nothing.
std::string difference(const api::Interaction& given, const InteractionRecord& stored) {
  if (stored.completeness != api::Completeness::complete) return "withheld: " + stored.reason;
  if (!stored.redactions.empty()) return "redacted: " + line_of(stored.redactions.front());
  if (stored.request.target != given.request.target) return "target";
  if (stored.request.body != given.request.body) return "request body";
  if (stored.response.body != given.response.body) return "body";
  if (stored.response.headers.to_text() != given.response.headers.to_text()) return "answer's headers";
  if (stored.request.headers.to_text() != given.request.headers.to_text()) return "request's headers";
  return "";
}

}  // namespace

TEST_CASE("over-scrubbing: thousands of look-alikes in every place stay byte for byte while secrets are known") {
  Scrubber scrubber({});
  teach_all(scrubber);
  // A code and a community are also learned as passwords.
  const std::uint64_t known = learned().searched.size() + learned().plain.size() + learned().whole.size() + 2;
  CHECK(scrubber.stats().learned == known);
  // One of them is the code.
  CHECK(scrubber.stats().by_name_only == learned().plain.size() + 1);
  std::size_t values = 0;
  for (const LookAlikes& kind : look_alikes(learned())) {
    INFO(kind.kind);
    values += kind.values.size();
    for (const auto& spot : spots()) {
      INFO(spot.name);
      const api::Interaction given = spot.make(kind.values);
      CHECK(difference(given, scrubber.scrub(given).record()) == "");
    }
  }
  CHECK(values > 8000);
  CHECK(scrubber.stats().learned == known);
}

TEST_CASE("over-scrubbing: the same places do not hide secrets") {
  Scrubber scrubber({});
  teach_all(scrubber);
  const std::vector<LookAlikes> kinds = look_alikes(learned());
  for (const auto& spot : spots()) {
    if (spot.name == "JSON numbers") continue;
    INFO(spot.name);
    for (const std::string& secret : learned().searched) {
      if (secret == passphrase) continue;  // not only ASCII
      std::vector<std::string> values(kinds.front().values.begin(), kinds.front().values.begin() + 50);
      values.insert(values.begin() + 25, secret);
      const InteractionRecord stored = scrubber.scrub(spot.make(values)).record();
      CHECK(stored.redactions.size() >= 1);
      CHECK(all_of(stored).find(secret) == std::string::npos);
    }
  }
}

TEST_CASE("over-scrubbing: secrets of three bytes are replaced only under their names") {
  Scrubber scrubber({});
  teach_all(scrubber);
  for (const std::string& value : learned().plain) {
    INFO(value);
    const ScrubbedInteraction named =
        scrubber.scrub(get("/webapi/x?note=" + value, R"({"passwd":")" + value + R"(","value":")" + value + "\"}"));
    CHECK(named.record().response.body == R"({"passwd":"<PASSWORD>","value":")" + value + "\"}");
    CHECK(named.record().request.target == "/webapi/x?note=" + value);
  }
}

TEST_CASE("over-scrubbing: short secrets are replaced as values and words, and not in longer words") {
  Scrubber scrubber({});
  teach_all(scrubber);
  for (const std::string& value : learned().whole) {
    INFO(value);
    const std::string json = encode(value, "json");
    const std::string percent = encode(value, "percent");
    const std::string html = encode(value, "html");
    const std::string texts = R"({"note":"x)" + json + R"(","other":")" + json + R"(y",")" + json + R"(y":1,"z":")";
    const InteractionRecord stored = scrubber
                                         .scrub(get("/webapi/x?note=" + percent + "&n=x" + percent,
                                                    texts + json + R"(","l":["a",")" + json + R"("]})"))
                                         .record();
    CHECK(stored.request.target == "/webapi/x?note=<PASSWORD>&n=x" + percent);
    CHECK(stored.response.body == texts + R"(<PASSWORD>","l":["a","<PASSWORD>"]})");
    CHECK(rows_fit(stored));
    api::Interaction xml = get("/a.xml", "<a>" + html + "</a><b>x" + html + "</b>");
    xml.response.headers.set("Content-Type", "text/xml");
    xml.response.headers.add("X-Whole", value);
    const InteractionRecord tags = scrubber.scrub(xml).record();
    CHECK(tags.response.body == "<a><PASSWORD></a><b>x" + html + "</b>");
    CHECK(tags.response.headers.first("X-Whole") == "<PASSWORD>");
  }
}

TEST_CASE("over-scrubbing: unconfirmed values of a client are not searched for in other responses") {
  const std::vector<std::string> said{
      "application/json", "\"success\":true}", "sunshine1", "{\"data\":{", "volume", "normal"};
  const std::string body = R"({"data":{"type":"application/json","state":"normal","user":"sunshine1"},"success":true})";
  const std::string refused = R"({"error":{"code":400},"success":false})";
  for (const std::string& value : said) {
    INFO(value);
    const std::string percent = encode(value, "percent");
    Scrubber scrubber({});
    static_cast<void>(
        scrubber.scrub(get("/webapi/entry.cgi?api=SYNO.API.Info&version=1&method=query&_sid=" + percent)));
    static_cast<void>(
        scrubber.scrub(get("/webapi/entry.cgi?api=SYNO.API.Info&version=1&method=query&passwd=" + percent)));
    static_cast<void>(scrubber.scrub(get(login_path + "&passwd=" + percent, refused)));
    CHECK(scrubber.scrub(get("/x", body)).record().response.body == body);
  }
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(get(login_path + "&passwd=%22success%22%3Atrue%7D")));
  CHECK(scrubber.scrub(get("/x", body)).record().response.body == body);
}

TEST_CASE("over-scrubbing: many unclosed brackets do not hide their content") {
  Scrubber scrubber({});
  const std::string body(4u << 20, '[');
  CHECK(scrubber.scrub(get("/x", body)).record().response.body == body);
  const std::string deep = body + R"({"passwd":"Some-Secret-77"})";
  CHECK(scrubber.scrub(get("/x", deep)).record().response.body == body + R"({"passwd":"<PASSWORD>"})");
}

TEST_CASE("over-scrubbing: a placeholder as a name does not make its value a secret") {
  const std::string value = "kR7vQ2mZxT9pLw4B";
  for (const char* const word : {"SESSION_ID", "PASSWORD", "TOKEN", "SECRET", "CSRF_TOKEN", "DEVICE_ID", "OTP_CODE"}) {
    CAPTURE(word);
    const std::string name = "<" + std::string(word) + ">", escaped = "%3C" + std::string(word) + "%3E";
    const std::string body = R"({"data":{")" + name + R"(":")" + value + R"("},"success":true})";
    Scrubber scrubber({});
    const api::Interaction given =
        get("/webapi/entry.cgi?api=SYNO.A&version=1&method=get&" + escaped + "=" + value, body);
    const InteractionRecord stored = scrubber.scrub(given).record();
    CHECK(difference(given, stored) == "");
    const auto again = scrubber.rescrub(stored);
    CHECK_FALSE(again.changed);
    // Only similar values are affected.
    const InteractionRecord other =
        scrubber.scrub(get(login_path, R"({"data":{"my_password":"k7-Rv-Q2-mZ"},"success":true})")).record();
    CHECK(other.response.body.find("k7-Rv-Q2-mZ") == std::string::npos);
  }
}
