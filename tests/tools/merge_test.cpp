// Tests merging: generated cassettes of any shape, split, changed, and merged again.

#include "tools/merge.h"

#include <stdlib.h>

#include <catch2/catch.hpp>

#include <random>

#include "cassettes/finish/rewrite.h"
#include "cassettes/read/content_hash.h"
#include "tests/support/cassette_fixture.h"
#include "tests/support/needs.h"
#include "tools/content/edit.h"
#include "tools/content/rewrite.h"

namespace tapedeck::tools {

namespace {

using namespace testing;
using cassettes::CassetteReader;
using cassettes::ListedInteraction;
using cassettes::Material;
using cassettes::Rewriting;

std::string hash_of(const std::string& path) { return cassettes::content_hash(CassetteReader(path)); }

std::vector<ListedInteraction> lines_of(const std::string& path) {
  std::vector<ListedInteraction> lines;
  CassetteReader(path).list([&](const ListedInteraction& line) {
    lines.push_back(line);
    return true;
  });
  return lines;
}

std::set<std::string> ids_of(const std::string& path) {
  std::set<std::string> ids;
  for (const ListedInteraction& line : lines_of(path)) ids.insert(line.id);
  return ids;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(engine_); }
  std::string bytes(std::size_t most) {
    std::string text(below(most + 1), ' ');
    for (char& c : text) c = static_cast<char>(below(256));
    return text;
  }

 private:
  std::mt19937 engine_;
};

Recorded any_call(Random& random) {
  const std::string api = "SVC.Core.Api" + std::to_string(random.below(5)) + "/1/" + (random.below(4) ? "list" : "set");
  const std::string call = api + "?n=" + std::to_string(random.below(4));
  const std::string sid = random.below(3) == 0 ? std::string() : "Zq7Lw2RtXv9Kd3M" + std::to_string(random.below(3));
  switch (random.below(6)) {
    case 0:
      return record(call, error(static_cast<int>(105 + random.below(3))), sid);
    case 1:
      return record_target("POST", "/upload/" + std::to_string(random.below(3)), random.bytes(300));
    case 2:
      return record(call, R"({"data":{"sid":")" + sid + R"("},"success":true})", sid);
    case 3:
      return record(call, "{\"cut", sid).broken("cut");
    case 4:
      return login("ann", "Hn5Tc8YbWf1Jg6P" + std::to_string(random.below(4)));
    default:
      return record(call, R"({"data":{"n":)" + std::to_string(random.below(1000)) + R"(},"success":true})", sid);
  }
}

/// Creates a cassette with this number of takes, with any calls, some in scopes.
void make_cassette(const std::string& path, unsigned seed, std::size_t takes, std::size_t calls) {
  Random random(seed);
  for (std::size_t take = 0; take < takes; ++take) {
    std::vector<Recorded> rows;
    for (std::size_t i = 0; i < calls; ++i) {
      Recorded row = any_call(random);
      const std::size_t scope = random.below(6);
      if (scope < 3) row = std::move(row).in_scope("scope " + std::to_string(scope));
      rows.push_back(std::move(row));
    }
    cassettes::Take info = fixture_take();
    info.started_us += static_cast<std::int64_t>(take) * 1'000'000'000 + seed;
    record_take(path, std::move(rows), info);
  }
}

std::vector<MergeConflict> merge(const std::vector<std::string>& paths, const std::string& out,
                                 const std::string& base = {}, std::optional<std::size_t> prefer = {}) {
  std::vector<std::unique_ptr<Material>> open;
  std::vector<Material*> sides;
  for (const std::string& path : paths) {
    open.push_back(cassettes::open_material(path));
    sides.push_back(open.back().get());
  }
  const auto common = base.empty() ? nullptr : cassettes::open_material(base);
  Merged merged(sides, common.get(), {prefer, {}});
  if (!merged.conflicts().empty()) return merged.conflicts();
  std::filesystem::remove(out);
  const auto report = cassettes::write_new(out, merged, {});
  INFO(report.failure);
  REQUIRE(report.finished);
  return {};
}

using Keeps = std::function<bool(const ListedInteraction&)>;

void pick(const std::string& path, const std::string& out, const Keeps& keeps) {
  const auto content = cassettes::open_material(path);
  KeptMaterial part(*content, CassetteReader(path), keeps);
  REQUIRE(cassettes::write_new(out, part, {}).finished);
}

void keep_only(const std::string& path, const Keeps& keeps) {
  Rewriting rewriting(path);
  KeptMaterial part(rewriting.content(), rewriting.reader(), keeps);
  REQUIRE(rewriting.write(part, {}).finished);
}

void set_answer(const std::string& path, const std::string& id, const std::string& body) {
  scrubbers::Scrubber scrubber({});
  cassettes::RewriteOptions options;
  options.scrubber = &scrubber;
  Rewriting rewriting(path);
  Edited edited(rewriting.content(),
                {{id_number(id), [&](scrubbers::InteractionRecord& record) { set_body(record, body); }}});
  REQUIRE(rewriting.write(edited, options).finished);
}

}  // namespace

