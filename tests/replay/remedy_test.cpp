// The remedies of misses: each one is tried as it is shown.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using testing::ok;
using testing::record;
using testing::Recorded;

constexpr const char* read = "SVC.Core.Share/1/list?limit=1";

std::string saying(std::string_view word) {
  return R"({"data":{"word":")" + std::string(word) + R"("},"success":true})";
}

Recorded in(std::string_view scope, Recorded row) {
  row.interaction.scope = scope;
  return row;
}

struct Missed {
  std::string hint;
  std::vector<std::string> remedy;
  std::vector<std::string> renames;
};

http::Response ask_in(ReplayHandler& handler, std::string_view scope, std::string_view text) {
  http::Headers headers;
  if (!scope.empty()) headers.add("X-Tapedeck-Scope", scope);
  return call(handler, text, std::move(headers));
}

Missed missed(ReplayHandler& handler, std::string_view scope, std::string_view text) {
  const http::Response response = ask_in(handler, scope, text);
  REQUIRE(outcome(response) == "miss");
  const auto report = nlohmann::json::parse(response.body)["error"]["errors"]["tapedeck"];
  return {report["hint"].get<std::string>(), report.value("remedy", std::vector<std::string>()),
          report.value("renames", std::vector<std::string>())};
}

/// Applies options of a remedy, as the command line does.
void apply(const std::vector<std::string>& words, ReplayOptions& options) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--ignore")
      options.ignore_params.push_back(words.at(++i));
    else if (words[i] == "--bind")
      options.bind_params.push_back(words.at(++i));
    else if (words[i] == "--any-version")
      options.any_version = true;
    else if (words[i] == "--scope")
      options.scope = api::ScopeName::parse(words.at(++i));
    else
      FAIL("unknown option " << words[i]);
  }
}

}  // namespace

TEST_CASE("remedy: options replay the request, in scopes and outside, and are shown only if nothing else differs") {
  struct Case {
    const char* what;
    std::vector<Recorded> rows;
    std::string scope, asked;
    std::vector<std::string> remedy;
  };
  const std::vector<std::string> again = {"--mode", "new", "--device", "URL", "--rerecord", "a"};
  const std::vector<std::string> new_call = {"--mode", "new", "--device", "URL"};
  const Recorded one = record(read, saying("one")), other = record("SVC.Core.Share/1/list?limit=2", saying("two"));
  const Recorded same = record("SVC.Core.Share/1/list?limit=2", saying("one"));
  const std::string third = "SVC.Core.Share/1/list?limit=3", later = "SVC.Core.Share/2/list?limit=1";
  const Case cases[] = {
      {"one recording", {one}, "", third, {"--ignore", "limit"}},
      {"one recording in the scope", {in("a", one)}, "a", third, {"--ignore", "limit"}},
      {"one in the scope, another one in another scope",
       {in("a", one), in("b", other)},
       "a",
       third,
       {"--ignore", "limit"}},
      {"equal responses in the scope", {in("a", one), in("a", same)}, "a", third, {"--ignore", "limit"}},
      {"different responses", {one, other}, "", third, new_call},
      {"different responses in the scope", {in("a", one), in("a", other)}, "a", third, again},
      {"different responses in the scope and without one", {in("a", one), other}, "a", third, again},
      {"one in the scope, and an equal one without", {in("a", one), same}, "a", third, {"--ignore", "limit"}},
      {"another version in the scope", {in("a", one)}, "a", later, {"--any-version"}},
      {"another version and value", {one}, "", "SVC.Core.Share/2/list?limit=3", {"--ignore", "limit", "--any-version"}},
      {"in one other scope", {in("a", one)}, "", read, {"--scope", "a"}},
      {"similar in another scope",
       {in("a", one), in("b", record("SVC.Core.B/1/get", ok))},
       "b",
       third,
       {"--mode", "new", "--device", "URL", "--rerecord", "b"}},
      {"a scope that writes",
       {in("a", one), in("a", record("SVC.Core.Share/1/create?name=x", ok))},
       "a",
       "SVC.Core.Volume/1/list",
       {"--mode", "new", "--device", "URL", "--rerecord", "a", "--allow-writes"}},
      {"a new write of a test",
       {in("a", one)},
       "new",
       "SVC.Core.Share/1/create?name=y",
       {"--mode", "new", "--device", "URL", "--allow-writes"}},
  };
  for (const Case& row : cases) {
    INFO(row.what);
    const auto cassette = testing::cassette_with(row.rows);
    ReplayOptions options = playing(cassette);
    const Missed miss = [&] {
      ReplayHandler handler(options, 1);
      return missed(handler, row.scope, row.asked);
    }();
    CHECK(miss.remedy == row.remedy);
    INFO(miss.hint);
    if (row.remedy.front() == "--mode") {
      CHECK(miss.hint.ends_with("record it with `tapedeck record --mode new --device URL" + [&] {
        std::string rest;
        for (std::size_t i = 4; i < row.remedy.size(); ++i) rest += " " + row.remedy[i];
        return rest;
      }() + " CASSETTE`"));
      continue;
    }
    apply(miss.remedy, options);
    ReplayHandler handler(options, 1);
    CHECK(outcome(ask_in(handler, row.scope, row.asked)) == "recorded");
  }
}

