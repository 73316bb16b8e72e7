// Tests values that the device accepted as secrets: replaced as whole values whatever they look like, inside of longer
// texts unless messages contain such text, and never in names.

#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "api/catalog.h"
#include "base/base64.h"
#include "http/message/urlencoded.h"
#include "scrubbers/redaction/interaction_texts.h"
#include "tests/scrubbers/fixtures.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

const std::string call = "/webapi/entry.cgi?api=SYNO.Core.Planted&version=1&method=get";

/// Passwords of every kind that people choose.
std::vector<std::string> passwords() {
  std::string long_one;
  for (int i = 0; long_one.size() < 200; ++i) long_one += "Winter " + std::to_string(i) + "/";
  return {"Sommer/Winter2024",
          "pa ss/w\"ord",
          "1000",
          "73519284",
          "Gr\xC3\xBC\xC3\x9F"
          "e-an",
          "entry.cgi?api=",
          "SYNO.Core.",
          "zx9k",
          "admin",
          "true",
          "list",
          "a=b&c=d",
          "\"success\":true}",
          "<b>x</b>",
          long_one};
}

void accept(Scrubber& scrubber, const std::string& password) {
  static_cast<void>(scrubber.scrub(get(login_path + "&account=ann&passwd=" + http::percent_encode(password))));
}

bool is_number(const std::string& text) { return text.find_first_not_of("0123456789") == std::string::npos; }

struct Place {
  std::string name;
  std::function<api::Interaction(const std::string& password)> make;
};

/// The places of a whole value that no rule names.
std::vector<Place> whole_places() {
  const auto percent = [](const std::string& text) { return http::percent_encode(text); };
  const auto json = [](const std::string& text) { return "\"" + encode(text, "json") + "\""; };
  const auto xml = [](std::string body) {
    api::Interaction made = get("/a.xml", std::move(body));
    made.response.headers.set("Content-Type", "text/xml");
    return made;
  };
  const auto header = [](bool of_request, const std::string& name, const std::string& value) {
    api::Interaction made = get(call);
    (of_request ? made.request.headers : made.response.headers).add(name, value);
    return made;
  };
  const std::string form = "application/x-www-form-urlencoded";
  return {
      {"a parameter", [=](const auto& s) { return get(call + "&note=" + percent(s)); }},
      {"a parameter in quotes", [=](const auto& s) { return get(call + "&note=" + percent(json(s))); }},
      {"a list", [=](const auto& s) { return get(call + "&note=" + percent("[" + json(s) + "]")); }},
      {"a field of a form", [=](const auto& s) { return post(call, form, "a=1&note=" + encode(s, "form")); }},
      {"JSON of a request",
       [=](const auto& s) { return post(call, "application/json", "{\"note\":" + json(s) + "}"); }},
      {"JSON", [=](const auto& s) { return get(call, "{\"data\":{\"note\":" + json(s) + ",\"list\":[1]}}"); }},
      {"JSON in JSON", [=](const auto& s) { return get(call, "{\"note\":" + json("{\"a\":" + json(s) + "}") + "}"); }},
      {"a segment of a path", [=](const auto& s) { return get("/files/" + percent(s) + "/x.txt"); }},
      {"a header of a request", [=](const auto& s) { return header(true, "Accept-Language", s); }},
      {"a header", [=](const auto& s) { return header(false, "X-Note", s); }},
      {"a cookie", [=](const auto& s) { return header(true, "Cookie", "stay_login=" + percent(s)); }},
      {"a cookie that is set",
       [=](const auto& s) { return header(false, "Set-Cookie", "x=" + percent(s) + "; path=/"); }},
      {"the text of a tag", [=](const auto& s) { return xml("<a><b>" + encode(s, "html") + "</b></a>"); }},
      {"an attribute", [=](const auto& s) { return xml("<a b=\"" + encode(s, "html") + "\">x</a>"); }},
      {"base64", [=](const auto& s) { return get(call, "{\"note\":\"" + base::base64_form(s) + "\"}"); }},
  };
}

}  // namespace

TEST_CASE("accepted: a password is replaced as a whole value whatever it looks like") {
  for (const std::string& password : passwords()) {
    Scrubber scrubber({});
    accept(scrubber, password);
    for (const Place& place : whole_places()) {
      CAPTURE(password, place.name);
      const InteractionRecord record = scrubber.scrub(place.make(password)).record();
      CHECK(record.completeness == api::Completeness::complete);
      REQUIRE(record.redactions.size() >= 1);
      CHECK(rows_fit(record));
      std::vector<std::string> values(record.redactions.size(), password);
      if (record.redactions.size() > 1) continue;  // rules find what such a password contains
      const Part part = record.redactions[0].part;
      const api::Interaction given = place.make(password);
      const Texts texts(given.request, given.response);
      CHECK(restored(record, part, values) == texts[part]);
    }
    if (!is_number(password)) continue;
    const InteractionRecord record = scrubber.scrub(get(call, "{\"size\":" + password + "}")).record();
    CHECK(record.response.body == "{\"size\":<PASSWORD>}");
  }
}

