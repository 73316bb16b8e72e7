// Rules: the shipped ones, switching off, users' own in code and in TOML, and their messages.

#include <catch2/catch.hpp>
#include <set>

#include "base/toml_file.h"
#include "scrubbers/rules/rules_toml.h"
#include "tests/scrubbers/fixtures.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

const std::string policy = "policy " + std::to_string(RuleSet::policy_number);

RuleSet rules_from(std::string_view toml) {
  RuleSet rules = RuleSet::defaults();
  apply_rules(base::TomlFile::parse(toml, "tapedeck.toml"), rules);
  return rules;
}

std::string scrubbed_body(const RuleSet& rules, const std::string& api, const std::string& body) {
  ScrubberOptions options;
  options.rules = rules;
  Scrubber scrubber(options);
  return scrubber.scrub(get("/webapi/entry.cgi?version=1&method=get&api=" + api, body)).record().response.body;
}

}  // namespace

TEST_CASE("shipped rules have ids of their own and a reason each") {
  std::set<std::string> ids;
  const RuleSet shipped = RuleSet::defaults();
  for (const ScrubRule& rule : shipped.rules()) {
    INFO(rule.id);
    CHECK(ids.insert(rule.id).second);
    CHECK_FALSE(rule.reason.empty());
    CHECK_FALSE(rule.match.empty());
    CHECK(rule.shipped);
  }
  CHECK(ids.size() > 40);
}

TEST_CASE("a rule that is switched off does nothing and its absence shows in the fingerprint") {
  RuleSet rules = RuleSet::defaults();
  const std::string body = R"({"password":"Some-Secret-77"})";
  CHECK(scrubbed_body(rules, "SYNO.A", body) == R"({"password":"<PASSWORD>"})");
  CHECK(rules.fingerprint() == policy);
  rules.disable("json-password");
  rules.disable("json-password");
  CHECK(scrubbed_body(rules, "SYNO.A", body) == body);
  CHECK(rules.disabled() == std::vector<std::string>{"json-password"});
  CHECK(rules.fingerprint() == policy + " -json-password");
  CHECK_THROWS_WITH(rules.disable("nothing"), Catch::Contains("no scrub rule nothing"));
}

TEST_CASE("users add rules by name path and pattern") {
  const RuleSet rules = rules_from(R"toml(
[[replay.match]]
any_version = true
[scrub]
disable = ["json-password"]
[[scrub.rule]]
id = "key"
reason = "a licence"
scope = "json_key"
match = "data.licence"
class = "token"
[[scrub.rule]]
id = "deep"
reason = "a key under any user"
scope = "json_key"
match = "**.user.key"
[[scrub.rule]]
id = "one"
reason = "a key one level down"
scope = "json_key"
match = "*.pin"
api = "Core.Foo.*"
[[scrub.rule]]
id = "serial"
reason = "serial numbers"
scope = "body_pattern"
match = "SN-([0-9]{4})"
)toml");
  CHECK(rules.fingerprint().starts_with(policy + " -json-password +"));
  const std::vector<std::tuple<std::string, std::string, std::string>> rows{
      {"SYNO.A", R"({"data":{"licence":"abc"}})", R"({"data":{"licence":"<TOKEN>"}})"},
      {"SYNO.A", R"({"licence":"abc","data":{"x":{"licence":"abc"}}})",
       R"({"licence":"abc","data":{"x":{"licence":"abc"}}})"},
      {"SYNO.A", R"({"data":[{"licence":"abc"}]})", R"({"data":[{"licence":"<TOKEN>"}]})"},
      {"SYNO.A", R"({"a":[{"b":{"User":{"key":"abc"}}}],"key":"abc"})",
       R"({"a":[{"b":{"User":{"key":"<SECRET>"}}}],"key":"abc"})"},
      {"SYNO.Core.Foo.Bar", R"({"x":{"pin":1234},"pin":1234})", R"({"x":{"pin":<SECRET>},"pin":1234})"},
      {"SYNO.Core.Food.Bar", R"({"x":{"pin":1234}})", R"({"x":{"pin":1234}})"},
      {"SYNO.A", "serial SN-1234, SN-567, SN-8901", "serial SN-<SECRET>, SN-567, SN-<SECRET>"},
      {"SYNO.A", R"({"password":"off"})", R"({"password":"off"})"},
  };
  for (const auto& [api, body, expected] : rows) CHECK(scrubbed_body(rules, api, body) == expected);
}

