#include <catch2/catch.hpp>

#include "replay/overlays/overlay_file.h"
#include "tests/inspector/control_fixture.h"

namespace tapedeck::inspector {
namespace {

using nlohmann::json;

std::string answer(const Controlled& controlled) {
  return replay::call(*controlled.handler, "SVC.Core.A/1/get?_sid=a-client-of-the-test").body;
}

TEST_CASE("control: posts, lists, switches, and deletes overlays") {
  const Controlled controlled;
  CHECK(controlled.get("/overlays").json()["overlays"].empty());
  const Said posted = controlled.post("/overlays", R"([{"name":"a","call":"Core.A/1/get","error":117},
    {"path":"GET /x","status":500}])");
  CHECK(posted.status == 200);
  CHECK(posted.json()["set"] == "posted 1");
  CHECK(answer(controlled) == testing::error(117));
  json list = controlled.get("/overlays").json()["overlays"];
  REQUIRE(list.size() == 2);
  CHECK(list[0] == json({{"name", "a"},
                         {"call", "Core.A/1/get"},
                         {"set", "posted 1"},
                         {"enabled", true},
                         {"plays", 1},
                         {"rule", {{"name", "a"}, {"call", "Core.A/1/get"}, {"error", 117}}}}));
  CHECK(list[1]["path"] == "GET /x");

  CHECK(controlled.post("/overlays/enable", R"({"name":"a","enabled":false})").status == 200);
  CHECK(answer(controlled) == testing::ok);
  CHECK(controlled.get("/overlays").json()["overlays"][0]["enabled"] == false);
  CHECK(controlled.post("/overlays/enable", R"({"name":"a"})").status == 200);
  CHECK(answer(controlled) == testing::error(117));

  const std::string set = R"({"set":"mine","overlays":[{"call":"Core.A/1/get","error":105}]})";
  CHECK(controlled.post("/overlays", set).json()["set"] == "mine");
  CHECK(controlled.post("/overlays", set).json()["set"] == "mine");
  CHECK(controlled.get("/overlays").json()["overlays"].size() == 3);
  CHECK(controlled.get("/overlays?set=mine").body == set);
  const json unnamed = controlled.get("/overlays?set=posted%201").json();
  CHECK(unnamed["set"] == "posted 1");
  CHECK(unnamed["overlays"].size() == 2);
  CHECK(unnamed["overlays"][0]["error"] == 117);
  CHECK(controlled.get("/overlays?set=nobody").status == 404);
  CHECK(answer(controlled) == testing::error(105));
  CHECK(controlled.post("/overlays/delete", R"({"set":"mine"})").status == 200);
  CHECK(answer(controlled) == testing::error(117));
  CHECK(controlled.post("/overlays/delete", R"({"set":"posted 1"})").status == 200);
  CHECK(answer(controlled) == testing::ok);
}

TEST_CASE("control: explains invalid overlays and changes nothing") {
  const Controlled controlled;
  CHECK(controlled.post("/overlays", "[{\"call\":\"A/1/get\",\n\"errors\":1}]").status == 400);
  CHECK(controlled.post("/overlays", "[{\"call\":\"A/1/get\",\n\"file\":\"x\"}]").json()["error"] ==
        "overlays:2: `file` is not allowed here: put the response into `data` or `json`");
  CHECK(controlled.post("/overlays/enable", R"({"name":"nobody"})").status == 404);
  CHECK(controlled.post("/overlays/enable", R"({"set":"x"})").status == 400);
  CHECK(controlled.post("/overlays/delete", R"({"set":"nobody"})").status == 404);
  CHECK(controlled.post("/overlays/delete", R"({"set":1})").status == 400);
  CHECK(controlled.get("/overlays?x=1").status == 400);
  CHECK(controlled.get("/overlays").json()["overlays"].empty());
}

TEST_CASE("control: checks overlays without effect") {
  const Controlled controlled;
  const Said fine = controlled.post("/overlays/check", R"([{"call":"Core.A/1/get","error":117}])");
  CHECK(fine.status == 200);
  CHECK(fine.json() == json({{"overlays", 1}, {"effects", 0}, {"warnings", json::array()}}));
  const Said odd =
      controlled.post("/overlays/check", R"([{"name":"n","call":"Core.Network/1/get","data":{"dns_manual":1}}])");
  REQUIRE(odd.json()["warnings"].size() > 0);
  CHECK(odd.json()["warnings"][0].get<std::string>().starts_with("n: "));
  CHECK(controlled.post("/overlays/check", "[{\"call\":\"A/1/get\",\n\"errors\":1}]")
            .json()["error"]
            .get<std::string>()
            .starts_with("overlays:2: unknown key `errors`"));
  CHECK(controlled
            .post("/overlays/check", R"([{"name":"a","call":"A/1/get","error":1},{"name":"a","call":"B/1/get",
    "error":1}])")
            .status == 400);
  CHECK(controlled.get("/overlays").json()["overlays"].empty());
  CHECK(answer(controlled) == testing::ok);
}