TEST_CASE("merge: any part and its complement give the whole") {
  const TestFolder folder;
  const std::string whole = folder.file("whole"), left = folder.file("left"), right = folder.file("right"),
                    out = folder.file("out");
  make_cassette(whole, 1, 3, tests::is_long() ? 3000 : 60);
  const std::string before = hash_of(whole);
  const std::vector<Keeps> cuts = {[](const ListedInteraction& line) { return line.id[0] < '8'; },
                                   [](const ListedInteraction& line) { return line.scope == "scope 1"; },
                                   [](const ListedInteraction& line) { return line.take == 2 && line.scope.empty(); },
                                   [](const ListedInteraction& line) { return line.session % 2 == 1; },
                                   [](const ListedInteraction&) { return false; }};
  for (const Keeps& cut : cuts) {
    for (const std::string& path : {left, right, out}) std::filesystem::remove(path);
    pick(whole, left, cut);
    pick(whole, right, [&](const ListedInteraction& line) { return !cut(line); });
    CHECK(lines_of(left).size() + lines_of(right).size() == lines_of(whole).size());
    CHECK(merge({left, right}, out).empty());
    CHECK(hash_of(out) == before);
    CHECK(ids_of(out) == ids_of(whole));
    CHECK(merge({right, left}, out).empty());
    CHECK(hash_of(out) == before);
  }
}

TEST_CASE("merge: is commutative, idempotent, and associative") {
  const TestFolder folder;
  const auto file = [&](const char* name) { return folder.file(name); };
  const std::string a = file("a"), b = file("b"), c = file("c");
  make_cassette(a, 11, 2, 40);
  std::filesystem::copy_file(a, b);
  std::filesystem::copy_file(a, c);
  // Without scopes, because these would be in conflict.
  const Keeps unscoped = [](const ListedInteraction& line) { return line.scope.empty(); };
  make_cassette(b, 12, 1, 40);
  make_cassette(c, 13, 2, 40);
  for (const std::string& path : {b, c}) keep_only(path, unscoped);
  CHECK(merge({a, a}, file("aa")).empty());
  CHECK(hash_of(file("aa")) == hash_of(a));
  CHECK(merge({a, b}, file("ab")).empty());
  CHECK(merge({b, a}, file("ba")).empty());
  CHECK(hash_of(file("ab")) == hash_of(file("ba")));
  CHECK(ids_of(file("ab")) == ids_of(file("ba")));
  CHECK(merge({file("ab"), b}, file("abb")).empty());
  CHECK(hash_of(file("abb")) == hash_of(file("ab")));
  CHECK(merge({b, c}, file("bc")).empty());
  CHECK(merge({file("ab"), c}, file("ab c")).empty());
  CHECK(merge({a, file("bc")}, file("a bc")).empty());
  CHECK(merge({c, b, a}, file("cba")).empty());
  CHECK(hash_of(file("ab c")) == hash_of(file("a bc")));
  CHECK(hash_of(file("cba")) == hash_of(file("a bc")));
  CHECK(CassetteReader(file("cba")).info().takes.size() == 5);
}

TEST_CASE("merge: one ID with two contents is a conflict, which a base or a preference resolves") {
  const TestFolder folder;
  const auto file = [&](const char* name) { return folder.file(name); };
  const std::string base = file("base"), a = file("a"), b = file("b");
  record_take(base,
              {record("SVC.Core.Share/1/list", std::string(ok)), record("SVC.Core.Share/1/get", std::string(ok))});
  std::filesystem::copy_file(base, a);
  std::filesystem::copy_file(base, b);
  const std::string id = lines_of(base)[0].id, other = lines_of(base)[1].id;
  set_answer(a, id, R"({"data":{"by":"a"},"success":true})");
  const auto conflicts = merge({a, b}, file("out"));
  REQUIRE(conflicts.size() == 1);
  CHECK(conflicts[0].id == id);
  CHECK(conflicts[0].kind == MergeConflict::Kind::interaction);
  CHECK_FALSE(std::filesystem::exists(file("out")));
  for (const std::vector<std::string>& sides : {std::vector{a, b}, std::vector{b, a}}) {
    CHECK(merge(sides, file("out"), base).empty());
    CHECK(hash_of(file("out")) == hash_of(a));
  }
  set_answer(b, id, R"({"data":{"by":"b"},"success":true})");
  CHECK(merge({a, b}, file("out"), base).size() == 1);
  CHECK(merge({a, b}, file("out"), base, 1).empty());
  CHECK(hash_of(file("out")) == hash_of(b));
  CHECK(merge({a, b}, file("out"), {}, 0).empty());
  CHECK(hash_of(file("out")) == hash_of(a));
  // Removed on one side: removed with a base; a conflict if the other side changed it.
  keep_only(b, [&](const ListedInteraction& line) { return line.id == id; });
  CHECK(merge({a, b}, file("out"), base, 1).empty());
  CHECK(ids_of(file("out")) == std::set{id});
  keep_only(a, [&](const ListedInteraction& line) { return line.id == other; });
  const auto removed = merge({a, b}, file("out"), base);
  REQUIRE(removed.size() == 1);
  CHECK(removed[0].id == id);
  CHECK(merge({a, b}, file("out"), base, 1).empty());
  CHECK(ids_of(file("out")) == std::set{id});
  CHECK(merge({a, b}, file("out"), base, 0).empty());
  CHECK(ids_of(file("out")).empty());
}

