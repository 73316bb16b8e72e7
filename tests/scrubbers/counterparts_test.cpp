#include "scrubbers/counterparts.h"

#include <catch2/catch.hpp>

#include "tests/scrubbers/fixtures.h"

using namespace tapedeck;
using scrubbers::Counterparts;
using scrubbers::SecretClass;
using scrubbers::test::encode;

namespace {

// The values contain bytes that encodings must escape.
const std::string mine = "Qx7+ZpLrT9/Wc4Ks=b8";
const std::string theirs = "Yt2/KdMmW5=Vb1Xq+n4";
const std::string longer = "Yt2/KdMmW5=Vb1Xq+n4-and-more";

const scrubbers::CompiledRules& rules() {
  static const scrubbers::CompiledRules compiled(scrubbers::RuleSet::defaults());
  return compiled;
}

Counterparts to(const std::string& other) {
  return Counterparts(rules(), {{SecretClass::session_id, mine, other},
                                {SecretClass::csrf_token, "token-of-mine", "token-of-theirs"},
                                {SecretClass::device_id, "device-id-of-mine", "device-id-of-theirs"}});
}

}  // namespace

TEST_CASE("counterparts: writes a value in the encoding of the value that it replaces") {
  const std::string encodings[] = {"",
                                   "percent",
                                   "percent-lower",
                                   "form",
                                   "json",
                                   "json-slash",
                                   "json-unicode",
                                   "html",
                                   "hex",
                                   "HEX",
                                   "hex-spaced",
                                   "utf16le",
                                   "html-hex",
                                   "json>percent",
                                   "percent>json",
                                   "percent>percent",
                                   "html-decimal"};
  for (const std::string& other : {theirs, longer}) {
    for (const std::string& encoding : encodings) {
      CAPTURE(encoding, other);
      const std::string before = "[before " + encode(mine, encoding) + " between ";
      const std::string text = before + encode(mine, encoding) + " after]";
      const std::string wanted =
          "[before " + encode(other, encoding) + " between " + encode(other, encoding) + " after]";
      const scrubbers::Replaced written = to(other).written(text);
      CHECK(written.text == wanted);
      CHECK(written.moved.size() == 2);
      CHECK(written.place_of(3) == 3);
      CHECK(written.place_of(text.size()) == wanted.size());
      CHECK(written.place_of(before.size()) ==
            before.size() - encode(mine, encoding).size() + encode(other, encoding).size());
    }
  }
}

TEST_CASE("counterparts: replaces a value in base64 only if the rest stays unchanged") {
  const auto base64 = [](std::string_view bytes) { return encode(bytes, "base64:0:0:0"); };
  const std::string same_length = "123456789012345678" + std::string(1, 'x');
  REQUIRE(same_length.size() == mine.size());
  for (const std::string prefix : {"id=", "sid=", "_sid="}) {
    CAPTURE(prefix);
    const std::string text = base64(prefix + mine + "&file=7;;;");
    CHECK(to(same_length).written(text).text == base64(prefix + same_length + "&file=7;;;"));
    const std::string other = same_length + "y";
    CHECK(to(other).written(text).text == text);
  }
}

TEST_CASE("counterparts: replaces any session ID in named places of a request, and known values everywhere") {
  const auto path = [](const std::string& rest) {
    return "/webapi/entry.cgi?api=SYNO.Core.Share&version=1&method=list" + rest;
  };
  struct Request {
    std::string target;
    http::Headers headers;
    std::string body;
  };
  const http::Headers form = {{"Content-Type", "application/x-www-form-urlencoded"}};
  const http::Headers json = {{"Content-Type", "application/json"}};
  const struct {
    std::string name;
    Request before, after;
  } rows[] = {
      {"nothing", {path("&a=b"), {{"Accept", "x"}}, ""}, {path("&a=b"), {{"Accept", "x"}}, ""}},
      {"query",
       {path("&_sid=Qx7%2BZpLrT9%2FWc4Ks%3Db8&z=1"), {}, ""},
       {path("&_sid=Yt2%2FKdMmW5%3DVb1Xq%2Bn4&z=1"), {}, ""}},
      {"a short id", {path("&_sid=ab"), {}, ""}, {path("&_sid=Yt2%2FKdMmW5%3DVb1Xq%2Bn4"), {}, ""}},
      {"another id", {path("&_sid=somebody-else-here"), {}, ""}, {path("&_sid=Yt2%2FKdMmW5%3DVb1Xq%2Bn4"), {}, ""}},
      {"form",
       {path(""), form, "a=1&_sid=x&SynoToken=y"},
       {path(""), form, "a=1&_sid=Yt2%2FKdMmW5%3DVb1Xq%2Bn4&SynoToken=token-of-theirs"}},
      {"headers and cookies",
       {path(""), {{"X-SYNO-TOKEN", "old"}, {"Cookie", "id=abc; did=def; theme=dark"}}, ""},
       {path(""),
        {{"X-SYNO-TOKEN", "token-of-theirs"},
         {"Cookie", "id=Yt2/KdMmW5=Vb1Xq+n4; did=device-id-of-theirs; theme=dark"}},
        ""}},
      {"referer",
       {path(""), {{"Referer", "http://x/?_sid=Qx7%2BZpLrT9%2FWc4Ks%3Db8"}}, ""},
       {path(""), {{"Referer", "http://x/?_sid=Yt2%2FKdMmW5%3DVb1Xq%2Bn4"}}, ""}},
      {"json body",
       {path(""), json, R"({"_sid":"Qx7+ZpLrT9\/Wc4Ks=b8","a":[1, 2]})"},
       {path(""), json, R"({"_sid":"Yt2\/KdMmW5=Vb1Xq+n4","a":[1, 2]})"}},
      {"another parameter", {path("&link=device-id-of-mine"), {}, ""}, {path("&link=device-id-of-theirs"), {}, ""}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    http::Request request{row.before.body.empty() ? "GET" : "POST", row.before.target, 1, row.before.headers,
                          row.before.body};
    const auto classes = to(theirs).write_into(request, "");
    CHECK(request.target == row.after.target);
    CHECK(request.headers == row.after.headers);
    CHECK(request.body == row.after.body);
    CHECK(classes.empty() == (row.name == "nothing"));
  }
}

TEST_CASE("counterparts: a possible beginning of a value waits for more bytes") {
  const Counterparts values = to(theirs);
  CHECK(values.waiting_bytes("") == 0);
  CHECK(values.waiting_bytes("nothing of it.") == 0);
  CHECK(values.waiting_bytes("text Qx7+Zp") == 6);
  CHECK(values.waiting_bytes("text " + mine) == 0);
  CHECK(values.waiting_bytes("Q") == 1);
}

TEST_CASE("counterparts: values without a counterpart stay unchanged") {
  const Counterparts values(rules(),
                            {{SecretClass::session_id, mine, theirs}, {SecretClass::csrf_token, "a-token-here", ""}});
  CHECK(values.written("a-token-here " + mine).text == "a-token-here " + theirs);
}
