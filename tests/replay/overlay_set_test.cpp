#include "replay/overlays/overlay_set.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>

#include "base/digest.h"
#include "replay/overlays/delay.h"
#include "replay/overlays/overlay_file.h"

namespace tapedeck::replay {
namespace {

OverlaySet set_of(const std::string& toml) {
  std::vector<OverlaySet::Rule> rules;
  for (OverlayPtr& overlay : number_overlays(read_overlay_toml(toml, "x.toml", "/").overlays, "")) {
    rules.push_back({std::move(overlay), std::make_shared<std::atomic<std::uint64_t>>(0)});
  }
  return OverlaySet(std::move(rules));
}

/// A client of a set.
struct Client {
  const OverlaySet& set;
  OverlayCounts& counts;
  std::string account = "ann", scope = {}, owner = "ann";

  OverlaySet::Candidates candidates(const api::Call& call) const {
    return set.candidates({&call, "GET", "/webapi/entry.cgi"});
  }
  OverlayComposition compose(const api::Call& call) const {
    return set.compose(candidates(call), {account, scope, owner}, counts);
  }
  /// Returns the names of the overlays, with the responding one after an arrow: "patch1 patch2 > answer".
  std::string ask(const std::string& api, const std::string& method = "list",
                  std::vector<api::Param> params = {}) const {
    return shown(compose(api::Call("SYNO." + api, "1", method, std::move(params))));
  }
  std::string get(const std::string& target) const {
    return shown(set.compose(set.candidates({nullptr, "GET", target}), {account, scope, owner}, counts));
  }
  static std::string shown(const OverlayComposition& composition) {
    std::string text;
    for (const OverlayPlay& play : composition.adjusting) text += play.overlay->name + " ";
    return composition.answering ? text + "> " + composition.answering->overlay->name : text;
  }
};

api::Param param(std::string name, std::string value) {
  api::Param made;
  made.name = std::move(name);
  made.value = std::move(value);
  return made;
}

std::string named_rule(const std::string& name, const std::string& lines,
                       const std::string& call = "Core.Share/1/list") {
  return "[[overlay]]\nname = \"" + name + "\"\ncall = \"" + call + "\"\n" + lines + "\n";
}

TEST_CASE("overlays: from the top, a response ends the search and a change does not") {
  OverlayCounts counts;
  const auto asked = [&](const std::string& toml) {
    const OverlaySet set = set_of(toml);
    return Client{set, counts}.ask("Core.Share");
  };
  CHECK(asked("") == "");
  CHECK(asked(named_rule("a", "error = 1", "Core.User/1/list")) == "");
  CHECK(asked(named_rule("a", "error = 1") + named_rule("b", "error = 2")) == "> a");
  CHECK(asked(named_rule("a", "patch = []") + named_rule("b", "error = 2") + named_rule("c", "status = 500")) ==
        "a > b");
  CHECK(asked(named_rule("a", "status = 500") + named_rule("b", "delay = \"1s\"") +
              named_rule("c", "headers = { A = \"1\" }") + named_rule("d", "merge = {}") +
              named_rule("e", "then = \"x\"")) == "a b c d e ");
  CHECK(asked(named_rule("a", "fault = \"reset\"") + named_rule("b", "error = 1")) == "> a");
  CHECK(asked(named_rule("a", "fault = \"cut\"") + named_rule("b", "error = 1")) == "a > b");
  CHECK(asked(named_rule("a", "fault = \"cut\"\ndata = 1") + named_rule("b", "error = 1")) == "> a");
  CHECK(asked(named_rule("wide", "status = 500", "*/*/*") + named_rule("b", "error = 1") +
              named_rule("below", "error = 2", "Core.*/*/*")) == "wide > b");
}

TEST_CASE("overlays: compare parameters by their canonical value") {
  OverlayCounts counts;
  const auto fits = [&](const std::string& lines, std::vector<api::Param> params) {
    const OverlaySet set = set_of(named_rule("a", "error = 1\n" + lines));
    return Client{set, counts}.ask("Core.Share", "list", std::move(params)) == "> a";
  };
  CHECK(fits("", {param("limit", "1")}));
  CHECK(fits("params = { limit = \"*\" }", {param("limit", "10")}));
  CHECK_FALSE(fits("params = { limit = \"*\" }", {param("offset", "10")}));
  CHECK(fits("params = { limit = 10 }", {param("limit", "\"10\"")}));
  CHECK(fits("params = { limit = \"10\" }", {param("limit", "10")}));
  CHECK_FALSE(fits("params = { limit = 10 }", {param("limit", "10.0")}));
  CHECK(fits("params = { items = \"ALL\" }", {param("items", "\"ALL\"")}));
  CHECK(fits("params = { on = true }", {param("on", "True")}));
  CHECK(fits("params = { additional = [\"a\", \"b\"] }", {param("additional", "a,b")}));
  CHECK(fits("params = { q = { b = 1, a = 2 } }", {param("q", "{\"a\": 2, \"b\": 1}")}));
  CHECK(fits("params = { a = 1, b = 2 }", {param("b", "2"), param("a", "1"), param("c", "3")}));
  CHECK_FALSE(fits("params = { a = 1, b = 2 }", {param("a", "1")}));
  CHECK(fits("params = { a = 2 }", {param("a", "1"), param("a", "2")}));
  CHECK(fits("exact = true", {}));
  CHECK(fits("exact = true", {param("_sid", "x"), param("_dc", "1")}));
  CHECK_FALSE(fits("exact = true", {param("limit", "1")}));
  CHECK(fits("exact = true\nparams = { limit = \"*\" }", {param("limit", "1")}));
  CHECK_FALSE(fits("exact = true\nparams = { limit = \"*\" }", {param("limit", "1"), param("offset", "1")}));
}

TEST_CASE("overlays: a path has a verb, and parameters in its query") {
  OverlayCounts counts;
  const OverlaySet set = set_of(
      "[[overlay]]\nname = \"a\"\npath = \"GET /web%20man/x.cgi\"\nparams = { q = \"a b\" }\nerror = 1\n"
      "[[overlay]]\nname = \"post\"\npath = \"POST /x\"\nerror = 1\n");
  const Client client{set, counts};
  CHECK(client.get("/web%20man/x.cgi?q=a+b") == "> a");
  CHECK(client.get("/web man/x.cgi?z=1&q=a%20b") == "> a");
  CHECK(client.get("/web%20man/x.cgi") == "");
  CHECK(client.get("/x") == "");
  CHECK(client.get("/web%20man/x.cgi/more?q=a+b") == "");
}

TEST_CASE("overlays: accounts, scopes, states, and what was made before") {
  OverlayCounts counts;
  const OverlaySet set =
      set_of(named_rule("ann's", "error = 1\naccount = \"ann\"") +
             named_rule("of the scope", "error = 1\nscope = \"a%20test\"") +
             named_rule("breaks", "error = 1\nstate = \"\"\nthen = \"broken\"", "Core.State/1/list") +
             named_rule("heals", "error = 2\nstate = \"broken\"\nthen = \"healed\"", "Core.State/1/list") +
             named_rule("waits", "error = 3\nafter = \"Core.Share/1/create\"", "Core.After/1/list"));
  Client client{set, counts};
  CHECK(client.ask("Core.Share") == "> ann's");
  client.account = "bob";
  CHECK(client.ask("Core.Share") == "");
  client.scope = "a test";
  CHECK(client.ask("Core.Share") == "> of the scope");

  CHECK(client.ask("Core.State") == "> breaks");
  CHECK(client.ask("Core.State") == "> heals");
  CHECK(client.ask("Core.State") == "");
  client.owner = "another";
  CHECK(client.ask("Core.State") == "> breaks");

  CHECK(client.ask("Core.After") == "");
  const auto note = [&](const std::string& method) {
    const api::Call call("SYNO.Core.Share", "1", method, {});
    note_success(client.candidates(call), client.owner, counts);
  };
  note("delete");
  CHECK(client.ask("Core.After") == "");
  note("create");
  CHECK(client.ask("Core.After") == "> waits");
  client.owner = "a third";
  CHECK(client.ask("Core.After") == "");
}

TEST_CASE("overlays: the topmost state change wins, and conditions use the previous state") {
  OverlayCounts counts;
  const OverlaySet set =
      set_of(named_rule("a", "then = \"one\"") + named_rule("b", "status = 500\nthen = \"two\"\nstate = \"\"") +
             named_rule("c", "error = 1\nthen = \"three\"\nstate = \"\""));
  const Client client{set, counts};
  CHECK(client.ask("Core.Share") == "a b > c");
  CHECK(counts.owner("ann")->state == "one");
  CHECK(client.ask("Core.Share") == "a ");
}

TEST_CASE("overlays: `times`, `skip`, and {{count}} are counted for each owner") {
  OverlayCounts counts;
  const OverlaySet set =
      set_of(named_rule("twice", "error = 1\nskip = 1\ntimes = 2") + named_rule("below", "error = 2"));
  Client client{set, counts};
  const auto four = [&] {
    return client.ask("Core.Share") + client.ask("Core.Share") + client.ask("Core.Share") + client.ask("Core.Share");
  };
  CHECK(four() == "> below> twice> twice> below");
  client.owner = "bob";
  CHECK(four() == "> below> twice> twice> below");
  CHECK(*set.rules()[0].plays == 4);
  CHECK(client.compose(api::Call("Core.Share", "1", "list", {})).answering->count == 3);
}

TEST_CASE("overlays: several merging rules are each used as often as `times` and `skip` allow") {
  OverlayCounts counts;
  const std::string merge = "merge = { n = 1 }\n";
  const OverlaySet set = set_of(named_rule("a", merge + "times = 1") + named_rule("always", merge) +
                                named_rule("b", merge + "times = 2") + named_rule("c", merge + "times = 1\nskip = 1"));
  const Client client{set, counts};
  std::string asked;
  for (int i = 0; i < 6; ++i) asked += client.ask("Core.Share") + "|";
  CHECK(asked == "a always |always b |always b |always |always c |always |");
}

TEST_CASE("overlays: a skipped patch does not count and changes no state") {
  OverlayCounts counts;
  const OverlaySet set = set_of(named_rule("once", "patch = []\ntimes = 1\nthen = \"patched\""));
  const Client client{set, counts};
  const api::Call call("Core.Share", "1", "list", {});
  const auto first = client.compose(call);
  REQUIRE(first.adjusting.size() == 1);
  CHECK(client.compose(call).empty());
  finish_play(first.adjusting[0], client.owner, false, counts);
  CHECK(*set.rules()[0].plays == 0);
  CHECK(counts.owner("ann")->state.empty());
  const auto second = client.compose(call);
  REQUIRE(second.adjusting.size() == 1);
  CHECK(second.adjusting[0].count == 1);
  finish_play(second.adjusting[0], client.owner, true, counts);
  CHECK(counts.owner("ann")->state == "patched");
  CHECK(client.compose(call).empty());
}

TEST_CASE("overlays: `times` is exact with concurrent requests") {
  OverlayCounts counts;
  const OverlaySet set = set_of(named_rule("a", "error = 1\ntimes = 100"));
  std::atomic<unsigned> answered = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const Client client{set, counts};
      for (int n = 0; n < 500; ++n) answered += client.ask("Core.Share").empty() ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(answered == 100);
}

TEST_CASE("overlays: counts are limited, and unchanged rules keep theirs") {
  OverlayCounts counts;
  const OverlaySet set = set_of(named_rule("a", "error = 1\ntimes = 1"));
  Client client{set, counts};
  CHECK(client.ask("Core.Share") == "> a");
  for (unsigned i = 0; i < OverlayCounts::max_owners - 1; ++i) {
    client.owner = std::to_string(i);
    CHECK(client.ask("Core.Share") == "> a");
  }
  CHECK(counts.size() == OverlayCounts::max_owners);
  client.owner = "ann";
  CHECK(client.ask("Core.Share") == "");
  client.owner = "one more";
  CHECK(client.ask("Core.Share") == "> a");
  CHECK(counts.size() == OverlayCounts::max_owners);
  client.owner = "0";
  CHECK(client.ask("Core.Share") == "> a");

  counts.keep_only({set.rules()[0].overlay->id});
  CHECK(client.ask("Core.Share") == "");
  counts.keep_only({});
  CHECK(client.ask("Core.Share") == "> a");
  counts.forget("0");
  CHECK(client.ask("Core.Share") == "> a");
}

TEST_CASE("overlays: a rule that the request's text excludes is no candidate") {
  OverlayCounts counts;
  std::string toml;
  for (int i = 0; i < 100; ++i)
    toml += named_rule("r" + std::to_string(i), "error = 1", "Core.Other" + std::to_string(i) + "/1/list");
  const OverlaySet set = set_of(toml + named_rule("after", "error = 1\nafter = \"Core.*/1/set\"", "Core.X/1/get"));
  const Client client{set, counts};
  CHECK(client.candidates(api::Call("SYNO.Core.Share", "1", "list", {})).empty());
  CHECK(client.candidates(api::Call("SYNO.Core.Other7", "1", "list", {})).rules.size() == 1);
  CHECK(client.candidates(api::Call("SYNO.Core.Share", "1", "set", {})).noted.size() == 1);
  CHECK(client.ask("Core.Share") == "");
  CHECK(counts.size() == 0);
}

}  // namespace
}  // namespace tapedeck::replay
