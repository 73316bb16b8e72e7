#include "tools/content/marks.h"

#include <catch2/catch.hpp>

#include "tools/content/pretty_json.h"

namespace tapedeck::tools {

namespace {

using scrubbers::Part;
using scrubbers::Redaction;
using scrubbers::SecretClass;
using scrubbers::Whose;

constexpr Part body = Part::response_body;

/// Returns a redaction of that word's next occurrence, from `after` on.
Redaction row_at(std::string_view text, std::string_view word, SecretClass secret_class, Whose whose,
                 std::size_t after = 0) {
  Redaction row;
  row.part = body;
  row.offset = text.find(word, after);
  row.length = word.size();
  row.secret_class = secret_class;
  row.whose = whose;
  row.shape = "36:uuid";
  row.rule = "json-sid";
  return row;
}

Unmarked read(std::string_view marked, const std::vector<Redaction>& rows) { return without_marks(marked, body, rows); }

}  // namespace

TEST_CASE("marks: own values have the marks of overlays, and others have class and number") {
  const std::string text = R"({"sid":"<SESSION_ID>","token":"<CSRF_TOKEN>","task":"<TASK_ID>","did":"<DEVICE_ID>"})";
  std::vector<Redaction> rows = {row_at(text, "<SESSION_ID>", SecretClass::session_id, Whose::own),
                                 row_at(text, "<CSRF_TOKEN>", SecretClass::csrf_token, Whose::own),
                                 row_at(text, "<TASK_ID>", SecretClass::task_id, Whose::own),
                                 row_at(text, "<DEVICE_ID>", SecretClass::device_id, Whose::own)};
  const std::string marked = with_marks(text, rows);
  CHECK(marked == R"({"sid":"{{session.id}}","token":"{{session.token}}","task":"{{redaction.TASK_ID.3}}",)"
                  R"("did":"{{session.device_id}}"})");
  const Unmarked back = read(marked, rows);
  CHECK(back.text == text);
  CHECK(back.rows == rows);
  rows[0].encoding = {{scrubbers::Form::base64}};
  rows[3].ordinal = 1;
  const std::string others = with_marks(text, rows);
  CHECK(others.find("{{redaction.SESSION_ID.1}}") != std::string::npos);
  CHECK(others.find("{{redaction.DEVICE_ID.4}}") != std::string::npos);
  CHECK(read(others, rows).rows == rows);
}

TEST_CASE("marks: any text with any braces is restored") {
  for (const std::string text :
       {"", "{", "{{", "{{{", "{{{{", "{{{{{", "{{session.id}}", "{{{session.id}}", "{{{{session.id}}",
        "{\"a\":{\"b\":1}}", "{{redaction.TASK_ID.1}}", "{{private.1|x}}", "a{{b}}c", "{{ {{{ {", "\xff{{\x00"}) {
    const std::string marked = with_marks(text, {});
    CHECK(read(marked, {}).text == text);
    CHECK(read(marked, {}).rows.empty());
    // The same around a redaction.
    const std::string around = text + "<SESSION_ID>" + text;
    Redaction row = row_at(around, "<SESSION_ID>", SecretClass::session_id, Whose::own, text.size());
    row.offset = text.size();
    const Unmarked back = read(with_marks(around, std::vector{row}), {row});
    CHECK(back.text == around);
    CHECK(back.rows == std::vector{row});
  }
}

TEST_CASE("marks: a moved, repeated, or removed mark takes its redaction with it") {
  const std::string text = "<TASK_ID> <PASSWORD>";
  const std::vector<Redaction> rows = {row_at(text, "<TASK_ID>", SecretClass::task_id, Whose::own),
                                       row_at(text, "<PASSWORD>", SecretClass::password, Whose::none)};
  const Unmarked moved = read("{{redaction.PASSWORD.2}}: {{redaction.TASK_ID.1}}{{redaction.TASK_ID.1}}", rows);
  CHECK(moved.text == "<PASSWORD>: <TASK_ID><TASK_ID>");
  REQUIRE(moved.rows.size() == 3);
  CHECK(moved.rows[0].offset == 0);
  CHECK(moved.rows[0].whose == Whose::none);
  CHECK(moved.rows[1].offset == 12);
  CHECK(moved.rows[2].offset == 21);
  CHECK(moved.rows[2].secret_class == SecretClass::task_id);
  CHECK(read("nothing", rows).rows.empty());
}

TEST_CASE("marks: a session mark works in a new place, and an unknown number is an error") {
  const Unmarked made = read(R"({"sid":"{{session.id}}"})", {});
  REQUIRE(made.rows.size() == 1);
  CHECK(made.text == R"({"sid":"<SESSION_ID>"})");
  CHECK(made.rows[0].whose == Whose::own);
  CHECK(made.rows[0].offset == 8);
  for (const char* text : {"{{redaction.TASK_ID.1}}", "{{redaction.TASK_ID.99}}", "{{private.1|x}}"}) {
    CHECK_THROWS_WITH(read(std::string("ab") + text, {}), Catch::StartsWith("at byte 2: "));
  }
  for (const char* text :
       {"{{redaction.TASK_ID.0}}", "{{redaction.}}", "{{count}}", "{{session.name}}", "{{private.x}}"}) {
    CHECK(read(text, {}).text == text);
  }
}

TEST_CASE("marks: a pseudonym is readable and stays one") {
  for (const std::string name : {"nas-7c2e", "a}b", "a}", "{{", "}}", "{[", "a|b"}) {
    const std::string text = "\"" + name + "\"";
    const std::vector<Redaction> rows = {row_at(text, name, SecretClass::private_data, Whose::none, 1)};
    const std::string marked = with_marks(text, rows);
    if (name == "nas-7c2e") CHECK(marked == "\"{{private.1|nas-7c2e}}\"");
    CHECK(read(marked, rows).text == text);
    CHECK(read(marked, rows).rows == rows);
  }
}

TEST_CASE("marks: plain placeholders of a shown text keep their redactions") {
  const std::string old_text = "<TOKEN> in words, <SESSION_ID> and <TOKEN>";
  const std::size_t last = old_text.rfind("<TOKEN>");
  const std::vector<Redaction> rows = {row_at(old_text, "<SESSION_ID>", SecretClass::session_id, Whose::own),
                                       row_at(old_text, "<TOKEN>", SecretClass::token, Whose::none, last)};
  const auto again = [&](std::string_view text) {
    return read(with_marks_for_placeholders(text, old_text, rows), rows);
  };
  CHECK(again(old_text).text == old_text);
  CHECK(again(old_text).rows == rows);
  const Unmarked changed = again("{} <TOKEN> in other words, <TOKEN>! <PASSWORD> <");
  CHECK(changed.text == "{} <TOKEN> in other words, <TOKEN>! <PASSWORD> <");
  REQUIRE(changed.rows.size() == 1);
  CHECK(changed.rows[0].offset == 27);
}

TEST_CASE("pretty JSON: indents without changing spellings and can be undone") {
  const std::string text = R"({"a":[1,{"b":"x, y: {z}\""}],"c":{},"d":[],"e":1.50})";
  const std::string pretty = R"({
  "a": [
    1,
    {
      "b": "x, y: {z}\""
    }
  ],
  "c": {},
  "d": [],
  "e": 1.50
})";
  CHECK(pretty_json(text) == std::optional(pretty));
  CHECK(compact_json(pretty) == std::optional(text));
  CHECK(lossless_pretty(text) == std::optional(pretty));
  CHECK_FALSE(lossless_pretty("{ }"));
  CHECK(pretty_json(" [ ] ") == std::optional<std::string>("[]"));
  CHECK(pretty_json("1") == std::optional<std::string>("1"));
  for (const char* none : {"", "{", "{]", "x", "{\"a\":<TASK_ID>}"}) CHECK_FALSE(pretty_json(none));
}

}  // namespace tapedeck::tools
