// Tests scopes while recording (docs/testing.md, "Scopes").
#include "proxy/recording_scopes.h"

#include <functional>

#include <catch2/catch.hpp>

namespace tapedeck::proxy {
namespace {

using Kind = cassettes::TakeEvent::Kind;

api::RequestedScope said(std::string_view text) {
  api::RequestedScope said;
  said.scope = api::ScopeName::parse(text);
  return said;
}

/// Scopes with the events that they report: "complete a", "failed a#2".
struct Told {
  Told() {
    scopes.connect({[](std::string_view name) {
                      return name.find("secret") == std::string_view::npos ? std::string(name)
                                                                           : std::string("of \1SECRET\2");
                    },
                    [this](const cassettes::TakeEvent& event) {
                      const char* const kind = event.kind == Kind::scope_complete ? "complete " : "failed ";
                      events.push_back(kind + event.name + (event.run == 1 ? "" : "#" + std::to_string(event.run)));
                    }});
  }
  std::string of(std::string_view text, std::string_view id = {}) {
    const auto scope = scopes.of(text.empty() ? api::RequestedScope() : said(text), id);
    return scope ? scope->text() : "none";
  }
  RecordingScopes scopes;
  std::vector<std::string> events;
};

api::Interaction login_with(std::string_view sid) {
  api::Interaction login;
  login.response.body = R"({"data":{"sid":")" + std::string(sid) + R"("},"success":true})";
  login.response.headers.add("Set-Cookie", "id=" + std::string(sid) + "-cookie;path=/");
  return login;
}

}  // namespace

TEST_CASE("recording scopes: the request's scope overrides the default one, which overrides the ID's") {
  Told told;
  CHECK(told.of("") == "none");
  CHECK(told.of("a") == "a");
  told.scopes.answered({"a", 1}, login_with("id-of-a"));
  CHECK(told.of("", "id-of-a") == "a");
  CHECK(told.of("", "id-of-a-cookie") == "a");
  CHECK(told.of("", "id-of-nobody") == "none");
  told.scopes.set_default(api::ScopeName{"default", 1});
  CHECK(told.of("", "id-of-a") == "default");
  CHECK(told.of("b#3") == "b#3");
  CHECK(told.scopes.names() == std::vector<std::string>{"a", "b#3", "default"});
}

TEST_CASE("recording scopes: a run without a result is dropped at the end, once a runner reports results") {
  using Unreported = RecordingScopes::Unreported;
  struct Case {
    const char* what;
    std::function<void(RecordingScopes&)> announce;
    Unreported unreported;
    std::vector<std::string> dropped, events;
  };
  const auto nothing = [](RecordingScopes&) {};
  const auto run = [](RecordingScopes& scopes) { (void)scopes.next_run("d"); };
  const auto expects = [](RecordingScopes& scopes) { scopes.expect_results(); };
  const auto passes = [](RecordingScopes& scopes) { scopes.result({"c", 1}, true); };
  const auto blocked = [](RecordingScopes& scopes) { scopes.drop({"c", 1}); };
  const auto fails = [](RecordingScopes& scopes) { scopes.result({"c", 1}, false); };
  const std::vector<std::string> all = {"a", "a#2", "c"}, others = {"a", "a#2"};
  for (const Case& row : {
           Case{"clients name scopes", nothing, Unreported::interrupted, {}, {}},
           {"a run was requested", run, Unreported::interrupted, all, {"failed a", "failed a#2", "failed c"}},
           {"a server before this one noted it",
            expects,
            Unreported::interrupted,
            all,
            {"failed a", "failed a#2", "failed c"}},
           {"one passed", passes, Unreported::interrupted, others, {"complete c", "failed a", "failed a#2"}},
           {"one failed", fails, Unreported::interrupted, others, {"failed c", "failed a", "failed a#2"}},
           {"a write was blocked", blocked, Unreported::interrupted, {}, {"failed c"}},
           {"the command succeeded", fails, Unreported::complete, {}, {"failed c"}},
       }) {
    INFO(row.what);
    Told told;
    told.scopes.set_default(api::ScopeName{"default", 1});
    for (const char* const name : {"a", "a#2", "c", ""}) (void)told.of(name);
    row.announce(told.scopes);
    CHECK(told.scopes.end(row.unreported) == row.dropped);
    CHECK(told.events == row.events);
  }
}

TEST_CASE("recording scopes: nothing is sent after the writer is gone") {
  Told told;
  (void)told.of("a");
  told.scopes.disconnect();
  const std::size_t told_before = told.events.size();
  told.scopes.result({"a", 1}, true);
  CHECK(told.events.size() == told_before);
}

TEST_CASE("recording scopes: runs are numbered consecutively") {
  Told told;
  CHECK(told.scopes.next_run("a").text() == "a");
  CHECK(told.scopes.next_run("a").text() == "a#2");
  (void)told.of("a#7");
  CHECK(told.scopes.next_run("a").text() == "a#8");
}

TEST_CASE("recording scopes: names that differ only in a secret clash") {
  Told told;
  (void)told.of("of secret 1");
  (void)told.of("plain");
  CHECK(told.scopes.clashes().empty());
  (void)told.of("of secret 2");
  CHECK(told.scopes.clashes() == std::vector<std::string>{"of \1SECRET\2"});
}

}  // namespace tapedeck::proxy