TEST_CASE("accepted: a password is replaced inside of longer texts unless messages contain such text") {
  const struct {
    std::string password;
    bool is_found;
  } rows[] = {
      {"Sommer/Winter2024", true}, {"pa ss/w\"ord", true}, {"1000", true},     {"73519284", true},    {"zx9k", true},
      {"entry.cgi", false},        {"list", false},        {"success", false}, {"SYNO.Core.", false}, {"true", false}};
  for (const auto& row : rows) {
    CAPTURE(row.password);
    Scrubber scrubber({});
    accept(scrubber, row.password);
    const std::string body = "{\"note\":\"it is " + encode(row.password, "json") + ", he said\"}";
    CHECK((scrubber.scrub(get(call, body)).record().response.body != body) == row.is_found);
    CHECK(scrubber.stats().structural == (row.is_found ? 0 : 1));
    const std::string target = call + "&note=it+is+" + http::percent_encode(row.password) + "%20he+said";
    CHECK((scrubber.scrub(get(target)).record().request.target != target) == row.is_found);
  }
}

TEST_CASE("accepted: a short password is no part of a word or of another number") {
  for (const std::string password : {"zx9k", "1000", "Haus"}) {
    Scrubber scrubber({});
    accept(scrubber, password);
    for (const std::string& text : {"a" + password, password + "b", "1" + password, password + "2", "_" + password}) {
      const std::string body = "{\"note\":\"" + text + "\",\"list\":[\"x " + text + " y\"]}";
      CAPTURE(body);
      CHECK(scrubber.scrub(get(call + "&note=" + text, body)).record().redactions.empty());
    }
  }
  Scrubber scrubber({});
  accept(scrubber, "1000");
  const std::string body = R"({"a":21000,"b":10001,"c":-1000,"d":1000.5,"e":0.1000,"f":1000e2})";
  CHECK(scrubber.scrub(get(call, body)).record().response.body == body);
}

TEST_CASE("accepted: 5,000 generated texts that are nearly a password stay") {
  std::mt19937 random(20261129);
  const std::string letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  const std::string marks = "/ .-_!=&\"";
  const auto letter = [&] { return letters[random() % letters.size()]; };
  std::size_t pairs = 0;
  for (std::size_t round = 0; round < 250; ++round) {
    std::string password;
    while (password.size() < 4 + round % 20) {
      password += round % 3 == 0 && random() % 4 == 0 ? marks[random() % marks.size()] : letter();
    }
    Scrubber scrubber({});
    accept(scrubber, password);
    // A letter beside it only makes another word of a short password that ends in one.
    const auto is_letter = [&](char c) { return letters.find(c) != std::string::npos; };
    const bool is_word = password.size() < 8 && is_letter(password.front()) && is_letter(password.back());
    for (int i = 0; i < 21; ++i) {
      std::string text = password;
      const std::size_t at = random() % password.size();
      switch (random() % (is_word ? 5 : 3)) {
        case 0:
          text[at] = text[at] == 'q' ? 'z' : 'q';
          break;
        case 1:
          text.erase(at, 1);
          if (text == password.substr(0, password.size() - 1)) text += "q";
          break;
        case 2:
          text.insert(password.size() / 2, 1, 'q');
          break;
        case 3:
          text += letter();
          break;
        default:
          text.insert(text.begin(), letter());
          break;
      }
      if (text == password || (!is_word && ("x " + text + " y").find(password) != std::string::npos)) continue;
      ++pairs;
      CAPTURE(password, text);
      const std::string body =
          "{\"note\":\"" + encode(text, "json") + "\",\"list\":[\"x " + encode(text, "json") + " y\"]}";
      CHECK(scrubber.scrub(get(call + "&note=" + http::percent_encode(text), body)).record().redactions.empty());
    }
  }
  CHECK(pairs > 5000);
}

