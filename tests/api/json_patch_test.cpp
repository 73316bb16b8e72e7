#include "api/json_patch.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>

namespace tapedeck::api {
namespace {

using nlohmann::json;

std::string shown(const Patched& patched) {
  if (const auto* const text = std::get_if<std::string>(&patched)) return *text;
  if (const auto* const failed = std::get_if<PatchTestFailed>(&patched)) return "test failed: " + failed->path;
  const auto& error = std::get<PatchError>(patched);
  return "error: " + error.path + ": " + error.reason;
}

TEST_CASE("json patch: changes its place and no other byte") {
  struct Row {
    std::string text, patch, expected;
  };
  const std::string pretty = "{\n  \"a\": 1.0,\n  \"b\": [ 1, 2 ]\n}\n";
  const std::vector<Row> rows = {
      // replace
      {pretty, R"([{"op":"replace","path":"/a","value":2.50}])", "{\n  \"a\": 2.50,\n  \"b\": [ 1, 2 ]\n}\n"},
      {pretty, R"([{"op":"replace","path":"","value":[]}])", "[]\n"},
      {pretty, R"([{"op":"replace","path":"/c","value":1}])", "error: /c: no such path"},
      {R"({"a":1,"a":2})", R"([{"op":"replace","path":"/a","value":3}])", R"({"a":1,"a":3})"},
      // add
      {pretty, R"([{"op":"add","path":"/c","value":null}])",
       "{\n  \"a\": 1.0,\n  \"b\": [ 1, 2 ],\n  \"c\": null\n}\n"},
      {pretty, R"([{"op":"add","path":"/b/-","value":3}])", "{\n  \"a\": 1.0,\n  \"b\": [ 1, 2, 3 ]\n}\n"},
      {pretty, R"([{"op":"add","path":"/b/2","value":3}])", "{\n  \"a\": 1.0,\n  \"b\": [ 1, 2, 3 ]\n}\n"},
      {pretty, R"([{"op":"add","path":"/b/0","value":0}])", "{\n  \"a\": 1.0,\n  \"b\": [ 0, 1, 2 ]\n}\n"},
      {pretty, R"([{"op":"add","path":"/b/1","value":"x"}])", "{\n  \"a\": 1.0,\n  \"b\": [ 1, \"x\", 2 ]\n}\n"},
      {pretty, R"([{"op":"add","path":"/b/3","value":3}])", "error: /b/3: no such path"},
      {pretty, R"([{"op":"add","path":"/b/01","value":3}])", "error: /b/01: no such path"},
      {pretty, R"([{"op":"add","path":"/a/b","value":3}])", "error: /a/b: no such path"},
      {"{ }", R"([{"op":"add","path":"/a","value":1}])", R"({"a":1 })"},
      {"[]", R"([{"op":"add","path":"/-","value":1},{"op":"add","path":"/-","value":2}])", "[1,2]"},
      // remove
      {R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])", R"({"b":2})"},
      {R"({"a":1, "b":2})", R"([{"op":"remove","path":"/b"}])", R"({"a":1})"},
      {R"({"a":1,"b":2,"a":3})", R"([{"op":"remove","path":"/a"}])", R"({"b":2})"},
      {"[ 1 ]", R"([{"op":"remove","path":"/0"}])", "[  ]"},
      {"[1,2]", R"([{"op":"remove","path":"/-"}])", "error: /-: no such path"},
      {"[1,2]", R"([{"op":"remove","path":""}])", "error: : no such path"},
      // move, copy
      {R"({"a":{"x":1},"b":[]})", R"([{"op":"move","from":"/a/x","path":"/b/0"}])", R"({"a":{},"b":[1]})"},
      {R"({"a":{"x":1}})", R"([{"op":"move","from":"/a","path":"/a/y"}])", "error: /a/y: no such path"},
      {R"({"a":1,"b":2})", R"([{"op":"move","from":"/a","path":"/a"}])", R"({"a":1,"b":2})"},
      {R"({"a":1e2,"b":2})", R"([{"op":"copy","from":"/a","path":"/c"}])", R"({"a":1e2,"b":2,"c":1e2})"},
      // a failed test undoes all operations
      {R"({"a":1})", R"([{"op":"test","path":"/a","value":1.0},{"op":"remove","path":"/a"}])", "{}"},
      {R"({"a":1})", R"([{"op":"remove","path":"/a"},{"op":"test","path":"","value":1}])", "test failed: "},
      {R"({"a":"\u00e9"})", R"([{"op":"test","path":"/a","value":"é"}])", R"({"a":"\u00e9"})"},
      {R"({"a":1})", R"([{"op":"test","path":"/b","value":1}])", "error: /b: no such path"},
      // pointers
      {R"({"~/":1})", R"([{"op":"replace","path":"/~0~1","value":2}])", R"({"~/":2})"},
      {R"({"":{"":1}})", R"([{"op":"replace","path":"//","value":2}])", R"({"":{"":2}})"},
      {R"({"\u0061\"":1})", R"([{"op":"replace","path":"/a\"","value":2}])", R"({"\u0061\"":2})"},
      {R"({"0":1})", R"([{"op":"replace","path":"/0","value":2}])", R"({"0":2})"},
      {"not json", "[]", "error: : the response is not JSON"},
      {R"({"a":1}x)", "[]", "error: : the response is not JSON"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text, row.patch);
    CHECK(shown(JsonPatch::parse(row.patch).apply(row.text)) == row.expected);
  }
}

TEST_CASE("json patch: throws if a text would exceed the limit") {
  const std::string text = R"({"a":"0123456789"})";
  const std::size_t size = text.size();
  struct Row {
    const char* patch;
    std::size_t grown;  ///< the length that the result needs
  };
  const Row rows[] = {
      {R"([{"op":"add","path":"/b","value":"0123456789"}])", size + 12},
      {R"([{"op":"copy","from":"/a","path":"/b"}])", size + 12},
      {R"([{"op":"copy","from":"","path":"/b"}])", size + size},
      {R"([{"op":"replace","path":"/a","value":"01234567890123456789"}])", size + 10},
      {R"([{"op":"replace","path":"/a","value":"0123456789"}])", size},
      {R"([{"op":"replace","path":"","value":{}}])", 0},
      {R"([{"op":"move","from":"/a","path":"/b"}])", size},
      {R"([{"op":"remove","path":"/a"}])", 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.patch);
    const JsonPatch patch = JsonPatch::parse(row.patch);
    CHECK_NOTHROW(patch.apply(text, row.grown + 10));
    if (row.grown > size) CHECK_THROWS_AS((void)patch.apply(text, row.grown - 1), TooLong);
  }
  CHECK_NOTHROW(merge_patch(text, R"({"a":null,"b":"0123456789"})", {}, size + 20));
  CHECK_THROWS_AS((void)merge_patch(text, R"({"b":"0123456789"})", {}, size + 11), TooLong);
  CHECK_THROWS_AS((void)merge_patch(text, R"({"a":{"b":{"c":"0123456789"}}})", {}, size), TooLong);
}

TEST_CASE("merge patch: changes the named members and no other byte") {
  struct Row {
    std::string text, patch, expected;
  };
  const std::vector<Row> rows = {
      {R"( {"a": 1,  "b":2} )", R"({"a":9})", R"( {"a": 9,  "b":2} )"},
      {R"({"a":1, "b":2})", R"({"b":null})", R"({"a":1})"},
      {R"({"a":1,"a":2,"b":3})", R"({"a":null})", R"({"b":3})"},
      {R"({"a": {"x": 1.0}})", R"({"a":{"y":2}})", R"({"a": {"x": 1.0,"y": 2}})"},
      {R"({"a": 1})", R"({"a":{"b":{"c":null,"d":1}}})", R"({"a": {"b":{"d":1}}})"},
      {R"({"\u0061":1})", R"({"a":2})", R"({"\u0061":2})"},
      {R"({})", R"({"a":1,"a":null})", R"({})"},
      {R"([1,2])", R"({"a":1})", R"({"a":1})"},
      {R"({"a":1})", R"([null])", R"([null])"},
      {"<html>", "{}", "error: : the response is not JSON"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text, row.patch);
    CHECK(shown(merge_patch(row.text, row.patch)) == row.expected);
  }
}

TEST_CASE("json patch: an invalid patch names the faulty operation") {
  struct Row {
    std::string patch, expected;
  };
  const std::vector<Row> rows = {
      {"{", "the patch is not valid JSON"},
      {"{}", "the patch must be a list of operations"},
      {"[1]", "operation 1: it must be an object with `op` and `path`"},
      {R"([{"path":""}])", "operation 1: `op` is missing"},
      {R"([{"op":1,"path":""}])", "operation 1: `op` must be a string"},
      {R"([{"op":"remove","path":"/a"},{"op":"set","path":"/a","value":1}])",
       "operation 2: unknown operation `set` (add, remove, replace, move, copy, test)"},
      {R"([{"op":"add","value":1}])", "operation 1: `path` is missing"},
      {R"([{"op":"add","path":"a","value":1}])", "operation 1: `path` is not a JSON pointer: a"},
      {R"([{"op":"add","path":"/~2","value":1}])", "operation 1: `path` is not a JSON pointer: /~2"},
      {R"([{"op":"add","path":"/~","value":1}])", "operation 1: `path` is not a JSON pointer: /~"},
      {R"([{"op":"add","path":"/a"}])", "operation 1: `value` is missing"},
      {R"([{"op":"copy","path":"/a"}])", "operation 1: `from` is missing"},
      {R"([{"op":"remove","path":"/a","value":1}])", "operation 1: `value` is not allowed here"},
      {R"([{"op":"remove","path":"/a","from":"/b"}])", "operation 1: `from` is not allowed here"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.patch);
    CHECK_THROWS_WITH(JsonPatch::parse(row.patch), row.expected);
  }
}

TEST_CASE("json patch: rejects JSON that is nested more than 200 levels deep") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(is_json(nested(200)));
  CHECK_FALSE(is_json(nested(201)));
  CHECK_FALSE(is_json(nested(1'000'000)));
  CHECK_FALSE(is_json(std::string("1\0", 2)));
  CHECK(is_json(R"("[[[\"[[\\")"));
}

// Generated texts

/// A generated text with the place of each value.
struct Sample {
  struct Place {
    std::string pointer;
    std::size_t begin = 0, end = 0;
    bool is_object = false, is_array = false;
    bool has_twin = false;  ///< true if an equal key precedes it
    std::size_t size = 0;
  };
  std::string text;
  std::vector<Place> places;  ///< values that a pointer can reach, beginning with the root
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Sample sample() {
    sample_ = {};
    space();
    value("", 0, true);
    space();
    return std::move(sample_);
  }
  std::size_t below(std::size_t limit) { return random_() % limit; }
  std::string scalar() {
    static const std::vector<std::string> scalars = {"null",          "true",        "0",        "-1.50", "1e3",
                                                     R"("")",         R"("a\"b\\")", "1.0",      "12",    "false",
                                                     R"("\u00e9 é")", R"("[{,}]")",  R"("ключ")"};
    return scalars[below(scalars.size())];
  }

 private:
  void space() {
    static const std::vector<std::string> spaces = {"", "", " ", "\n  ", "\t", "\r\n"};
    sample_.text += spaces[below(spaces.size())];
  }

  void value(const std::string& pointer, int depth, bool is_reachable, bool has_twin = false) {
    const std::size_t place = sample_.places.size();
    const std::size_t kind = depth > 3 ? 2 : below(3);
    if (is_reachable) sample_.places.push_back({pointer, sample_.text.size(), 0, kind == 0, kind == 1, has_twin, 0});
    std::size_t size = 0;
    if (kind == 2) {
      sample_.text += scalar();
    } else {
      size = below(5);
      kind == 0 ? object(pointer, depth, size, is_reachable) : array(pointer, depth, size, is_reachable);
    }
    if (!is_reachable) return;
    sample_.places[place].end = sample_.text.size();
    sample_.places[place].size = size;
  }

  void array(const std::string& pointer, int depth, std::size_t size, bool is_reachable) {
    sample_.text += "[";
    space();
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0) separator(",");
      value(pointer + "/" + std::to_string(i), depth + 1, is_reachable);
    }
    space();
    sample_.text += "]";
  }

  void object(const std::string& pointer, int depth, std::size_t size, bool is_reachable) {
    // Keys as they appear in the text, and as pointer tokens.
    static const std::vector<std::pair<std::string, std::string>> keys = {
        {"a", "a"}, {"\\u0061b", "ab"}, {"a/b", "a~1b"}, {"~", "~0"},
        {"0", "0"}, {"", ""},           {"é", "é"},      {"q\\\"", "q\""}};
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < size; ++i) chosen.push_back(below(keys.size()));
    sample_.text += "{";
    space();
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0) separator(",");
      const auto& [spelled, token] = keys[chosen[i]];
      sample_.text += "\"" + spelled + "\"";
      separator(":");
      const auto after = chosen.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      const bool is_last = std::find(after, chosen.end(), chosen[i]) == chosen.end();
      const bool has_twin = std::find(chosen.begin(), after - 1, chosen[i]) != after - 1;
      value(pointer + "/" + token, depth + 1, is_reachable && is_last, has_twin);
    }
    space();
    sample_.text += "}";
  }

  void separator(const char* mark) {
    space();
    sample_.text += mark;
    space();
  }

  std::mt19937 random_;
  Sample sample_;
};

