// Tests that scrubbing never damages a message: text rules stay inside of one string, and a body keeps its structure
// when it is stored and when it is replayed.

#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "base/json_library.h"
#include "http/message/urlencoded.h"
#include "tests/scrubbers/fixtures.h"
#include "tests/support/needs.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;
using nlohmann::json;

const std::string structure_call = "/webapi/entry.cgi?api=SYNO.Core.Planted&version=1&method=get";

/// Strings that look like the beginning of a secret and end before it.
const std::vector<std::string> hazards{
    "DB_PASSWORD=",
    "DB_PASSWORD= ",
    "password=",
    "https://nas.example/login?user=ann&password=",
    "https://nas.example/x?_sid=",
    "https://nas.example/x?a=1&SynoToken=",
    "https%3A%2F%2Fnas.example%2Fx%3F_sid%3D",
    "password: ",
    "Password:",
    "-H 'X-Api-Key: ",
    "api_key: \"",
    "token='",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN OpenVPN Static key V1-----",
    "Private-Lines: 4",
    "mysqldump -u root -p",
    "sshpass -p ",
    "curl -u ann:",
    "Authorization: Bearer ",
    "Basic ",
    "rtsp://admin:",
    "https://hooks.example/services/hook/",
    "https://nas.example/sharing/",
    "machine nas.example login admin password ",
    "{SSHA}",
    "$6$",
    "{\"password\":\"",
    "{\"password\":",
    "'password':",
    "<input name=\"passwd\" value=",
    "<password>",
    "</password>",
    "<![CDATA[",
    "PWD=/volume1/homes",
    "OLDPWD=/volume1",
    "\\",
    "\"",
    "=",
    "%",
    "&",
    ":",
    "",
    "DB_USER=ann",
    "some words",
};

/// Strings with a secret, which is between « and ».
const std::vector<std::string> holders{
    "DB_PASSWORD=«Zq8Wn5Lp2Xd7Rt»",
    "https://nas.example/x?a=1&_sid=«kR7vQ2mZxT9pLw4B»&b=2",
    "password: «Zq8Wn5Lp2Xd7Rt»",
    "ftp://ann:«Zq8Wn5Lp2Xd7Rt»@files.example/a.txt",
    "curl -H 'Authorization: Bearer «q8Zr2VtXw71LmNb0»' x",
};

const std::vector<std::string> plain_names{"env",          "list", "cmd",  "label",  "content_hash",
                                           "PWD",          "x",    "$6$",  "{SSHA}", "DB_USER=ann",
                                           "mysqldump -p", "=",    "\\\"", "<a>"};

std::string without_marks(std::string text) {
  for (const std::string_view mark : {"«", "»"}) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.erase(at, mark.size());
  }
  return text;
}

std::string secret_in(const std::string& text) {
  const std::size_t begin = text.find("«");
  return begin == std::string::npos ? std::string() : text.substr(begin + 2, text.find("»") - begin - 2);
}

class Bodies {
 public:
  json value(int depth) {
    switch (random_() % (depth == 0 ? 3 : 5)) {
      case 0:
        return random_() % 2 == 0 ? json(static_cast<int>(random_() % 1000)) : json(nullptr);
      case 1:
      case 2:
        return string();
      case 3: {
        json list = json::array();
        for (std::size_t n = random_() % 4; n > 0; --n) list.push_back(value(depth - 1));
        return list;
      }
      default: {
        json object = json::object();
        for (std::size_t n = random_() % 4; n > 0; --n) {
          object[plain_names[random_() % plain_names.size()]] = value(depth - 1);
        }
        return object;
      }
    }
  }
  json string() {
    if (random_() % 8 == 0) return json(without_marks(holders[random_() % holders.size()]));
    if (random_() % 12 == 0) {
      const json inner = value(1);
      if (inner.is_structured() || inner.is_string()) return json(inner.dump());
    }
    return json(hazards[random_() % hazards.size()]);
  }
  std::mt19937& random() { return random_; }

 private:
  std::mt19937 random_{20261128};
};

/// Returns the text as replay writes it: with a stand-in for each secret.
std::string replayed(const InteractionRecord& record, Part part) {
  std::vector<std::string> values;
  for (const Redaction& row : record.redactions) {
    if (row.part == part) values.push_back(row.shape.empty() ? "x1" : make_of_shape(row.shape, "seed"));
  }
  return restored(record, part, values);
}

