// Tests keys in the form in which the journal may store them.

#include "journal/journal_key.h"

#include <catch2/catch.hpp>

namespace tapedeck::journal {

TEST_CASE("journal: a custom rule hides its parameter in the calls that it covers") {
  scrubbers::RuleSet rules = scrubbers::RuleSet::defaults();
  const auto add = [&rules](const char* id, scrubbers::Scope scope, const char* match, const char* api) {
    scrubbers::ScrubRule rule;
    rule.id = id;
    rule.scope = scope;
    rule.match = match;
    rule.api = api;
    rules.add(rule);
  };
  add("licence", scrubbers::Scope::parameter, "licence", "Core.Package.*");
  add("dotted", scrubbers::Scope::parameter, "smtp.key", "");
  add("path", scrubbers::Scope::json_key, "data.seed", "");
  const JournalKeys keys(rules);
  const auto shown = [&keys](const char* key) { return keys.text(api::RequestKey::parse(key), nullptr); };
  CHECK(shown("SVC.Core.Package.Info/1/get?licence=abc-1") == "SVC.Core.Package.Info/1/get?licence=<SECRET>");
  CHECK(shown("SVC.Core.PACKAGE.Info/1/get?Licence=abc-1") == "SVC.Core.PACKAGE.Info/1/get?Licence=<SECRET>");
  CHECK(shown("SVC.Core.Package/1/get?licence=abc-1") == "SVC.Core.Package/1/get?licence=abc-1");
  CHECK(shown("SVC.Core.Share/1/get?licence=abc-1") == "SVC.Core.Share/1/get?licence=abc-1");
  CHECK(shown("SVC.Core.Share/1/get?smtp.key=abc-1") == "SVC.Core.Share/1/get?smtp.key=<SECRET>");
  CHECK(shown("SVC.Core.Share/1/get?key=abc-1") == "SVC.Core.Share/1/get?key=abc-1");
  CHECK(shown("SVC.Core.Share/1/get?seed=abc-1") == "SVC.Core.Share/1/get?seed=abc-1");
  CHECK(shown(R"(SVC.Core.Share/1/get?a={"seed":"abc-1"})") == "SVC.Core.Share/1/get?a=<SECRET>");
  CHECK(shown("GET /x?licence=abc-1") == "GET /x?licence=<SECRET>");
  CHECK(shown("POST /x #27.0123456789abcdef<SECRET>1.0123456789abcdef") == "POST /x #body");
}

TEST_CASE("journal: shows no more of a long key than requested") {
  const JournalKeys keys(scrubbers::RuleSet::defaults());
  const api::RequestKey key = api::RequestKey::parse("SVC.Core.Share/1/get?a=1&b=2&c=3");
  CHECK(keys.text(key, nullptr, 20) == "SVC.Core.Share/1/get?a=1");
  CHECK(keys.text(key, nullptr, 100) == key.text);
}

}  // namespace tapedeck::journal
