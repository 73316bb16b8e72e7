// What must not happen: look-alikes of secrets, in many places, stay as they are while secrets are known.

#include <catch2/catch.hpp>

#include "tests/scrubbers/fixtures.h"
#include "tests/scrubbers/look_alikes.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

const std::string password = "Corr3ct-Horse-Battery";
const std::string smid = "sM1d-4Qw8Zr2VtXw71LmNb0Kc5Dy9Pj";

/// Each is learned under a name of its own.
const Learned& learned() {
  static const Learned all{{sid, syno_token, device_id, passphrase, password, smid, "Sommer2024!"},
                           {"492817", "1234", "admin", "password", "public", "zip", "12345678", "administrator", "a",
                            "202401011200", "camera1", "default_setting"}};
  return all;
}

void teach(Scrubber& scrubber) {
  const auto login_of = [](const std::string& value) { return login_path + "&passwd=" + encode(value, "percent"); };
  static_cast<void>(scrubber.scrub(get(login_path + "&otp_code=492817&account=root&passwd=" + password,
                                       R"({"data":{"sid":")" + sid + R"(","synotoken":")" + syno_token +
                                           R"(","did":")" + device_id + R"("},"success":true})")));
  for (const std::string& value : learned().searched) static_cast<void>(scrubber.scrub(get(login_of(value))));
  for (const std::string& value : learned().plain) static_cast<void>(scrubber.scrub(get(login_of(value))));
  static_cast<void>(
      scrubber.scrub(get("/webapi/entry.cgi?api=SYNO.Core.SNMP&version=1&method=set&rocommunity=public")));
}

/// The part that differs first, or nothing.
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
  teach(scrubber);
  // The code and the community are learned as passwords as well.
  const std::uint64_t known = learned().searched.size() + learned().plain.size() + 2;
  CHECK(scrubber.stats().learned == known);
  CHECK(scrubber.stats().by_name_only == learned().plain.size() + 2);
  std::size_t values = 0;
  for (const LookAlikes& kind : look_alikes(learned())) {
    INFO(kind.kind);
    values += kind.values.size();
    for (const Spot& spot : spots()) {
      INFO(spot.name);
      const api::Interaction given = spot.make(kind.values);
      CHECK(difference(given, scrubber.scrub(given).record()) == "");
    }
  }
  CHECK(values > 8000);
  CHECK(scrubber.stats().learned == known);
}

TEST_CASE("over-scrubbing: the same places do not hide the secrets themselves") {
  Scrubber scrubber({});
  teach(scrubber);
  const std::vector<LookAlikes> kinds = look_alikes(learned());
  for (const Spot& spot : spots()) {
    if (spot.name == "JSON numbers") continue;
    INFO(spot.name);
    for (const std::string& secret : learned().searched) {
      if (secret == passphrase) continue;  // not ASCII alone
      std::vector<std::string> values(kinds.front().values.begin(), kinds.front().values.begin() + 50);
      values.insert(values.begin() + 25, secret);
      const InteractionRecord stored = scrubber.scrub(spot.make(values)).record();
      CHECK(stored.redactions.size() >= 1);
      CHECK(all_of(stored).find(secret) == std::string::npos);
    }
  }
}

TEST_CASE("over-scrubbing: secrets that are short or plain are replaced under their names and nowhere else") {
  Scrubber scrubber({});
  teach(scrubber);
  for (const std::string& value : learned().plain) {
    INFO(value);
    const ScrubbedInteraction named =
        scrubber.scrub(get("/webapi/x?note=" + value, R"({"passwd":")" + value + R"(","value":")" + value + "\"}"));
    CHECK(named.record().response.body == R"({"passwd":"<PASSWORD>","value":")" + value + "\"}");
    CHECK(named.record().request.target == "/webapi/x?note=" + value);
  }
}