TEST_CASE("mistakes in the rules file are told with file and line") {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"[scrub\n", "tapedeck.toml:1: "},
      {"scrub = 1", "tapedeck.toml:1: `scrub` must be a table"},
      {"[scrub]\n\nrules = []", "tapedeck.toml:3: unknown key `rules`"},
      {"[scrub]\ndisable = \"x\"", "tapedeck.toml:2: `disable` must be a list"},
      {"[scrub]\ndisable = [\n\"json-password\",\n\"nope\"]", "tapedeck.toml:4: there is no scrub rule nope"},
      {"[scrub]\ndisable = [1]", "tapedeck.toml:2: `disable` must be a text in quotes"},
      {"[scrub.rule]\nid = \"x\"", "rules are written as [[scrub.rule]]"},
      {"[[scrub.rule]]\nid = 1", "tapedeck.toml:2: `id` must be a text"},
      {"[[scrub.rule]]\nid = \"a\"\nscope = \"body\"", "tapedeck.toml:3: `scope` is parameter"},
      {"[[scrub.rule]]\nid = \"a\"\nscope = \"cookie\"\nclass = \"key\"", "tapedeck.toml:4: `class` is one of"},
      {"[[scrub.rule]]\nid = \"a\"\nmatch = \"b\"\nreason = \"c\"", "tapedeck.toml:1: the rule needs a `scope`"},
      {"[[scrub.rule]]\nid = \"a\"\nmatch = \"b\"\nscope = \"cookie\"", "tapedeck.toml:1: the rule needs a `reason`"},
      {"[[scrub.rule]]\nid = \"a\"\nreason = \"c\"\nscope = \"cookie\"", "tapedeck.toml:1: rule a: nothing to match"},
      {"[[scrub.rule]]\nid = \"json-sid\"\nmatch = \"b\"\nreason = \"c\"\nscope = \"cookie\"", "the id is taken"},
      {"[[scrub.rule]]\nid = \"a\"\nmatch = \"(\"\nreason = \"c\"\nscope = \"body_pattern\"",
       "tapedeck.toml:1: rule a: not an RE2 pattern"},
      {"[[scrub.rule]]\nid = \"a\"\nmatch = \"x*\"\nreason = \"c\"\nscope = \"body_pattern\"", "matches an empty text"},
      {"[[scrub.rule]]\nid = \"a\"\nmatch = \"Pin\"\nreason = \"c\"\nscope = \"name\"",
       "an ending of names is 3 to 63 small letters"},
      {"[[scrub.rule]]\nid = \"a\"\nlearn = \"yes\"", "tapedeck.toml:3: `learn` must be true or false"},
      {"[[scrub.rule]]\nid = \"a\"\nname = \"b\"", "tapedeck.toml:3: unknown key `name` in a rule"},
      {"[[scrub.rule]]\nid = \"a\"\nlern = true", "tapedeck.toml:3: unknown key `lern` in a rule"},
  };
  for (const auto& [toml, message] : rows) {
    INFO(toml);
    CHECK_THROWS_WITH(rules_from(toml), Catch::Contains(message));
  }
}

TEST_CASE("names of scopes and classes can be read back") {
  CHECK(scope_from("body_pattern") == Scope::body_pattern);
  CHECK(scope_from("name") == Scope::name);
  CHECK(scope_from("query") == std::nullopt);
  CHECK(secret_class_from("session_id") == SecretClass::session_id);
  CHECK(secret_class_from("SECRET") == SecretClass::secret);
  CHECK(secret_class_from("") == std::nullopt);
}
