#include "replay/stages/compound_answer.h"

#include <catch2/catch.hpp>

using namespace tapedeck;
using replay::CompoundAnswer;

namespace {

api::Call part_call(const std::string& api, const std::string& version) {
  http::Request request{"GET", "/webapi/entry.cgi?api=" + api + "&version=" + version + "&method=get", 1, {}, {}};
  return *api::Call::from(request);
}

const std::string body = R"({ "success" : true, "data":{"result":[{"success":true,"data":{"n":1.0},"api":"SYNO.A"} ,)"
                         R"({"api":"SYNO.B","error":{"code":105},"success":false}],"has_fail" : true}})";

}  // namespace

TEST_CASE("compound response: a part equals the response to the call alone") {
  auto answer = CompoundAnswer::read(body);
  REQUIRE(answer);
  REQUIRE(answer->size() == 2);
  CHECK(answer->envelope(0) == R"({"data":{"n":1.0},"success":true})");
  CHECK(answer->envelope(1) == R"({"error":{"code":105},"success":false})");
  CHECK(answer->text() == body);
}

TEST_CASE("compound response: replacing a part updates has_fail and changes no other byte") {
  const api::Call call = part_call("SYNO.B", "1");
  const auto part = replay::compound_part(call, R"({"data":[ ],"success":true})");
  CHECK(part.text == R"({"api":"SYNO.B","data":[ ],"method":"get","success":true,"version":1})");
  auto answer = CompoundAnswer::read(body);
  REQUIRE(answer);
  answer->set(1, part);
  CHECK(answer->text() ==
        R"({ "success" : true, "data":{"result":[{"success":true,"data":{"n":1.0},"api":"SYNO.A"} ,)" + part.text +
            R"(],"has_fail" : false}})");
  answer->set(0, replay::compound_part(call, "no envelope"));
  CHECK(answer->text().find(R"("error":{"code":100})") != std::string::npos);
  CHECK(answer->text().ends_with(R"("has_fail" : true}})"));
}

TEST_CASE("compound response: other bodies are not recognized") {
  for (const char* const text : {"", "{}", R"({"error":{"code":119},"success":false})", R"({"data":{"result":7}})"}) {
    CAPTURE(text);
    CHECK_FALSE(CompoundAnswer::read(text));
  }
}