TEST_CASE("merge: a scope recorded on both sides is one conflict, and a pruned scope stays pruned") {
  const TestFolder folder;
  const auto file = [&](const char* name) { return folder.file(name); };
  const std::string base = file("base"), a = file("a"), b = file("b");
  const auto scoped = [](const char* scope, int n) {
    return record("SVC.Core.Share/1/list", R"({"data":{"n":)" + std::to_string(n) + R"(},"success":true})")
        .in_scope(scope);
  };
  const auto later = [](std::int64_t by) {
    cassettes::Take take = fixture_take();
    take.started_us += by * 1'000'000;
    return take;
  };
  record_take(base, {scoped("one", 1), scoped("two", 2), record("SVC.Core.Share/1/get", std::string(ok))});
  std::filesystem::copy_file(base, a);
  std::filesystem::copy_file(base, b);
  record_take(a, {scoped("three", 3)}, later(10));
  record_take(b, {scoped("four", 4), scoped("two", 5)}, later(20));
  // A scope that only one side has recorded again is not a conflict.
  CHECK(merge({a, b}, file("out"), base).empty());
  const CassetteReader both(file("out"));
  CHECK(both.scope("two").size() == 2);
  CHECK(both.scope("three").size() == 1);
  CHECK(both.info().takes.size() == 3);
  record_take(a, {scoped("two", 6), scoped("two", 7)}, later(30));
  for (const std::string& with : {base, std::string()}) {
    const auto conflicts = merge({a, b}, file("out"), with);
    REQUIRE(conflicts.size() == 1);
    CHECK(conflicts[0].kind == MergeConflict::Kind::scope);
    CHECK(conflicts[0].scope == "two");
  }
  CHECK(merge({a, b}, file("out"), base, 0).empty());
  CHECK(CassetteReader(file("out")).scope("two").front().take == 4);
  CHECK(CassetteReader(file("out")).scope("four").size() == 1);
  for (const ListedInteraction& line : lines_of(file("out"))) {
    if (line.take == 3) CHECK(line.scope == "four");
  }
  keep_only(a, [](const ListedInteraction& line) { return line.scope != "one" && line.scope != "two"; });
  CHECK(merge({a, b}, file("out"), base).empty());
  CHECK(CassetteReader(file("out")).scope("one").empty());
  CHECK(CassetteReader(file("out")).scope("two").size() == 1);
  CHECK(merge({a, b}, file("out")).empty());
  CHECK(CassetteReader(file("out")).scope("one").size() == 1);
}

TEST_CASE("merge: a take on two sides keeps the older policy and program by numeric order") {
  const std::pair<std::string, std::string> rows[] = {{"policy 9", "policy 10"},
                                                      {"policy 2", "policy 2, json-x off"},
                                                      {"1.9.3", "1.10.0"},
                                                      {"0.9", "0.10-dev"},
                                                      {"policy 09", "policy 9"}};
  for (const auto& [older, newer] : rows) {
    CAPTURE(older, newer);
    const TestFolder folder;
    const std::string a = folder.file("a"), b = folder.file("b"), out = folder.file("out");
    for (const auto& [path, text] : {std::pair(a, older), std::pair(b, newer)}) {
      cassettes::Take info = fixture_take();
      info.id = "sixteen bytes id";
      info.tool_version = info.scrub_policy = text;
      record_take(path, {record("SVC.Core.Network/1/get", ok)}, info);
    }
    for (const std::vector<std::string>& sides : {std::vector{a, b}, std::vector{b, a}}) {
      CHECK(merge(sides, out).empty());
      const auto takes = cassettes::open_material(out)->head().takes;
      REQUIRE(takes.size() == 1);
      CHECK(takes[0].tool_version == older);
      CHECK(takes[0].scrub_policy == older);
    }
  }
}

}  // namespace tapedeck::tools
