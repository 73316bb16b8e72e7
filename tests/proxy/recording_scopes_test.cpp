// Tests scopes while recording (docs/testing.md, "Scopes").
#include "proxy/recording_scopes.h"

#include <catch2/catch.hpp>

namespace tapedeck::proxy {
namespace {

using Kind = cassettes::TakeEvent::Kind;

api::RequestedScope said(std::string_view text) {
  api::RequestedScope said;
  said.scope = api::ScopeName::parse(text);
  return said;
}

/// Scopes with the events that they report: "complete a", "followed a#2".
struct Told {
  Told() {
    scopes.connect({[](std::string_view name) {
                      return name.find("secret") == std::string_view::npos ? std::string(name)
                                                                           : std::string("of \1SECRET\2");
                    },
                    [this](const cassettes::TakeEvent& event) {
                      const char* const kind = event.kind == Kind::scope_complete ? "complete "
                                               : event.kind == Kind::scope_failed ? "failed "
                                                                                  : "followed ";
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

TEST_CASE("recording scopes: a run is complete when the next one begins or when it is reported") {
  Told told;
  (void)told.of("a");
  (void)told.of("a#2");
  (void)told.of("b");
  (void)told.of("c");
  (void)told.of("d");
  (void)told.of("c");
  told.scopes.result({"c", 1}, true);
  told.scopes.result({"d", 1}, false);
  CHECK(told.events ==
        std::vector<std::string>{"followed a", "followed a#2", "followed b", "followed c", "complete c", "failed d"});
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
