// Texts of overlays: replacing marks, and writing texts to a file.

#include <toml++/toml.h>

#include <catch2/catch.hpp>

#include "replay/language/overlay_text.h"
#include "replay/language/template_text.h"

namespace tapedeck::replay {
namespace {

TEST_CASE("overlays: replace marks and escape their values in JSON strings") {
  TemplateValues values;
  values.session_id = "id";
  values.session_token = "to\"k";
  values.session_device_id = "dev";
  values.count = 7;
  values.param = [](std::string_view name) -> std::optional<std::string> {
    if (name == "plain") return "A\\LL";
    if (name == "quoted") return R"("a\"b")";
    if (name == "list") return R"(["a"])";
    return std::nullopt;
  };
  struct Row {
    std::string text, as_json, as_text;
  };
  const std::vector<Row> rows = {
      {R"({"a":"{{session.id}} {{session.device_id}}"})", R"({"a":"id dev"})", R"({"a":"id dev"})"},
      {R"({"a":"{{session.token}}"})", R"({"a":"to\"k"})", R"({"a":"to"k"})"},
      {R"({"a":{{session.token}}})", R"({"a":"to\"k"})", R"({"a":to"k})"},
      {R"({"n":{{count}},"s":"{{count}}"})", R"({"n":7,"s":"7"})", R"({"n":7,"s":"7"})"},
      {R"(["{{param.plain}}",{{param.plain}}])", R"(["A\\LL","A\\LL"])", R"(["A\LL",A\LL])"},
      {R"(["{{param.quoted}}",{{param.quoted}}])", R"(["a\"b","a\"b"])", R"([""a\"b"","a\"b"])"},
      {R"([{{param.list}},"{{param.list}}"])", R"([["a"],"[\"a\"]"])", R"([["a"],"["a"]"])"},
      {R"([{{param.none}},"{{param.none}}"])", R"([null,""])", R"([,""])"},
      {R"(["\"{{count}}","\\",{{session.id}}])", R"(["\"7","\\","id"])", R"(["\"7","\\",id])"},
      {"{{{{count}} {{{count}}}", "{count}} {7}", "{count}} {7}"},
      {"{{ count }} {{name}} {{param.}} {{session}} {{", "{{ count }} {{name}} {{param.}} {{session}} {{",
       "{{ count }} {{name}} {{param.}} {{session}} {{"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(TemplateText(row.text, TemplateText::Kind::json).render(values) == row.as_json);
    CHECK(TemplateText(row.text, TemplateText::Kind::text).render(values) == row.as_text);
    CHECK(TemplateText(row.text, TemplateText::Kind::bytes).render(values) == row.text);
  }
}

TEST_CASE("overlays: a text written to a file reads back") {
  const std::string texts[] = {"",      "plain", "two\nlines",  "\nthe second", "a\ttab", "a\rb",       "quote'",
                               "a'''b", "\"q\"", "back\\slash", "\x7f\x1b",     "/",      "caf\xc3\xa9"};
  for (const std::string& text : texts) {
    CAPTURE(text);
    CHECK(toml::parse("x = " + toml_text(text))["x"].value<std::string>() == text);
    CHECK(toml::parse("x = " + toml_lines(text))["x"].value<std::string>() == text);
  }
  CHECK(toml_lines("two\nlines") == "'''two\nlines'''");
  CHECK(toml_text("two\nlines") == "\"two\\nlines\"");
}

}  // namespace
}  // namespace tapedeck::replay
