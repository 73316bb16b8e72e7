// Tests invalid JSON: every rule of the grammar broken in turn, and generated bodies. No secret stays raw, and no byte
// is lost.

#include <catch2/catch.hpp>
#include <random>

#include "tests/scrubbers/fixtures.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

// Bodies with S in place of a session ID.
const std::vector<std::string> odd_bodies{
    // Duplicates, escapes, white space, nesting.
    R"({"sid":"S","sid":"S"})",
    R"({"\u0073\u0069\u0064":"S"})",
    R"({"s\u0069d" : "S"})",
    "{ \"sid\"\n\t:\r\n \"S\" }",
    R"({"a":{"b":[{"c":[[{"sid":"S"}]]}]}})",
    R"({"sid":["S","S"]})",
    R"({"a":"{\"sid\":\"S\"}"})",
    R"({"a":"{\"b\":\"{\\\"sid\\\":\\\"S\\\"}\"}"})",
    R"([{"a":1},"x",{"sid":"S"}])",
    // Text before and after the JSON.
    "\xEF\xBB\xBF{\"sid\":\"S\"}",
    ")]}',\n{\"sid\":\"S\"}",
    "callback({\"sid\":\"S\"});",
    std::string("{\"a\":1}\0{\"sid\":\"S\"}", 20),
    std::string("{\"a\":\"\0\",\"sid\":\"S\"}", 20),
    R"({"a":1}{"sid":"S"})",
    R"({"a":1} trailing "sid":"S")",
    // Brackets.
    R"({"sid":"S")",
    R"({"sid":"S"]])",
    R"({"a":[1,2},"sid":"S"})",
    R"(]}{"sid":"S"})",
    R"({{{"sid":"S"}})",
    // Separators.
    R"({"sid""S"})",
    R"({"sid" "S"})",
    R"({"sid"="S"})",
    R"({"sid"=>"S"})",
    R"({"sid","S"})",
    R"({"sid"::"S"})",
    R"({"a":1 "sid":"S"})",
    R"({"a":1,,"sid":"S"})",
    R"({,"sid":"S"})",
    R"({"a":"b":"sid":"S"})",
    R"({"a":,"sid":"S"})",
    R"({"sid":,"S"})",
    // Quotes.
    R"({sid:"S"})",
    R"({sid:S})",
    R"({"sid":S})",
    R"({"sid":S,"a":1})",
    R"({'sid':'S'})",
    R"({"sid:"S"})",
    R"({sid":"S"})",
    R"({"sid":S"})",
    R"({"sid":"S})",
    R"({"sid":"S)",
    R"({" sid ":"S"})",
    // Values.
    R"({"a":01,"sid":"S"})",
    R"({"a":+1.e,"sid":"S"})",
    R"({"a":NaN,"sid":"S"})",
    R"({"a":undefined,"sid":"S"})",
    R"({"a":tru,"sid":"S"})",
    R"({"a":function(){return 1},"sid":"S"})",
    "{\"a\":\"line\nbreak\",\"sid\":\"S\"}",
    "{\"a\":\"\xff\xfe\xc3\",\"sid\":\"S\"}",
    R"({"a":"\x\u12\ud800","sid":"S"})",
    R"({"a":"\\","sid":"S"})",
    R"({"a":"\\\"","sid":"S"})",
    R"({"a":/* note */1,"sid":"S"})",
    "{\"a\":1,// note\n\"sid\":\"S\"}",
};

std::string with_secret(std::string body, std::string_view secret) {
  for (std::size_t at = body.find('S'); at != std::string::npos; at = body.find('S', at + secret.size())) {
    body.replace(at, 1, secret);
  }
  return body;
}

}  // namespace

TEST_CASE("odd JSON: a session ID is found by its key in JSON that breaks every rule of the grammar") {
  const std::string secret = "q8w7e6r5-t4y3";
  for (const std::string& body : odd_bodies) {
    const std::string whole = with_secret(body, secret);
    INFO(whole);
    Scrubber scrubber({});
    const ScrubbedInteraction scrubbed = scrubber.scrub(get(login_path, whole));
    const InteractionRecord& record = scrubbed.record();
    CHECK(all_of(record).find(secret) == std::string::npos);
    CHECK(rows_fit(record));
    CHECK(record.completeness == api::Completeness::complete);
    CHECK_FALSE(record.redactions.empty());
  }
}

TEST_CASE("odd JSON: a value with an unescaped quote is replaced as a whole") {
  Scrubber scrubber({});
  const ScrubbedInteraction scrubbed = scrubber.scrub(get("/x", R"({"passwd":"half"and"half","b":1})"));
  CHECK(scrubbed.record().response.body.find("half") == std::string::npos);
}