TEST_CASE("accepted: names are never replaced") {
  const struct {
    std::string password, target, body;
  } rows[] = {
      {"SYNO.Core.System", "/webapi/entry.cgi?api=SYNO.Core.System&version=1&method=info", R"({"success":true})"},
      {"info", "/webapi/entry.cgi?api=SYNO.Core.System&version=1&method=info", R"({"info":{"a":1}})"},
      {"Test", "/webapi/entry.cgi?api=SYNO.Test.Place&version=1&method=get", R"({"success":true})"},
      {"entry.cgi", "/webapi/entry.cgi?api=SYNO.Test.Place&version=1&method=get", R"({"success":true})"},
      {"webapi", "/webapi/entry.cgi?api=SYNO.Test.Place&version=1&method=get", R"({"success":true})"},
      {"success", "/webapi/entry.cgi?api=SYNO.Test.Place&version=1&method=get", R"({"success":true})"},
      {"limit", "/webapi/entry.cgi?api=SYNO.Test.Place&version=1&method=get&limit=5", R"({"limit":5,"a_limit":1})"},
      {"Content-Type", "/webapi/entry.cgi?api=SYNO.Test.Place&version=1&method=get", R"({"success":true})"},
      {"application/json; charset=\"UTF-8\"", "/x?y=1", R"({"success":true})"},
      {"speed", "/webapi/entry.cgi?api=SYNO.Test.Place&version=1&method=get", R"({"speed":5,"list":[{"speed":1}]})"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.password);
    Scrubber scrubber({});
    static_cast<void>(scrubber.scrub(get("/x", R"({"speed":1})")));  // before the password is sent
    accept(scrubber, row.password);
    const InteractionRecord record = scrubber.scrub(get(row.target, row.body)).record();
    CHECK(record.request.target == row.target);
    CHECK(record.response.body == row.body);
  }
  // Other names of members are values.
  Scrubber scrubber({});
  accept(scrubber, "Haus2024");
  const InteractionRecord record = scrubber.scrub(get(call, R"({"Haus2024":1,"Haus2024b":2})")).record();
  CHECK(record.response.body == R"({"<PASSWORD>":1,"<PASSWORD>b":2})");
}

TEST_CASE("accepted: no piece of a request as a password changes the key of another call") {
  std::mt19937 random(20261128);
  std::vector<std::string> targets;
  for (const api::CatalogOperation& operation : api::catalog()) {
    targets.push_back("/webapi/entry.cgi?api=SYNO." + std::string(operation.api) +
                      "&version=1&method=" + std::string(operation.method));
  }
  const std::string body = R"({"data":{"items":[{"id":1,"name":""}],"total":1},"success":true})";
  for (int round = 0; round < 300; ++round) {
    const std::string& from = random() % 4 == 0 ? body : targets[random() % targets.size()];
    const std::size_t begin = random() % (from.size() - 4);
    const std::string password = from.substr(begin, 4 + random() % 20);
    CAPTURE(password);
    Scrubber scrubber({});
    static_cast<void>(scrubber.scrub(get(targets[0], body)));
    accept(scrubber, password);
    for (int other = 0; other < 20; ++other) {
      const std::string& target = targets[random() % targets.size()];
      const InteractionRecord record = scrubber.scrub(get(target, body)).record();
      CHECK(record.request.target == target);
      CHECK(record.response.body == body);
    }
  }
}

TEST_CASE("accepted: a place that no rule names has a hole of its own in the key") {
  Scrubber scrubber({});
  accept(scrubber, "1000");
  const InteractionRecord record = scrubber.scrub(get(call + "&limit=1000&passwd=1000")).record();
  CHECK(record.request.target == call + "&limit=<PASSWORD>&passwd=<PASSWORD>");
  CHECK(record.key.text == "SYNO.Core.Planted/1/get?limit=<PASSWORD:login>&passwd=<PASSWORD>");
  CHECK(scrubber.stats().only_for_login == 1);
}

TEST_CASE("accepted: a password with `&` is replaced in a path, where `&` separates nothing") {
  const std::string password = "Made-up&Pass/word=4711";
  for (const char* const front : {"/a/", "/a/g", "/webapi/entrnt$SVC.Core.X&vn1&method=g"}) {
    for (const char* const back : {"", "epgt", "/b", "?x=1&y=2"}) {
      CAPTURE(front, back);
      Scrubber scrubber({});
      static_cast<void>(scrubber.scrub(get(login_path + "&account=ann&passwd=Made-up%26Pass%2Fword%3D4711",
                                           R"({"data":{"sid":"fX7-made.up_session-id-0qLw3vT9z"},"success":true})")));
      const ScrubbedInteraction one = scrubber.scrub(get(front + password + back));
      CHECK(all_of(one.record()).find("Pass/word=4711") == std::string::npos);
      CHECK(one.record().request.target == std::string(front) + "<PASSWORD>" + back);
    }
  }
}
