// Tests untrusted files: valid ones are mutated, and are then read or refused with the error of their reader.
// TAPEDECK_MUTATIONS sets the number of each kind, and TAPEDECK_SEED the seed. A build with sanitizers finds more.
// Cassettes are tested in tests/cassettes/damage_test.cpp.

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <sstream>

#include "base/toml_file.h"
#include "cassettes/finish/rewrite.h"
#include "cassettes/read/content_hash.h"
#include "replay/match_rules.h"
#include "replay/overlays/overlay_file.h"
#include "replay/overlays/overlay_writer.h"
#include "scrubbers/private/private_profile.h"
#include "scrubbers/rules/scrub_rule.h"
#include "tests/support/cassette_fixture.h"
#include "tools/exchange/har_export.h"
#include "tools/exchange/har_import.h"
#include "tools/exchange/import_error.h"
#include "tools/exchange/jsonl_export.h"
#include "tools/exchange/jsonl_import.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteReader;

namespace {

unsigned number_from(const char* name, unsigned otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? static_cast<unsigned>(std::stoul(value)) : otherwise;
}

/// Changes texts randomly: bytes, pieces of themselves and of other files of the kind, and words that readers
/// recognize.
class Mutator {
 public:
  explicit Mutator(std::vector<std::string> seeds)
      : random_(number_from("TAPEDECK_SEED", 20261126)), seeds_(std::move(seeds)) {}

  std::string next() {
    std::string text = pick(seeds_);
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : static_cast<std::size_t>(random_() % limit); }
  const std::string& pick(const std::vector<std::string>& list) { return list[below(list.size())]; }