/// Returns where `after` differs from `before` in more than the parts of strings that are secrets; empty if nowhere.
std::string damage(const json& before, const json& after) {
  if (std::string(before.type_name()) != after.type_name() || before.size() != after.size())
    return before.dump() + " became " + after.dump();
  if (before.is_array()) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (const std::string inside = damage(before[i], after[i]); !inside.empty()) return inside;
    }
    return {};
  }
  if (before.is_object()) {
    for (const auto& [key, value] : before.items()) {
      if (!after.contains(key)) return "no member " + key;
      if (const std::string inside = damage(value, after[key]); !inside.empty()) return inside;
    }
    return {};
  }
  if (before == after) return {};
  if (!before.is_string()) return before.dump() + " became " + after.dump();
  const std::string text = before.get<std::string>();
  if (json::accept(text) && json::accept(after.get<std::string>())) {
    const json inner = json::parse(text);
    if (inner.is_structured() || inner.is_string()) return damage(inner, json::parse(after.get<std::string>()));
  }
  for (const std::string& holder : holders) {
    if (without_marks(holder) != text) continue;
    const std::size_t begin = holder.find("«");
    const std::string tail = holder.substr(holder.find("»") + 2);
    const auto changed = after.get<std::string>();
    const bool same = changed.starts_with(holder.substr(0, begin)) && changed.ends_with(tail);
    return same ? std::string() : text + " became " + changed;
  }
  return text + " became " + after.get<std::string>();
}

struct Holder {
  std::string name;
  Part part;
  std::function<api::Interaction(const std::string& body)> make;
  /// Returns the JSON in the part.
  std::function<std::string(const std::string& text)> body_of;
};

std::vector<Holder> body_places() {
  const auto same = [](const std::string& text) { return text; };
  const std::string form = "application/x-www-form-urlencoded";
  const auto typed = [](const std::string& body, const std::string& type) {
    api::Interaction made = get(structure_call, body);
    made.response.headers.set("Content-Type", type);
    return made;
  };
  return {
      {"a response", Part::response_body, [=](const std::string& body) { return get(structure_call, body); }, same},
      {"a response without a type", Part::response_body,
       [=](const std::string& body) { return typed(body, "text/plain"); }, same},
      {"an event", Part::response_body,
       [=](const std::string& body) { return typed("data: " + body + "\n\n", "text/event-stream"); },
       [](const std::string& text) { return text.substr(6, text.size() - 8); }},
      {"a request", Part::request_body,
       [=](const std::string& body) { return post(structure_call, "application/json", body); }, same},
      {"a parameter of a form", Part::request_body,
       [=](const std::string& body) { return post(structure_call, form, "a=1&data=" + http::percent_encode(body)); },
       [](const std::string& text) { return http::percent_decode(text.substr(9), true); }},
      {"a parameter of the target", Part::request_target,
       [=](const std::string& body) { return get(structure_call + "&data=" + http::percent_encode(body)); },
       [](const std::string& text) { return http::percent_decode(text.substr(structure_call.size() + 6), true); }},
  };
}

}  // namespace

TEST_CASE("structure: an ordinary answer stays byte for byte") {
  const std::vector<std::string> bodies{
      R"({"env":["DB_PASSWORD=","DB_USER=ann"]})",
      R"({"template":"https://nas.example/?user=u&password=","method":"post"})",
      R"({"url":"\/webapi\/entry.cgi?_sid=","next":"kR7vQ2mZxT9pLw4B"})",
      R"({"label":"password: ","value":"Zq8Wn5Lp2Xd7Rt"})",
      R"({"label":"Password: ", "hint":"sunshine"})",
      R"({"help":"-----BEGIN PRIVATE KEY-----","example":"a text of more than sixteen characters"})",
      R"({"command":"mysqldump -u root -p","file":"backup.sql"})",
      R"({"command":["sshpass","-p","other"],"shell":"sshpass -p ","next":"word"})",
      R"({"content_hash":"3fa94c7be1d2058866aa17c3d94e0bb1","document_hash":"3fa94c7be1d2058866aa17c3d94e0bb2"})",
      R"({"torrent_hash":"3fa94c7be1d2058866aa17c3d94e0bb13fa94c7b","filmhash":"3fa94c7be1d2058866aa17c3d94e0bb2"})",
      R"({"environment":["PWD=/volume1/homes/x","OLDPWD=/root/some/where"],"pwd":"/volume1/homes/x"})",
      R"({"env":{"PWD":"/volume1/homes/x","OLDPWD":"/root/some/where"}})",
      R"({"script":"read -p 'password: ' password","next":"Zq8Wn5Lp2Xd7Rt"})",
      R"({"a":"\"password\":","b":"Zq8Wn5Lp2Xd7Rt"})",
      R"({"sid":-1.5,"password":1e3,"SynoToken":0.25})",
  };
  for (const std::string& body : bodies) {
    INFO(body);
    for (const Holder& place : body_places()) {
      INFO(place.name);
      Scrubber scrubber({});
      const api::Interaction given = place.make(body);
      const InteractionRecord record = scrubber.scrub(given).record();
      CHECK(record.completeness == api::Completeness::complete);
      CHECK(lines_of(record) == std::vector<std::string>{});
      CHECK(place.body_of(part_of(record, place.part)) == body);
    }
  }
}