TEST_CASE("odd JSON: generated broken JSON is stored without the secret and otherwise unchanged") {
  const std::string secret = "Zx9-cV8_bN7.mA6";
  std::mt19937 random(11);
  const std::string seeds[] = {R"({"data":{"a":[1,2.5e3,{"b":null}],"c":"d\"e","x":"V"},"success":true})",
                               R"([{"k":"V","l":[[],{}]},"t",false])", R"({"m":"{\"n\":\"V\"}"})"};
  Scrubber untaught({}), scrubber({});
  static_cast<void>(scrubber.scrub(login(secret)));
  for (int round = 0; round < 600; ++round) {
    std::string body = seeds[round % 3];
    for (int changes = 1 + static_cast<int>(random() % 4); changes > 0; --changes) {
      const std::size_t at = random() % body.size();
      if (body[at] == 'V') continue;
      const char bytes[] = {'"', '\\', '{', '}', '[', ']', ':', ',', '\0', '\xff', ' ', 'u', '\'', '\n'};
      switch (random() % 3) {
        case 0:
          body[at] = bytes[random() % sizeof bytes];
          break;
        case 1:
          body.insert(at, 1, bytes[random() % sizeof bytes]);
          break;
        default:
          body.erase(at, 1);
      }
    }
    INFO(body);
    const std::string harmless = with_secret(body, "");
    CHECK(untaught.scrub(get("/x", harmless)).record().response.body == harmless);
    std::string whole = body;
    const std::size_t at = whole.find('V');
    if (at == std::string::npos) continue;
    whole.replace(at, 1, secret);
    const ScrubbedInteraction scrubbed = scrubber.scrub(get("/x", whole));
    CHECK(all_of(scrubbed.record()).find(secret) == std::string::npos);
    CHECK(restored(scrubbed.record(), Part::response_body, {secret}) == whole);
  }
}

TEST_CASE("odd JSON: handles a million levels of nesting") {
  for (const char* open : {"[", "{\"a\":"}) {
    std::string body;
    for (int i = 0; i < 1'000'000; ++i) body += open;
    body += R"({"sid":")" + sid + "\"}";
    Scrubber scrubber({});
    const ScrubbedInteraction scrubbed = scrubber.scrub(get(login_path, body));
    CHECK(scrubbed.record().response.body.size() == body.size() - sid.size() + 12);
    CHECK(scrubbed.record().redactions.size() == 1);
  }
}

TEST_CASE("odd JSON: a value ends at its own quote, whatever its length and escapes") {
  // Strings are scanned in blocks of bytes: tests each length and each position of an escape, with and without a tail.
  for (std::size_t length = 1; length < 40; ++length) {
    Scrubber scrubber({});
    for (std::size_t escape = 0; escape <= length; ++escape) {
      std::string value(length, 'v');
      std::string other(length, 'w');
      const char* const escaped = escape % 2 == 0 ? R"(\")" : R"(\\)";
      if (escape < length) value.replace(escape, 1, escaped);
      if (escape < length) other.replace(escape, 1, escaped);
      for (const char* tail : {"", ",\"b\":1}", ",\"a longer tail than one block of bytes\":1}"}) {
        const std::string head = "{\"" + std::string(length % 20, 'k') + "\":\"" + other + "\",\"sid\":\"";
        const std::string body = head + value + '"' + tail;
        INFO(body);
        const ScrubbedInteraction scrubbed =
            scrubber.scrub(get("/webapi/entry.cgi?api=A.B&version=1&method=get", body));
        CHECK(scrubbed.record().response.body == head + "<SESSION_ID>\"" + tail);
      }
    }
  }
}

TEST_CASE("odd JSON: random bodies stay byte for byte outside of the redactions") {
  std::mt19937 random(5);
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid)));
  const std::vector<std::string> forms{sid,
                                       encode(sid, "percent-all"),
                                       encode(sid, "json-unicode"),
                                       encode(sid, "HEX"),
                                       encode(sid, "json>percent-all-lower"),
                                       encode(sid, "base64:0:0:0")};
  for (int round = 0; round < 300; ++round) {
    std::string body;
    std::vector<std::string> planted;
    for (int piece = 0; piece < 20; ++piece) {
      if (random() % 4 == 0) {
        body += "<" + forms[random() % forms.size()] + ">";
        planted.push_back(sid);
      } else {
        for (std::size_t n = random() % 40; n > 0; --n) body += static_cast<char>(random() % 256);
        body += '.';
      }
    }
    api::Interaction interaction = get("/x", body);
    interaction.response.headers.set("Content-Type", "application/octet-stream");
    const ScrubbedInteraction scrubbed = scrubber.scrub(interaction);
    CHECK(rows_fit(scrubbed.record()));
    CHECK(scrubbed.record().redactions.size() == planted.size());
    CHECK(restored(scrubbed.record(), Part::response_body, planted) == body);
  }
}
