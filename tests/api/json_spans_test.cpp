#include "api/json_spans.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::api {
namespace {

std::string members_of(std::string_view text) {
  const auto members = json_members(text);
  if (!members) return "none";
  std::string found;
  for (const JsonMember& member : *members) found.append(member.key).append("=").append(member.value).append(";");
  return found;
}

TEST_CASE("json spans: finds the members of an object without changing their bytes") {
  struct Row {
    std::string text, expected;
  };
  const std::vector<Row> rows = {
      {"{}", ""},
      {" { } ", ""},
      {R"({"a":1})", "a=1;"},
      {R"({ "a" : 1.0 , "b":[1, {"c":"]}"}] ,"a":"x\"}" })", R"(a=1.0;b=[1, {"c":"]}"}];a="x\"}";)"},
      {R"({"a":tru e})", "none"},
      {R"({"a":1)", "none"},
      {R"({"a":1}x)", "none"},
      {R"({"a":})", "none"},
      {R"({"a"})", "none"},
      {R"({"a\)", "none"},
      {R"({"a":"x\)", "none"},
      {"[1]", "none"},
      {"", "none"},
      {std::string(100'000, '{'), "none"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text.substr(0, 80));
    CHECK(members_of(row.text) == row.expected);
  }
}

TEST_CASE("json spans: finds the elements of an array without changing their bytes") {
  const auto elements = json_elements(R"([1, "a,b" ,{"c":[2]} ,null])");
  REQUIRE(elements);
  CHECK(*elements == std::vector<std::string_view>{"1", R"("a,b")", R"({"c":[2]})", "null"});
  CHECK_FALSE(json_elements("{}"));
  CHECK_FALSE(json_elements("[1"));
  CHECK(json_elements(" [ ] ")->empty());
  CHECK(json_quoted("a\"\xff\n") == "\"a\\\"\xef\xbf\xbd\\n\"");
}

}  // namespace
}  // namespace tapedeck::api