TEST_CASE("remedy: a mistyped method finds the recorded one") {
  const auto cassette =
      testing::cassette_with({record(read, saying("one")), in("a", record("SVC.Core.Own/1/get_all", ok))});
  struct Case {
    std::string scope, asked, hint;
  };
  for (const Case& row : {Case{"", "SVC.Core.Share/1/lits?limit=1", "did you mean the method `list`?"},
                          {"a", "SVC.Core.Own/1/getall", "did you mean the method `get_all`?"}}) {
    ReplayHandler handler(playing(cassette), 1);
    const Missed miss = missed(handler, row.scope, row.asked);
    CHECK(miss.hint == row.hint);
    CHECK(miss.remedy.empty());
  }
  ReplayHandler handler(playing(cassette), 1);
  CHECK(missed(handler, "", "SVC.Core.Share/1/frobnicate").hint.find("or record it with") != std::string::npos);
}

TEST_CASE("remedy: a renamed test gets the command that renames its scope") {
  const auto call_of = [](std::string_view scope) { return in(scope, record(read, saying(scope))); };
  struct Case {
    const char* what;
    std::vector<std::string> recorded, ran;
    std::string asked;                ///< names as in options
    std::vector<std::string> former;  ///< the most similar one first
  };
  const Case cases[] = {
      {"a word was added", {"t.py::lists"}, {}, "t.py::lists_shares", {"t.py::lists"}},
      {"another file", {"old/t.py::lists"}, {}, "new/t.py::lists", {"old/t.py::lists"}},
      {"several",
       {"t.py::lists", "t.py::logs_in", "u.py::x"},
       {},
       "t.py::listed",
       {"t.py::lists", "t.py::logs_in"}},
      {"the nearest has run", {"t.py::lists", "t.py::lost"}, {"t.py::lists"}, "t.py::lists2", {"t.py::lost"}},
      {"two are equally near", {"t.py::a1", "t.py::a2"}, {}, "t.py::a3", {}},
      {"one is nearest, two are equally near", {"t.py::a1", "t.py::a2", "t.py::b33"}, {}, "t.py::b3", {"t.py::b33"}},
      {"nothing is near", {"login"}, {}, "t.py::lists", {}},
      {"odd characters", {"t [100%25; #1]", "u"}, {}, "t [100%25; #2]", {"t [100%25; #1]"}},
      {"umlauts and quotes",
       {"Gr\xc3\xbc\xc3\x9f' dich"},
       {},
       "Gr\xc3\xbc\xc3\x9f' euch",
       {"Gr\xc3\xbc\xc3\x9f' dich"}},
      {"an equals sign", {"t[a=b]"}, {}, "t[a=c]", {"t[a=b]"}},
  };
  const auto spelled = [](std::string text) {  // as in the header
    std::string out;
    for (const char c : text) out += c == '#' ? "%23" : c == ';' ? "%3B" : std::string(1, c);
    return out;
  };
  for (const Case& row : cases) {
    INFO(row.what);
    std::vector<Recorded> rows;
    for (const std::string& name : row.recorded) rows.push_back(call_of(api::ScopeName::parse(spelled(name))->name));
    const auto cassette = testing::cassette_with(rows);
    ReplayHandler handler(playing(cassette), 1);
    for (const std::string& name : row.ran) CHECK(outcome(ask_in(handler, spelled(name), read)) == "recorded");
    const Missed miss = missed(handler, spelled(row.asked), read);
    CHECK(miss.remedy == std::vector<std::string>{"--mode", "new", "--device", "URL"});
    REQUIRE(miss.renames.size() == row.former.size());
    const std::string first = row.former.empty() ? "" : "if its test was renamed, run `" + miss.renames[0] + "`; otherwise ";
    CHECK(miss.hint.starts_with(first + "record it with"));
    for (std::size_t i = 0; i < row.former.size(); ++i) {
      CHECK(miss.renames[i].starts_with("tapedeck edit " + cassette.path() + " --rename "));
      CHECK(miss.renames[i].find(row.former[i].substr(0, row.former[i].find_first_of("#;'"))) != std::string::npos);
    }
  }
}

}  // namespace tapedeck::replay