TEST_CASE("structure: generated JSON keeps its structure in every place, and only secrets in it are replaced") {
  Bodies bodies;
  std::size_t replaced = 0;
  for (int round = 0; round < (tests::is_long() ? 1500 : 400); ++round) {
    json body = json::object();
    body["data"] = bodies.value(4);
    body["more"] = bodies.value(4);
    const std::string text = body.dump(bodies.random()() % 2 == 0 ? -1 : 2);
    for (const Holder& place : body_places()) {
      if (place.name == "an event" && text.find('\n') != std::string::npos) continue;
      CAPTURE(place.name, text);
      Scrubber scrubber({});
      const InteractionRecord record = scrubber.scrub(place.make(text)).record();
      REQUIRE(record.completeness == api::Completeness::complete);
      CHECK(rows_fit(record));
      const std::string after = place.body_of(replayed(record, place.part));
      CAPTURE(after);
      REQUIRE(json::accept(after));
      REQUIRE(damage(body, json::parse(after)) == "");
      for (const std::string& holder : holders) {
        REQUIRE(part_of(record, place.part).find(secret_in(holder)) == std::string::npos);
      }
      replaced += record.redactions.size();
    }
  }
  CHECK(replaced > 500);
}

TEST_CASE("structure: a value that is only learned never takes marks of the structure with it") {
  // The user may look for any text, also for one that spans two members.
  const std::string value = R"(","user":"ann","k7RvQ2mZ":")";
  Scrubber scrubber({});
  scrubber.teach(value);
  const std::string body = R"({"a":"x","user":"ann","k7RvQ2mZ":"y"})";
  const InteractionRecord record = scrubber.scrub(get(structure_call, body)).record();
  CHECK(record.completeness == api::Completeness::withheld);
  CHECK(record.reason == "a body that would lose its structure");
  CHECK(record.response.body.empty());
  const InteractionRecord sent = scrubber.scrub(post(structure_call, "application/json", body)).record();
  CHECK(sent.completeness == api::Completeness::withheld);
  CHECK(sent.request.body.empty());
  const std::string tags = R"(<a><b>x</b><","user":"ann","k7RvQ2mZ":"/></a>)";
  CHECK(all_of(scrubber.scrub(get(structure_call, tags)).record()).find("k7RvQ2mZ") == std::string::npos);
}

TEST_CASE("structure: XML and forms keep their structure") {
  const auto xml = [](const std::string& body) {
    api::Interaction made = get("/a.xml", body);
    made.response.headers.set("Content-Type", "text/xml");
    return made;
  };
  for (const std::string& hazard : hazards) {
    for (const std::string& holder : holders) {
      const std::string text = encode(hazard, "html"), other = encode(without_marks(holder), "html");
      const std::string body =
          "<a><b>" + text + "</b><c x=\"" + text + "\"/>\n<b>" + other + "</b><b>Zq8.Wn5-Lp</b></a>";
      INFO(body);
      Scrubber scrubber({});
      const InteractionRecord record = scrubber.scrub(xml(body)).record();
      const std::string secret = secret_in(holder);
      const std::size_t at = body.find(secret);
      REQUIRE(record.completeness == api::Completeness::complete);
      REQUIRE(record.redactions.size() == 1);
      CHECK(record.redactions[0].offset == at);
      CHECK(restored(record, Part::response_body, {secret}) == body);
      const std::string form = "a=" + http::percent_encode(hazard) +
                               "&b=" + http::percent_encode(without_marks(holder)) + "&c=Zq8.Wn5-Lp&" +
                               http::percent_encode(hazard) + "=1";
      INFO(form);
      Scrubber another({});
      const InteractionRecord sent =
          another.scrub(post(structure_call, "application/x-www-form-urlencoded", form)).record();
      REQUIRE(sent.redactions.size() == 1);
      CHECK(sent.redactions[0].offset == form.find(http::percent_encode(secret)));
    }
  }
}