  void change(std::string& text) {
    static const std::vector<std::string> words = {"{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   "[[",
                                                   "\"",
                                                   "\\",
                                                   ",",
                                                   ":",
                                                   "=",
                                                   "\n",
                                                   "\r\n",
                                                   "0",
                                                   "-1",
                                                   "1e999",
                                                   "null",
                                                   "true",
                                                   "18446744073709551616",
                                                   "\\u0000",
                                                   "\\ud800",
                                                   "{{",
                                                   "}}",
                                                   "{{x}}",
                                                   "*",
                                                   "**",
                                                   "%00",
                                                   "'''",
                                                   "\"\"\"",
                                                   "\xEF\xBB\xBF",
                                                   "\xff\xfe",
                                                   "9223372036854775807",
                                                   "1979-05-27T07:32:00Z",
                                                   "inf",
                                                   "nan",
                                                   "(a+)+$"};
    const std::size_t at = below(text.size() + 1), size = std::min(1 + below(30), text.size() - at);
    switch (below(8)) {
      case 0:
        if (size > 0) text[at] = static_cast<char>(random_());
        break;
      case 1:
        if (size > 0) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 2:
        text.erase(at, size);
        break;
      case 3:
        text.insert(at, pick(words));
        break;
      case 4:
        text.replace(at, size, pick(words));
        break;
      case 5:
        repeat(text, at, size);
        break;
      case 6: {
        const std::string& other = pick(seeds_);
        text.insert(at, other, below(other.size()), below(200));
        break;
      }
      default:
        text.resize(at);
    }
  }

  /// Repeats a piece up to 20,000 bytes, to increase nesting.
  void repeat(std::string& text, std::size_t at, std::size_t size) {
    const std::string piece = text.substr(at, std::min<std::size_t>(size, 1 + below(4)));
    std::string many;
    for (std::size_t times = below(5000); times > 0; --times) many += piece;
    text.insert(at, many);
  }

  std::mt19937 random_;
  std::vector<std::string> seeds_;
};

/// Passes mutated texts to `read`, which returns false if it refused one. Both results must occur.
template <class Read>
void read_mutated(std::vector<std::string> seeds, Read&& read) {
  for (const std::string& seed : seeds) {
    CAPTURE(seed);
    REQUIRE(read(seed));
  }
  Mutator mutator(std::move(seeds));
  const unsigned count = number_from("TAPEDECK_MUTATIONS", 300);
  unsigned refused = 0;
  for (unsigned i = 0; i < count; ++i) {
    CAPTURE(i);
    refused += read(mutator.next()) ? 0 : 1;
  }
  CHECK(refused > count / 10);
  CHECK(refused < count);
}

TestCassette small_cassette() {
  const std::string id = "kR7vQ2mZxT9pLw4BnC8dHs1FgYjAe6", ok = R"({"success":true})";
  return cassette_with({
      login("tester", id),
      record("SVC.Core.Network/1/get", R"({"data":{"gateway":"192.0.2.1"},"success":true})", id),
      record("SVC.Core.AppPortal/1/list", R"({"data":["\u00e4",1.0],"success":true})", id)
          .with_header("X-Note", "kept"),
      record("SVC.Core.Cut/1/get", "", id).broken("cut"),
      record_target("POST", target_of("SVC.Core.Network/2/set", id), ok).with_form("hostname=nas").in_scope("one"),
      record_target("GET", "/scripts/boot.js", std::string("\x01\xff", 2) + std::string(300, 'a')),
  });
}

/// Reads all of a cassette.
void use(const std::string& path) {
  const CassetteReader reader(path);
  reader.each([](const cassettes::FullInteraction&) { return true; });
  static_cast<void>(cassettes::content_hash(reader));
}

/// Imports to a new file; a refused one leaves none.
template <class Import>
bool imports(const TestFolder& folder, Import&& import) {
  const std::string path = folder.file("x.cassette");
  bool is_imported = true;
  try {
    const cassettes::FinishReport report = import(path);
    CHECK(report.failure == "");
    if (report.finished) use(path);
  } catch (const tools::ImportError&) {
    is_imported = false;
    CHECK(std::filesystem::is_empty(folder.path()));
  }
  std::filesystem::remove(path);
  return is_imported;
}

}  // namespace

TEST_CASE("mutated: a HAR is imported as a whole or refused without a file") {
  const TestCassette cassette = small_cassette();
  std::ostringstream exported;
  tools::HarExport har(exported, "https://nas.example");
  har.add(CassetteReader(cassette.path()), {});
  har.end();
  const std::string browser = R"({"log":{"entries":[{"startedDateTime":"2026-01-01T12:00:00.1234567+01:00","time":3,
    "request":{"method":"POST","url":"http://nas.example/webapi/entry.cgi?api=SVC.A&version=1&method=get",
      "headers":[{"name":"Cookie","value":"id=x"}],"queryString":[{"name":"api","value":"SVC.A"}],
      "postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"a","value":"1"}],"text":"a=1"}},
    "response":{"status":200,"statusText":"OK","headers":[{"name":"Content-Encoding","value":"gzip"}],
      "content":{"size":16,"mimeType":"application/json","text":"eyJzdWNjZXNzIjp0cnVlfQ==","encoding":"base64"}}}]}})";
  const TestFolder folder;
  read_mutated({exported.str(), browser}, [&](const std::string& text) {
    return imports(folder, [&](const std::string& path) { return tools::import_har(text, path, {}).report; });
  });
}

TEST_CASE("mutated: JSON lines are imported as a whole or refused without a file") {
  const TestCassette cassette = small_cassette();
  std::ostringstream exported;
  tools::export_jsonl(cassette.path(), {}, exported);
  const TestFolder folder;
  read_mutated({exported.str()}, [&](const std::string& text) {
    return imports(folder, [&](const std::string& path) {
      std::istringstream in(text);
      const auto material = tools::jsonl_material(in, {});
      scrubbers::Scrubber scrubber({});
      cassettes::RewriteOptions options;
      options.scrubber = &scrubber;
      return cassettes::write_new(path, *material, options);
    });
  });
}

