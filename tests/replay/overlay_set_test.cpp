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
  std::uint64_t seed = 1;

  OverlaySet::Candidates candidates(const api::Call& call) const {
    return set.candidates({&call, "GET", "/webapi/entry.cgi"});
  }
  OverlayComposition compose(const api::Call& call) const {
    const std::string key = call.api() + "/" + call.version() + "/" + call.method();
    return set.compose(candidates(call), {account, scope, owner, key}, counts, seed);
  }
  /// Returns the names of the overlays, with the responding one after an arrow: "patch1 patch2 > answer".
  std::string ask(const std::string& api, const std::string& method = "list",
                  std::vector<api::Param> params = {}) const {
    return shown(compose(api::Call("SYNO." + api, "1", method, std::move(params))));
  }
  std::string get(const std::string& target) const {
    return shown(set.compose(set.candidates({nullptr, "GET", target}), {account, scope, owner, target}, counts, seed));
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

std::string named_rule(const std::string& name, const std::string& lines, const std::string& call = "Core.Share/1/list") {
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
  CHECK(asked(named_rule("a", "patch = []") + named_rule("b", "error = 2") + named_rule("c", "status = 500")) == "a > b");
  CHECK(asked(named_rule("a", "status = 500") + named_rule("b", "delay = \"1s\"") + named_rule("c", "headers = { A = \"1\" }") +
              named_rule("d", "merge = {}") + named_rule("e", "then = \"x\"")) == "a b c d e ");
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
      set_of(named_rule("ann's", "error = 1\naccount = \"ann\"") + named_rule("of the scope", "error = 1\nscope = \"a%20test\"") +
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
  const OverlaySet set = set_of(named_rule("a", "then = \"one\"") + named_rule("b", "status = 500\nthen = \"two\"\nstate = \"\"") +
                                named_rule("c", "error = 1\nthen = \"three\"\nstate = \"\""));
  const Client client{set, counts};
  CHECK(client.ask("Core.Share") == "a b > c");
  CHECK(counts.owner("ann")->state == "one");
  CHECK(client.ask("Core.Share") == "a ");
}

TEST_CASE("overlays: `times`, `skip`, and {{count}} are counted for each owner") {
  OverlayCounts counts;
  const OverlaySet set = set_of(named_rule("twice", "error = 1\nskip = 1\ntimes = 2") + named_rule("below", "error = 2"));
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

TEST_CASE("overlays: chance = 0.25 happens in a quarter of 10,000 calls, by the seed") {
  OverlayCounts counts;
  const OverlaySet set = set_of(named_rule("a", "error = 1\nchance = 0.25"));
  const auto transcript = [&](std::uint64_t seed, const std::string& owner) {
    Client client{set, counts};
    client.seed = seed;
    client.owner = owner;
    counts.forget(owner);
    std::string text;
    for (int i = 0; i < 10'000; ++i) text += client.ask("Core.Share").empty() ? '.' : 'x';
    return text;
  };
  for (const std::uint64_t seed : {1, 2, 3}) {
    const std::string text = transcript(seed, "ann");
    const auto happened = std::count(text.begin(), text.end(), 'x');
    CHECK(happened > 2'350);
    CHECK(happened < 2'650);
  }
  CHECK(transcript(1, "ann") == transcript(1, "ann"));
  CHECK(transcript(1, "ann") != transcript(2, "ann"));
  CHECK(transcript(1, "ann") != transcript(1, "bob"));
}

TEST_CASE("overlays: 10,000 log-normal delays have the requested median and p99") {
  const LogNormalDelay wanted{std::chrono::milliseconds(200), std::chrono::seconds(2)};
  for (const std::uint64_t seed : {1, 2, 3}) {
    std::vector<double> drawn;
    for (std::uint64_t i = 0; i < 10'000; ++i) {
      drawn.push_back(static_cast<double>(Draw({seed, "a", "ann", "key", i}).delay(wanted).count()));
    }
    std::sort(drawn.begin(), drawn.end());
    CHECK(drawn[5'000] == Approx(200'000).epsilon(0.05));
    CHECK(drawn[9'900] == Approx(2'000'000).epsilon(0.15));
  }
  const LogNormalDelay fixed{std::chrono::milliseconds(5), std::chrono::milliseconds(5)};
  CHECK(Draw({1, "a", "ann", "key", 0}).delay(fixed) == std::chrono::milliseconds(5));
}

TEST_CASE("overlays: a random choice depends on each part of its key and on where parts end") {
  const auto drawn = [](const DrawKey& key) {
    return Draw(key).delay({std::chrono::seconds(1), std::chrono::seconds(60)}).count();
  };
  const auto base = drawn({1, "a", "b", "c", 0});
  CHECK(base == drawn({1, "a", "b", "c", 0}));
  CHECK(base != drawn({2, "a", "b", "c", 0}));
  CHECK(base != drawn({1, "x", "b", "c", 0}));
  CHECK(base != drawn({1, "a", "x", "c", 0}));
  CHECK(base != drawn({1, "a", "b", "x", 0}));
  CHECK(base != drawn({1, "a", "b", "c", 1}));
  CHECK(drawn({1, "ab", "c", "", 0}) != drawn({1, "a", "bc", "", 0}));
}

/// Returns a hash of what 24 clients get when this many threads share them.
std::string transcript_hash(const OverlaySet& set, unsigned threads, std::uint64_t seed) {
  constexpr std::size_t clients = 24;
  OverlayCounts counts;
  std::vector<std::string> transcripts(clients);
  std::vector<std::thread> running;
  for (unsigned thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      for (int round = 0; round < 20; ++round) {
        for (std::size_t i = thread; i < clients; i += threads) {
          Client client{set, counts, "ann", "", "client " + std::to_string(i), seed};
          const auto composed = client.compose(api::Call("Core.Share", "1", round % 3 == 0 ? "get" : "list", {}));
          transcripts[i] += Client::shown(composed) + ";";
          for (const OverlayPlay& play : composed.adjusting) {
            if (play.delay) transcripts[i] += std::to_string(std::get<std::chrono::microseconds>(*play.delay).count());
          }
        }
      }
    });
  }
  for (std::thread& one : running) one.join();
  std::string all;
  for (const std::string& transcript : transcripts) all += transcript + "\n";
  return base::to_hex(base::sha256(all));
}

TEST_CASE("overlays: the same seed gives the same transcript in 100 runs, at 1, 2 and 8 threads") {
  const OverlaySet set =
      set_of(named_rule("slow", "delay = { median = \"10ms\", p99 = \"1s\" }", "Core.*/*/*") +
             named_rule("flaky", "error = 117\nchance = 0.3") + named_rule("rare", "error = 1\nchance = 0.1", "Core.Share/*/*"));
  const std::string expected = transcript_hash(set, 1, 7);
  unsigned different = 0;
  for (unsigned run = 0; run < 100; ++run) {
    for (const unsigned threads : {1U, 2U, 8U}) different += transcript_hash(set, threads, 7) == expected ? 0 : 1;
  }
  CHECK(different == 0);
  CHECK(transcript_hash(set, 2, 8) != expected);
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
