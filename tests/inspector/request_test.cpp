// Tests GET /requests/N, GET /recordings, and the rules of looser matching.

#include <catch2/catch.hpp>

#include "inspector/shown.h"
#include "tests/inspector/control_fixture.h"

namespace tapedeck::inspector {
namespace {

using nlohmann::json;

constexpr auto session = "0123456789abcdefSessionOne";

testing::TestCassette shares() {
  return testing::cassette_with({
      testing::login("ann", session),
      testing::record("SVC.Core.Share/1/list?limit=5",
                      R"({"data":{"sid":")" + std::string(session) + R"(","n":1},"success":true})", session),
      testing::record("SVC.Core.Share/1/list?limit=5", R"({"data":{"n":2},"success":true})", session),
      testing::record("SVC.Core.Large/1/get", R"({"data":")" + std::string(600'000, 'x') + R"(","success":true})",
                      session),
  });
}

std::string text_of(const json& body) {
  std::string text;
  for (const json& piece : body["pieces"]) text += piece["text"].get<std::string>();
  return text;
}

}  // namespace

TEST_CASE("control: shows a recorded response from its cassette with its redactions") {
  const Controlled controlled(10'000, shares());
  controlled.ask("SVC.Core.Share/1/list?limit=5");
  const json shown = controlled.get("/requests/1").json();
  CHECK(shown["entry"]["outcome"] == "recorded");
  CHECK(shown["entry"]["duration_us"].is_number());
  CHECK(shown["asked"]["path"] == "/webapi/entry.cgi");
  CHECK(shown["asked"]["parameters"] == json::parse(R"([{"name":"limit","value":"5"}])"));
  CHECK(shown["asked"]["left_out"] == json::parse(R"(["_sid"])"));
  CHECK(shown["recording"]["id"] == shown["entry"]["recording"]);
  CHECK(shown["recording"]["take"] == 1);
  const json& body = shown["answer"]["body"];
  REQUIRE(body["pieces"].size() == 3);
  CHECK(body["pieces"][1] == json::parse(R"({"class":"SESSION_ID","text":"<SESSION_ID>"})"));
  CHECK(text_of(body) == R"({"data":{"sid":"<SESSION_ID>","n":1},"success":true})");
  CHECK_FALSE(body.contains("next"));
}

TEST_CASE("control: returns a long body in pieces that fit together") {
  const Controlled controlled(10'000, shares());
  controlled.ask("SVC.Core.Large/1/get");
  std::string whole;
  int pieces = 0;
  for (json next = 0; !next.is_null(); ++pieces) {
    const json body = controlled.get("/requests/1?from=" + next.dump()).json()["answer"]["body"];
    CHECK(text_of(body).size() <= body_piece);
    whole += text_of(body);
    CHECK(body["bytes"] == 600'026);
    next = body.value("next", json());
  }
  CHECK(pieces == 3);
  CHECK(whole.size() == 600'026);
  CHECK(text_of(controlled.get("/requests/1?from=9007199254740991").json()["answer"]["body"]).empty());
}

TEST_CASE("control: pieces split no character and no placeholder") {
  const std::string text = std::string(body_piece - 1, 'x') + "\xc3\xa4<SESSION_ID>tail";
  const journal::MarkedText::Mark mark{body_piece + 1, 12, scrubbers::SecretClass::session_id};
  const json first = shown_body({text, {&mark, 1}, text.size()}, 0, {});
  CHECK(first["next"] == body_piece - 1);
  const std::string at_mark = std::string(body_piece - 5, 'x') + "<SESSION_ID>tail";
  const journal::MarkedText::Mark split{body_piece - 5, 12, scrubbers::SecretClass::session_id};
  const json piece = shown_body({at_mark, {&split, 1}, at_mark.size()}, 0, {});
  CHECK(piece["next"] == body_piece - 5);
  const json rest = shown_body({at_mark, {&split, 1}, at_mark.size()}, body_piece - 5, {});
  CHECK(rest["pieces"].dump() == R"([{"class":"SESSION_ID","text":"<SESSION_ID>"},{"text":"tail"}])");
  CHECK_FALSE(rest.contains("next"));
  const json cut = shown_body({"abc", {}, 10}, 0, {});
  CHECK(cut["cut"] == true);
  const std::string broken(body_piece + 10, '\x80');
  CHECK(shown_body({broken, {}, broken.size()}, 0, {})["next"].get<std::uint64_t>() > body_piece - 8);
  CHECK(shown_body({"\xff\xfe", {}, 2}, 0, {})["pieces"] == json::parse(R"([{"base64":"//4="}])"));
  CHECK(shown_body({"a secret", {}, 8}, 0, [](std::string_view) { return "a <SECRET>"; })["pieces"][0]["text"] ==
        "a <SECRET>");
}

TEST_CASE("control: shows a miss beside the nearest recordings, and its remedy works") {
  const Controlled controlled(10'000, shares());
  controlled.ask("SVC.Core.Share/1/list?limit=9&offset=0");
  const json shown = controlled.get("/requests/1").json();
  CHECK(shown["entry"]["outcome"] == "miss");
  REQUIRE(shown["nearest"].size() == 1);
  CHECK(shown["nearest"][0]["key"] == "SVC.Core.Share/1/list?limit=5");
  CHECK(shown["nearest"][0]["parameters"] ==
        json::parse(R"([{"asked":"9","name":"limit","recorded":"5","verdict":"differs"},
                        {"asked":"0","name":"offset","verdict":"extra"}])"));
  CHECK(shown["nearest"][0]["version"] == json::parse(R"({"asked":"1","recorded":"1"})"));
  CHECK(shown["hint"].get<std::string>().find("ignoring it would be a guess") != std::string::npos);
  CHECK_FALSE(shown.contains("recording"));

  CHECK(controlled.get("/rules").json() == json::parse(R"({"rules":[]})"));
  const Said added = controlled.post("/rules", R"({"api":"Core.Share","method":"list","ignore":["limit","offset"]})");
  CHECK(added.json() == json::parse(R"({"id":1})"));
  const auto outcome = [&controlled] {
    const auto answer = replay::call(*controlled.handler, "SVC.Core.Share/1/list?limit=9&offset=0&_sid=x");
    return replay::outcome(answer);
  };
  CHECK(outcome() == "recorded");
  CHECK(controlled.get("/journal?from=2").json()["entries"][0]["match"] == "ignored=limit, ignored=offset");
  CHECK(
      controlled.get("/rules").json()["rules"][0] ==
      json::parse(
          R"({"any_version":false,"api":"Core.Share","bind":[],"id":1,"ignore":["limit","offset"],"method":"list"})"));
  CHECK(controlled.post("/rules/delete", R"({"id":1})").status == 200);
  CHECK(outcome() == "miss");
  CHECK(controlled.post("/rules/delete", R"({"id":1})").status == 404);
}

TEST_CASE("control: a rule that binds a parameter applies from the next request on") {
  const Controlled controlled(
      10'000, testing::cassette_with({testing::record("SVC.Core.Volume/1/create?name=pvc-6f2ac1d9",
                                                      R"({"data":{"name":"pvc-6f2ac1d9"},"success":true})")}));
  const auto created = [&controlled](const std::string& name) {
    return replay::call(*controlled.handler, "SVC.Core.Volume/1/create?name=" + name).body;
  };
  CHECK_FALSE(created("pvc-11112222") == R"({"data":{"name":"pvc-11112222"},"success":true})");
  REQUIRE(controlled.post("/rules", R"({"api":"Core.Volume","bind":["name"]})").status == 200);
  CHECK(controlled.get("/rules").json()["rules"][0]["bind"] == json::parse(R"(["name"])"));
  CHECK(created("pvc-33334444") == R"({"data":{"name":"pvc-33334444"},"success":true})");
}

TEST_CASE("control: rejects meaningless rules") {
  const Controlled controlled;
  const char* const rows[] = {R"({})",
                              R"({"api":"Core.Share"})",
                              R"({"ignore":[]})",
                              R"({"ignore":"limit"})",
                              R"({"ignore":[""]})",
                              R"({"ignore":[1]})",
                              R"({"bind":[]})",
                              R"({"bind":"name"})",
                              R"({"bind":["passwd"]})",
                              R"({"any_version":1})",
                              R"({"any_version":false})",
                              R"({"api":7,"ignore":["limit"]})",
                              R"({"ignore":["limit"],"id":1})"};
  for (const char* row : rows) {
    INFO(row);
    CHECK(controlled.post("/rules", row).status == 400);
  }
  CHECK(controlled.post("/rules/delete", R"({"id":"1"})").status == 400);
  for (std::size_t i = 0; i < replay::LiveRules::most; ++i) {
    replay::MatchRule rule;
    rule.any_version = true;
    (void)controlled.handler->rules().add(rule);
  }
  CHECK(controlled.post("/rules", R"({"ignore":["limit"]})").status == 400);
}

TEST_CASE("control: reports that a request does not exist or is no longer kept") {
  const Controlled controlled(2);
  for (int i = 0; i < 4; ++i) controlled.ask("SVC.Core.A/1/get");
  CHECK(controlled.get("/requests/4").status == 200);
  for (const char* target : {"/requests/2", "/requests/5", "/requests/0", "/requests/999999999999999"}) {
    INFO(target);
    CHECK(controlled.get(target).status == 404);
  }
  CHECK(controlled.get("/requests/4?from=x").status == 400);
  CHECK(controlled.get("/requests/4?body=1").status == 400);
}

TEST_CASE("control: shows a generated response without its IDs") {
  const Controlled controlled;
  const std::string sid = replay::log_in(*controlled.handler, "ann-of-the-test");
  const Said said = controlled.get("/requests/1");
  CHECK(said.json()["answer"]["body"]["pieces"].size() == 5);
  CHECK_FALSE(said.json()["answer"]["body"].contains("cut"));
  CHECK(said.body.find(sid) == std::string::npos);
  CHECK(said.body.find("ann-of-the-test") == std::string::npos);
  CHECK(said.body.find("made-up") == std::string::npos);
}

TEST_CASE("control: lists recordings with their use and shows each one") {
  const Controlled controlled(10'000, shares());
  controlled.ask("SVC.Core.Share/1/list?limit=5");
  const json list = controlled.get("/recordings").json()["sequences"];
  REQUIRE(list.size() == 3);
  const json& sequence = list[2];
  CHECK(sequence["key"] == "SVC.Core.Share/1/list?limit=5");
  CHECK(sequence["recordings"] == 2);
  CHECK(sequence["played"] == 1);
  CHECK(sequence["finished"] == false);
  CHECK(sequence["place"] == 0);
  CHECK(controlled.get("/recordings?limit=2").json()["next"] == 2);
  CHECK(controlled.get("/recordings?from=2&limit=2").json()["sequences"].size() == 1);

  const std::string lane = sequence["lane"].dump();
  const json answers =
      controlled.get("/recordings?cassette=0&take=1&lane=" + lane + "&key=SVC.Core.Share%2F1%2Flist%3Flimit%3D5")
          .json()["answers"];
  REQUIRE(answers.size() == 2);
  CHECK(answers[0]["played"] == true);
  CHECK(answers[1]["played"] == false);
  CHECK(answers[0]["status"] == 200);
  const json one = controlled.get("/recordings?cassette=0&id=" + answers[0]["id"].get<std::string>()).json();
  CHECK(text_of(one["answer"]["body"]) == R"({"data":{"sid":"<SESSION_ID>","n":1},"success":true})");
  CHECK(one["asked"]["verb"] == "GET");
  CHECK(one["recording"]["key"] == "SVC.Core.Share/1/list?limit=5");

  for (const char* target : {"/recordings?cassette=1&id=0123456789abcdef", "/recordings?id=ffffffffffffffff",
                             "/recordings?key=none", "/recordings?cassette=7&key=none"}) {
    INFO(target);
    CHECK(controlled.get(target).status == 404);
  }
  CHECK(controlled.get("/recordings?cassette=-1&id=0").status == 400);
}

TEST_CASE("control: lists a scope's recordings beside those without a scope") {
  const Controlled controlled(
      10'000, testing::cassette_with({
                  testing::record("SVC.Core.A/1/get", R"({"data":1,"success":true})", session),
                  testing::record("SVC.Core.A/1/get", R"({"data":2,"success":true})", session).in_scope("login fails"),
              }));
  const json list = controlled.get("/recordings").json()["sequences"];
  REQUIRE(list.size() == 2);
  CHECK_FALSE(list[0].contains("scope"));
  CHECK(list[1]["scope"] == "login fails");
  const auto body_of = [&controlled](const json& sequence, const std::string& scope) {
    const std::string lane = "&take=1&lane=" + sequence["lane"].dump();
    const json answers =
        controlled.get("/recordings?cassette=0" + lane + "&key=SVC.Core.A%2F1%2Fget" + scope).json()["answers"];
    REQUIRE(answers.size() == 1);
    const std::string id = answers[0]["id"].get<std::string>();
    return text_of(controlled.get("/recordings?cassette=0&id=" + id).json()["answer"]["body"]);
  };
  CHECK(body_of(list[0], "") == R"({"data":1,"success":true})");
  CHECK(body_of(list[1], "&scope=login%20fails") == R"({"data":2,"success":true})");
  CHECK(controlled.get("/recordings?cassette=0&take=1&lane=1&key=SVC.Core.A%2F1%2Fget&scope=none").status == 404);
}

TEST_CASE("control: shows the change of an overlay, and a fault has no response") {
  const Controlled controlled;
  REQUIRE(controlled
              .post("/overlays", R"([{"name":"down","call":"Core.A/1/get","fault":"close"},
                                     {"name":"odd","call":"Core.B/1/get","merge":{"data":9}}])")
              .status == 200);
  controlled.ask("SVC.Core.A/1/get");
  json shown = controlled.get("/requests/1").json();
  CHECK(shown["entry"]["overlay"] == "down");
  CHECK_FALSE(shown.contains("answer"));
  controlled.ask("SVC.Core.B/1/get");
  shown = controlled.get("/requests/2").json();
  CHECK(shown["entry"]["overlay"] == "odd");
  CHECK(text_of(shown["answer"]["body"]) == R"({"data":9,"success":true})");
  CHECK_FALSE(shown.contains("recording"));
  CHECK(shown["entry"]["duration_us"].get<std::int64_t>() < 2'000'000);
  REQUIRE(controlled.post("/overlays", R"([{"call":"Core.B/1/get","delay":"2s"}])").status == 200);
  controlled.ask("SVC.Core.B/1/get");
  CHECK(controlled.get("/requests/3").json()["entry"]["duration_us"].get<std::int64_t>() >= 2'000'000);
}

TEST_CASE("control: marks, finishes, and searches a recording and counts its secrets") {
  journal::Journal journal({100, "", most_kept_bytes});
  Subject subject{"record", "http://127.0.0.1:1", &journal, nullptr, [] { return Subject::Counts{{"requests", 1}}; },
                  {}};
  std::string marked;
  int finished = 0;
  subject.recording.mark = [&marked](const std::string& name) { marked = name; };
  subject.recording.finish = [&finished] { ++finished; };
  journal.hide_with(
      [](std::string_view text) { return text == "late" ? std::string("<PASSWORD>") : std::string(text); });
  subject.recording.learned = [] { return Subject::Counts{{"SESSION_ID", 2}}; };
  Control control(subject);
  const auto ask = [&control](const char* method, const char* path, const char* body = "", std::uint64_t number = 0) {
    return control.respond(*find_route(path, method), "", body, number);
  };
  CHECK(ask("POST", "/mark", R"({"name":"before"})").status == 200);
  CHECK(marked == "before");
  for (const char* body : {R"({})", R"({"name":""})", R"({"name":1})", R"({"name":"x","at":1})"}) {
    CHECK(ask("POST", "/mark", body).status == 400);
  }
  CHECK(ask("POST", "/finish", R"({"now":true})").status == 400);
  CHECK(finished == 0);
  CHECK(ask("POST", "/finish", "{}").status == 200);
  CHECK(finished == 1);
  CHECK(json::parse(ask("GET", "/state").body)["learned"] == json::parse(R"({"SESSION_ID":2})"));

  // Names of scopes are scrubbed as well.
  subject.scopes.names = [] { return std::vector<std::string>{"early", "late"}; };
  Control scoped(subject);
  CHECK(json::parse(scoped.respond(*find_route("/scope", "GET"), "", "").body) ==
        json::parse(R"({"runs":["early","<PASSWORD>"]})"));

  auto kept = std::make_shared<journal::KeptRequest>();
  kept->reason = "OK";
  kept->response_body.text = "late";
  kept->body_bytes = 4;
  journal.add({}, kept);
  const json shown = json::parse(ask("GET", "/requests/1", "", 1).body);
  CHECK(text_of(shown["answer"]["body"]) == "<PASSWORD>");

  auto leaky = std::make_shared<journal::KeptRequest>();
  leaky->response_body.text = R"({"token":"q8Zr2LmT7xVb4NcW9sKd3HfJ"})";
  journal.add({}, leaky);
  const ControlResponse suspects = ask("GET", "/suspects");
  CHECK(json::parse(suspects.body)["searched"] == 2);
  REQUIRE(json::parse(suspects.body)["suspects"].size() == 1);
  CHECK(json::parse(suspects.body)["suspects"][0]["number"] == 2);
  CHECK(suspects.body.find("q8Zr2LmT7xVb4NcW9sKd3HfJ") == std::string::npos);
}

TEST_CASE("control: replay has no routes for a recording") {
  const Controlled controlled;
  CHECK(controlled.post("/mark", R"({"name":"x"})").status == 404);
  CHECK(controlled.post("/finish", "{}").status == 404);
  CHECK(controlled.get("/suspects").status == 404);
}

}  // namespace tapedeck::inspector