TEST_CASE("mutated: a configuration is read or refused in one line") {
  const std::vector<std::string> seeds = {
      R"([scrub]
disable = ["json-cam-user"]
[[scrub.rule]]
id = "license-key"
reason = "bought"
scope = "json_key"
match = "data.*.license"
api = "Core.Package.*"
method = "get"
class = "token"
learn = true
[[scrub.rule]]
id = "a-pattern"
reason = '''shape'''
scope = "body_pattern"
match = 'key-([a-z]{4,9})\b'
[private]
keep = ["familyphotos", "192.168.1.1"]
replace = ["ACME Workshop"]
)",
      R"([[replay.match]]
api = "Core.Share"
method = "list"
ignore = ["limit", "_dc"]
any_version = true
at_end = "loop"
[[replay.match]]
api = "Core.User"
bind = ["name"]
)"};
  read_mutated(seeds, [](const std::string& text) {
    try {
      const base::TomlFile file = base::TomlFile::parse(text, "tapedeck.toml");
      scrubbers::RuleSet rules = scrubbers::RuleSet::defaults();
      scrubbers::apply_rules(file, rules);
      scrubbers::PrivateOptions private_data;
      scrubbers::apply_private(file, private_data);
      replay::ReplayOptions options;
      replay::apply_match_rules(file, options);
      scrubbers::ScrubberOptions scrubbing;
      scrubbing.rules = rules;
      const auto interaction = record("SVC.A/1/get", R"({"key":"key-abcde"})").interaction;
      static_cast<void>(scrubbers::Scrubber(scrubbing).scrub(interaction));
      return true;
    } catch (const std::invalid_argument& error) {
      CAPTURE(std::string(error.what()));
      CHECK(std::string(error.what()).find('\n') == std::string(error.what()).find("\nhint: "));
      return false;
    }
  });
}

TEST_CASE("mutated: overlays of a file and of the control API are read and written or refused") {
  const std::string file = R"([[overlay]]
name  = "volume crashed"
call  = "Core.Storage.Volume/1/list"
params = { limit = "*", offset = 0 }
account = "ann"
scope = "a%20test"
state = "broken"
after = "Core.Share/1/create"
times = 2
data  = { volumes = [{ id = "{{param.id}}" }] }
status = 503
headers = { Retry-After = "1", Server = "" }
delay = "800ms"
then  = "healed"
[[overlay]]
call = "Core.User/*/list"
json = "{\"a\":\"{{param.name}} {{count}}\"}"
fault = "cut"
cut = 3
[[overlay]]
call = "Core.Share/1/list"
answers = [{ data = { progress = 50 }, delay = "200ms" }, { error = { code = 407, errors = {} } }]
at_end = "loop"
[[overlay]]
call = "Core.Share/1/list"
patch = [{ op = "replace", path = "/data/shares/0/name", value = "photo" }, { op = "remove", path = "/data/total" }]
[[effect]]
on = "FileStation.CreateFolder/*/create"
[[effect.change]]
in     = "FileStation.List/*/list"
where  = { folder_path = "{{param.folder_path}}" }
insert = { at = "/data/files", like = 0, set = { name = "{{param.name}}", isdir = true } }
count  = "/data/total"
)";
  const std::string posted = R"({"set":"s","scope":"one","overlays":[{"call":"Core.Share/1/list","error":407,"times":3},
    {"call":"Core.User/1/*","data":{"users":[{"name":"{{param.name}}"}],"n":1.5},"delay":"1s"}],
    "effects":[]})";
  const auto is_read = [](auto&& read) {
    try {
      read();
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  };
  read_mutated({file}, [&](const std::string& text) {
    return is_read([&] {
      auto found = replay::read_overlay_toml(text, "x.toml", "/nonexistent");
      const auto numbered = replay::number_overlays(std::move(found.overlays), "");
      const std::string written = replay::overlays_toml(numbered);
      CHECK(replay::read_overlay_toml(written, "y.toml", "/nonexistent").overlays.size() == numbered.size());
    });
  });
  read_mutated({posted}, [&](const std::string& text) {
    return is_read([&] {
      auto found = replay::read_posted_overlays(text);
      static_cast<void>(replay::overlays_toml(replay::number_overlays(std::move(found.overlays), "s")));
    });
  });
}
