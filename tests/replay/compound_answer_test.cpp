#include "replay/stages/compound_answer.h"

#include <catch2/catch.hpp>

using namespace tapedeck;

TEST_CASE("compound response: a part has the bytes of the response to the call alone") {
  const http::Request request{"GET", "/webapi/entry.cgi?api=SYNO.B&version=1&method=get", 1, {}, {}};
  const api::Call call = *api::Call::from(request);
  const std::string good = R"({"api":"SYNO.B","data":[ ],"method":"get","success":true,"version":1})";
  const std::string bad = R"({"api":"SYNO.B","error":{"code":100},"method":"get","success":false,"version":1})";
  CHECK(replay::compound_part(call, R"({"data":[ ],"success":true})").text == good);
  CHECK(replay::compound_part(call, "no envelope").text == bad);
  CHECK(replay::compound_answer({{good, true}, {bad, false}}) ==
        R"({"data":{"has_fail":true,"result":[)" + good + "," + bad + R"(]},"success":true})");
}
