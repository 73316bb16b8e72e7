// Tests rules: shipped ones, disabled ones, custom ones in code and in TOML, and their messages.

#include <catch2/catch.hpp>
#include <set>
#include <tuple>

#include "base/toml_file.h"
#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/rules/scrub_rule.h"
#include "scrubbers/rules/secret_names.h"
#include "scrubbers/rules/secret_patterns.h"
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

TEST_CASE("rules: each shipped rule has a unique ID and a reason") {
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

TEST_CASE("rules: a disabled rule has no effect, and the fingerprint shows it") {
  RuleSet rules = RuleSet::defaults();
  const std::string body = R"({"password":"Some-Secret-77"})";
  CHECK(scrubbed_body(rules, "SYNO.A", body) == R"({"password":"<PASSWORD>"})");
  CHECK(rules.fingerprint() == policy);
  rules.disable("json-password");
  rules.disable("json-password");
  CHECK(scrubbed_body(rules, "SYNO.A", body) == body);
  CHECK(rules.disabled() == std::vector<std::string>{"json-password"});
  CHECK(rules.fingerprint() == policy + " -json-password");
  CHECK_THROWS_WITH(rules.disable("nothing"), Catch::Contains("no such scrub rule: nothing"));
}

TEST_CASE("rules: users add rules by name, path, and pattern") {
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

TEST_CASE("rules: errors in the file have file and line") {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"[scrub\n", "tapedeck.toml:1: "},
      {"scrub = 1", "tapedeck.toml:1: `scrub` must be a table"},
      {"[scrub]\n\nrules = []", "tapedeck.toml:3: unknown key `rules`"},
      {"[scrub]\ndisable = \"x\"", "tapedeck.toml:2: `disable` must be a list"},
      {"[scrub]\ndisable = [\n\"json-password\",\n\"nope\"]", "tapedeck.toml:4: no such scrub rule: nope"},
      {"[scrub]\ndisable = [1]", "tapedeck.toml:2: `disable` must be a string in quotes"},
      {"[scrub.rule]\nid = \"x\"", "must be written as [[scrub.rule]]"},
      {"[[scrub.rule]]\nid = 1", "tapedeck.toml:2: `id` must be a string"},
      {"[[scrub.rule]]\nid = \"a\"\nscope = \"body\"", "tapedeck.toml:3: `scope` is parameter"},
      {"[[scrub.rule]]\nid = \"a\"\nscope = \"cookie\"\nclass = \"key\"", "tapedeck.toml:4: `class` is one of"},
      {"[[scrub.rule]]\nid = \"a\"\nmatch = \"b\"\nreason = \"c\"", "tapedeck.toml:1: missing `scope`"},
      {"[[scrub.rule]]\nid = \"a\"\nmatch = \"b\"\nscope = \"cookie\"", "tapedeck.toml:1: missing `reason`"},
      {"[[scrub.rule]]\nid = \"a\"\nreason = \"c\"\nscope = \"cookie\"", "tapedeck.toml:1: rule a: missing `match`"},
      {"[[scrub.rule]]\nid = \"json-sid\"\nmatch = \"b\"\nreason = \"c\"\nscope = \"cookie\"",
       "this ID is already in use"},
      {"[[scrub.rule]]\nid = \"a\"\nmatch = \"(\"\nreason = \"c\"\nscope = \"body_pattern\"",
       "tapedeck.toml:1: rule a: invalid regular expression (RE2)"},
      {"[[scrub.rule]]\nid = \"a\"\nmatch = \"x*\"\nreason = \"c\"\nscope = \"body_pattern\"",
       "matches an empty string"},
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

TEST_CASE("rules: the words of scopes and classes can be parsed") {
  CHECK(scope_from("body_pattern") == Scope::body_pattern);
  CHECK(scope_from("name") == Scope::name);
  CHECK(scope_from("query") == std::nullopt);
  CHECK(secret_class_from("session_id") == SecretClass::session_id);
  CHECK(secret_class_from("SECRET") == SecretClass::secret);
  CHECK(secret_class_from("") == std::nullopt);
}

TEST_CASE("rules: sets that share rules do not see each other's changes") {
  const RuleSet shipped = RuleSet::defaults();
  const std::size_t count = shipped.rules().size();
  RuleSet one = shipped;
  one.disable("body-jwt");
  RuleSet other = one;
  other.add({"mine", "a test", Scope::json_key, "my_key", {}, {}, SecretClass::secret, true, false, Values::any});
  other.add(
      {"mine-too", "a test", Scope::json_key, "my_other_key", {}, {}, SecretClass::secret, true, false, Values::any});
  CHECK_THROWS_AS(other.disable("no-such-rule"), std::invalid_argument);
  CHECK(one.rules().size() == count - 1);
  CHECK(other.rules().size() == count + 1);
  for (const RuleSet& set : {shipped, RuleSet::defaults()})
    CHECK((set.rules().size() == count && set.disabled().empty()));
}

TEST_CASE("anchors: finds each text at its places for all its uses") {
  AnchorSet anchors;
  anchors.add("BEGIN ", {1, 0});
  anchors.add("$6$", {2, 0});
  anchors.add("BEGIN ", {3, 4});
  anchors.add("$y$", {4, 0});
  using Hit = std::tuple<std::size_t, std::size_t, std::size_t>;  // pattern, before, place
  const auto hits = [&](std::string_view text) {
    std::set<Hit> found;
    anchors.search(text, [&](const AnchorSet::Use& use, std::size_t at) {
      found.insert({use.pattern, use.before, at});
    });
    return found;
  };
  CHECK(hits("").empty());
  CHECK(hits("costs $5 and begins").empty());
  CHECK(hits("BEGIN a BEGIN b") == std::set<Hit>{{1, 0, 0}, {3, 4, 0}, {1, 0, 8}, {3, 4, 8}});
  CHECK(hits("$ $6$ $y$") == std::set<Hit>{{2, 0, 2}, {4, 0, 6}});
  CHECK(hits("$y$BEGIN $6$") == std::set<Hit>{{4, 0, 0}, {1, 0, 3}, {3, 4, 3}, {2, 0, 9}});
  AnchorSet none;
  none.search("BEGIN $6$", [](const AnchorSet::Use&, std::size_t) { FAIL("nothing was added"); });
}

TEST_CASE("names: an ending is found after any beginning and with separators anywhere") {
  const CompiledRules rules(RuleSet::defaults(), CompiledRules::Patterns::left_out);
  const CallContext context;
  for (const NameRow& row : secret_names()) {
    std::string_view ending = row.ending;
    const bool is_word = ending.starts_with('_');
    if (is_word) ending.remove_prefix(1);
    const auto rule_of = [&](std::string_view name) {
      const auto match = rules.name(name, context);
      return match ? std::optional(match->rule) : std::nullopt;
    };
    const auto rule = rule_of(ending);
    INFO(ending);
    CHECK(rule);
    for (std::size_t at = 1; at < ending.size(); ++at) {
      for (const std::string_view separator : {"_", "-", ".", " ", "__"}) {
        const std::string split =
            std::string(ending.substr(0, at)) + std::string(separator) + std::string(ending.substr(at));
        CHECK(rule_of(split) == rule);
        CHECK(rule_of("MY_" + split) == rule);
        CHECK(rules.endings().may_have("x-" + split + "2"));
      }
    }
    if (!is_word) CHECK(rule_of("zz" + std::string(ending)));
  }
}