TEST_CASE("control: posted overlays can be saved as an equivalent file") {
  const Controlled controlled;
  const std::string posted = R"({"set":"s","scope":"a%20test","overlays":[
    {"name":"it's \"é\" \/","call":"Core.A/1/get","params":{"limit":"*","n":1.5,"on":true,"list":["a","b"]},
     "data":{"z":null,"a":[{"b":"'''"}]},"headers":{"X-A":"\\"},"delay":"1ms"},
    {"path":"GET /x","scope":"other","merge":{"a":null},"times":2},
    {"call":"Core.B/1/get","error":{"code":407,"errors":{"types":["otp"]}},"then":"\u007f"}]})";
  REQUIRE(controlled.post("/overlays", posted).status == 200);
  const Said said = controlled.get("/overlays?format=toml");
  CHECK(said.head.find("application/toml") != std::string::npos);
  INFO(said.body);
  const auto again = replay::read_overlay_toml(said.body, "x.toml", "/nonexistent").overlays;
  const auto wanted = replay::read_posted_overlays(posted).overlays;
  REQUIRE(again.size() == wanted.size());
  for (std::size_t i = 0; i < again.size(); ++i) {
    CHECK(again[i].name == wanted[i].name);
    CHECK(again[i].scope == wanted[i].scope);
    CHECK(again[i].params.size() == wanted[i].params.size());
    CHECK(again[i].headers == wanted[i].headers);
    CHECK(again[i].delay == wanted[i].delay);
    CHECK(again[i].times == wanted[i].times);
    CHECK(again[i].then == wanted[i].then);
    CHECK((again[i].body ? again[i].body->text() : "") == (wanted[i].body ? wanted[i].body->text() : ""));
    CHECK((again[i].merge ? again[i].merge->text() : "") == (wanted[i].merge ? wanted[i].merge->text() : ""));
  }
  // Equal names in two sets become two names in one file.
  REQUIRE(controlled.post("/overlays", R"([{"name":"it's \"é\" /","call":"Core.A/1/get","error":1}])").status == 200);
  const auto both = replay::read_overlay_toml(controlled.get("/overlays?format=toml").body, "x.toml", "/nonexistent");
  CHECK_NOTHROW(replay::number_overlays(both.overlays, ""));
  CHECK(both.overlays.at(1).name == "it's \"é\" / (2)");
  CHECK(controlled.get("/overlays?format=xml").status == 400);
}

TEST_CASE("control: a set may have 4 MiB and other bodies 64 KiB") {
  const Controlled controlled;
  const auto list_of = [](std::size_t size) { return "[" + std::string(size - 2, ' ') + "]"; };
  CHECK(controlled.post("/overlays", list_of(4u << 20)).status == 200);
  CHECK(controlled.post("/overlays", list_of((4u << 20) + 1)).status == 413);
  CHECK(controlled.post("/overlays/enable", list_of(70'000)).status == 413);
}

TEST_CASE("control: 405 names the methods of the path") {
  const Controlled controlled;
  const auto put = [&controlled](const std::string& path) {
    return send_bytes(controlled.server->port(), "PUT " + path + " HTTP/1.1\r\nHost: " + controlled.host() +
                                                     "\r\nX-Tapedeck-Token: " + controlled.server->token() +
                                                     "\r\nContent-Length: 0\r\n\r\n");
  };
  const Said two = put("/overlays");
  CHECK(two.status == 405);
  CHECK(two.head.find("Allow: GET, POST") != std::string::npos);
  const Said numbered = put("/requests/1");
  CHECK(numbered.status == 405);
  CHECK(numbered.head.find("Allow: GET\r\n") != std::string::npos);
}

TEST_CASE("control: posts and lists effects, and shows and clears writes") {
  const Controlled controlled;
  const auto read = [&](const std::string& sid) {
    return replay::call(*controlled.handler, "SVC.Core.B/1/get?_sid=" + sid).body;
  };
  const auto write = [&](const std::string& sid) {
    return replay::call(*controlled.handler, "SVC.Core.B/1/set?n=7&passwd=hunter2-and-more&_sid=" + sid).body;
  };
  const std::string set =
      R"({"set":"s","overlays":[],"effects":[{"on":"Core.B/*/set","change":[{"in":"Core.B/*/get","merge":{"data":"{{param.n}}"}}]}]})";
  CHECK(controlled.post("/overlays/check", set).json()["effects"] == 1);
  CHECK(controlled.get("/overlays").json() ==
        json({{"overlays", json::array()}, {"effects", json::array()}, {"state", json::array()}}));
  CHECK(controlled.post("/overlays", set).status == 200);
  CHECK(controlled.get("/overlays?set=s").body == set);
  CHECK(controlled.get("/overlays?format=toml").body.find("[[effect]]\non = \"Core.B/*/set\"") != std::string::npos);
  const std::string ann = replay::log_in(*controlled.handler, "ann"), bob = replay::log_in(*controlled.handler, "bob");
  for (const std::string& sid : {ann, bob}) CHECK(write(sid) == testing::ok);
  CHECK(read(ann) == R"({"data":7,"success":true})");
  const json said = controlled.get("/overlays").json();
  CHECK(said["effects"] ==
        json::array({{{"on", "Core.B/*/set"}, {"changes", {"Core.B/*/get"}}, {"built_in", false}, {"set", "s"}}}));
  REQUIRE(said["state"].size() == 2);
  CHECK(said["state"][0]["owner"] == "account ann");
  CHECK(said["state"][0]["writes"] == json::array({{{"on", "Core.B/*/set"},
                                                    {"parameters", json::array({{{"name", "n"}, {"value", "7"}}})},
                                                    {"recorded", false},
                                                    {"changes", {"Core.B/*/get"}}}}));
  CHECK(controlled.get("/overlays").body.find(ann) == std::string::npos);

  CHECK(controlled.post("/sessions/reset", R"({"name":"session 1"})").status == 200);
  CHECK(read(ann) == R"({"data":1,"success":true})");
  CHECK(read(bob) == R"({"data":7,"success":true})");
  CHECK(controlled.post("/sessions/reset", R"({"all":true})").status == 200);
  CHECK(read(bob) == R"({"data":1,"success":true})");
  CHECK(controlled.get("/overlays").json()["state"].empty());
  CHECK(controlled.post("/overlays/delete", R"({"set":"s"})").status == 200);
  CHECK(controlled.get("/overlays").json()["effects"].empty());
}

TEST_CASE("control: the clock is the recorded time of the run") {
  const Controlled controlled;
  CHECK(controlled.get("/clock").json()["now"] == "2024-01-01T00:00:00.001Z");
  (void)replay::call(*controlled.handler, "SVC.Core.B/1/get");
  CHECK(controlled.get("/clock").json()["now"] == "2024-01-01T00:00:00.002Z");
  CHECK(controlled.get("/clock?scope=a").json()["now"] == "2024-01-01T00:00:00.001Z");
  CHECK(controlled.get("/clock?scope=%FF").status == 400);
  CHECK(controlled.get("/clock?run=a").status == 400);
}

}  // namespace
}  // namespace tapedeck::inspector