std::size_t common_front(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}
std::size_t common_back(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
}

json quoted(const std::string& text) { return json(text); }

std::string operation(const std::string& op, const std::string& path, const std::string& value) {
  std::string text = R"([{"op":")" + op + R"(","path":)" + quoted(path).dump();
  if (!value.empty()) text += R"(,"value":)" + value;
  return text + "}]";
}

TEST_CASE("json patch: results for 1,000 generated texts equal those of nlohmann, and other bytes stay unchanged") {
  unsigned differing = 0;
  for (unsigned seed = 0; seed < 1'000; ++seed) {
    Generator generator(seed);
    const Sample sample = generator.sample();
    const Sample::Place& place = sample.places[generator.below(sample.places.size())];
    const std::string value = generator.scalar();
    const auto check = [&](const std::string& patch, auto&& keeps_bytes) {
      CAPTURE(seed, sample.text, patch);
      const Patched patched = JsonPatch::parse(patch).apply(sample.text);
      REQUIRE(std::holds_alternative<std::string>(patched));
      const auto& after = std::get<std::string>(patched);
      REQUIRE(json::parse(after) == json::parse(sample.text).patch(json::parse(patch)));
      CHECK(keeps_bytes(after));
      differing += after != sample.text ? 1 : 0;
    };
    const auto only_grew = [&](const std::string& after) {
      return common_front(after, sample.text) + common_back(after, sample.text) >= sample.text.size();
    };
    const auto only_shrank = [&](const std::string& after) {
      return common_front(after, sample.text) + common_back(after, sample.text) >= after.size();
    };
    check(operation("replace", place.pointer, value), [&](const std::string& after) {
      return after == sample.text.substr(0, place.begin) + value + sample.text.substr(place.end);
    });
    check(operation("test", place.pointer, sample.text.substr(place.begin, place.end - place.begin)),
          [&](const std::string& after) { return after == sample.text; });
    if (place.is_object) check(operation("add", place.pointer + "/new ~0 \"é", value), only_grew);
    if (place.is_array) {
      check(operation("add", place.pointer + "/-", value), only_grew);
      check(operation("add", place.pointer + "/" + std::to_string(generator.below(place.size + 1)), value), only_grew);
    }
    if (!place.pointer.empty()) {
      // All equal keys are removed.
      check(operation("remove", place.pointer, ""), [&](const std::string& after) {
        return place.has_twin ? after.size() < sample.text.size() : only_shrank(after);
      });
    }
  }
  CHECK(differing > 2'000);
}

/// Returns nlohmann's result, or nothing if it refuses the patch. nlohmann asserts that nothing is added below a
/// scalar, and allows removing a missing member of a scalar, so these are checked first.
std::optional<json> oracle(json document, const json& patch) {
  try {
    for (const json& one : patch) {
      if (one["op"] != "remove" && one["op"] != "replace") {
        json without = document;
        if (one["op"] == "move") without = document.patch(json::array({{{"op", "remove"}, {"path", one["from"]}}}));
        const json::json_pointer place(one["path"].get<std::string>());
        if (!place.empty() && !without.at(place.parent_pointer()).is_structured()) return std::nullopt;
      } else {
        (void)document.at(json::json_pointer(one["path"].get<std::string>()));
      }
      document = document.patch(json::array({one}));
    }
    return document;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

TEST_CASE("json patch: sequences of operations on 1,000 generated texts give the results and errors of nlohmann") {
  unsigned applied = 0;
  unsigned refused = 0;
  for (unsigned seed = 0; seed < 1'000; ++seed) {
    Generator generator(seed + 10'000);
    const Sample sample = generator.sample();
    json patch = json::array();
    const auto any = [&] { return sample.places[generator.below(sample.places.size())].pointer; };
    for (std::size_t count = 1 + generator.below(4); count > 0; --count) {
      static const std::vector<std::string> names = {"add", "remove", "replace", "move", "copy"};
      const std::string& name = names[generator.below(names.size())];
      json one = {{"op", name}, {"path", any()}};
      if (generator.below(3) == 0) one["path"] = any() + (generator.below(2) == 0 ? "/0" : "/a");
      if (name == "move" || name == "copy") one["from"] = any();
      if (name == "add" || name == "replace") one["value"] = json::parse(generator.scalar());
      // nlohmann allows moving a value into itself, and reports another error for removing the whole text.
      const std::string from = one.value("from", "");
      if (name == "move" && (from.empty() || one["path"].get<std::string>().starts_with(from))) continue;
      patch.push_back(std::move(one));
    }
    CAPTURE(seed, sample.text, patch.dump());
    const Patched patched = JsonPatch::parse(patch.dump()).apply(sample.text);
    const std::optional<json> expected = oracle(json::parse(sample.text), patch);
    REQUIRE(std::holds_alternative<std::string>(patched) == expected.has_value());
    if (expected) CHECK(json::parse(std::get<std::string>(patched)) == *expected);
    ++(expected ? applied : refused);
  }
  CHECK(applied > 200);
  CHECK(refused > 50);
}

TEST_CASE("merge patch: results for 1,000 generated texts equal those of nlohmann") {
  for (unsigned seed = 0; seed < 1'000; ++seed) {
    Generator generator(seed + 20'000);
    const Sample sample = generator.sample();
    const Sample patch = generator.sample();
    CAPTURE(seed, sample.text, patch.text);
    const Patched patched = merge_patch(sample.text, patch.text);
    REQUIRE(std::holds_alternative<std::string>(patched));
    json expected = json::parse(sample.text);
    expected.merge_patch(json::parse(patch.text));
    CHECK(json::parse(std::get<std::string>(patched)) == expected);
    // A new key is added after the last one, and everything else stays.
    if (!sample.places.front().is_object) continue;
    const std::string grown = std::get<std::string>(merge_patch(sample.text, R"({"brand new":1})"));
    CHECK(common_front(grown, sample.text) + common_back(grown, sample.text) >= sample.text.size());
  }
}

}  // namespace
}  // namespace tapedeck::api
