// Tests properties of every cassette on generated ones: any bytes, any order, scopes, takes, sequences. With
// TAPEDECK_LONG, they have 10,000 interactions.

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "cassettes/finish/rewrite.h"
#include "cassettes/read/content_hash.h"
#include "tests/support/needs.h"
#include "tests/tools/any_traffic.h"
#include "tools/content/edit.h"
#include "tools/content/marks.h"
#include "tools/content/rewrite.h"
#include "tools/exchange/jsonl_export.h"
#include "tools/exchange/jsonl_import.h"
#include "tools/exchange/text_export.h"
#include "tools/merge.h"

namespace tapedeck::tools {

namespace {

using namespace testing;
using cassettes::CassetteReader;
using cassettes::ListedInteraction;
using cassettes::Material;

constexpr int long_size = 10'000, usual_size = 150;

int size() { return tests::is_long() ? long_size : usual_size; }

std::string content_hash_of(const std::string& path) { return cassettes::content_hash(CassetteReader(path)); }

/// Creates a cassette with three takes.
void make(const std::string& path, std::uint32_t seed) {
  constexpr int takes = 3;
  Traffic traffic(seed);
  cassettes::Take info = fixture_take();
  for (int take = 0; take < takes; ++take) {
    info.started_us += 60'000'000 + seed;
    record_take(path, traffic.take(size() / takes), info);
  }
}

void write(const std::string& path, Material& content, bool is_edited = false) {
  std::filesystem::remove(path);
  scrubbers::Scrubber scrubber({});
  cassettes::RewriteOptions options;
  if (is_edited) options.scrubber = &scrubber;
  const cassettes::FinishReport report = cassettes::write_new(path, content, options);
  INFO(report.failure);
  REQUIRE(report.finished);
}

using Keeps = std::function<bool(const ListedInteraction&)>;

void pick_kept(const std::string& path, const std::string& out, const Keeps& keeps) {
  const auto content = cassettes::open_material(path);
  KeptMaterial part(*content, CassetteReader(path), keeps);
  write(out, part);
}

/// Returns false if there is a conflict.
bool merge(const std::string& a, const std::string& b, const std::string& out) {
  const auto left = cassettes::open_material(a), right = cassettes::open_material(b);
  Merged merged({left.get(), right.get()}, nullptr, {});
  if (!merged.conflicts().empty()) return false;
  write(out, merged);
  return true;
}

/// Returns the marked body of every complete response, except those with redactions that no text can restore.
std::map<std::uint64_t, std::string> bodies_of(const std::string& path) {
  std::map<std::uint64_t, std::string> bodies;
  CassetteReader(path).each([&](const cassettes::FullInteraction& full) {
    if (full.line.completeness != api::Completeness::complete) return true;
    const scrubbers::InteractionRecord& record = full.record;
    std::string body = with_marks(record.response.body, rows_of(record.redactions, scrubbers::Part::response_body));
    if (body.find("{{redaction.") == std::string::npos) bodies[id_number(full.line.id)] = std::move(body);
    return true;
  });
  return bodies;
}

void set_all(const std::string& path, const std::map<std::uint64_t, std::string>& bodies) {
  std::map<std::uint64_t, Edited::Change> changes;
  for (const auto& [id, body] : bodies) {
    changes[id] = [&body = body](scrubbers::InteractionRecord& record) { set_body(record, body); };
  }
  cassettes::Rewriting rewriting(path);
  Edited edited(rewriting.content(), std::move(changes));
  scrubbers::Scrubber scrubber({});
  cassettes::RewriteOptions options;
  options.scrubber = &scrubber;
  const cassettes::FinishReport report = rewriting.write(edited, options);
  INFO(report.failure);
  REQUIRE(report.finished);
}

}  // namespace

TEST_CASE("properties: exporting and importing the full text keeps the hash") {
  for (const std::uint32_t seed : {101U, 102U}) {
    const TestFolder folder;
    const std::string whole = folder.file("whole"), copy = folder.file("copy");
    make(whole, seed);
    std::stringstream text;
    export_jsonl(whole, {}, text);
    const auto material = jsonl_material(text, {});
    write(copy, *material, true);
    CHECK(content_hash_of(copy) == content_hash_of(whole));
  }
}

TEST_CASE("properties: merging is commutative and idempotent and joins a part with its complement") {
  for (const std::uint32_t seed : {201U, 202U}) {
    const TestFolder folder;
    const std::string whole = folder.file("whole"), other = folder.file("other"), out = folder.file("out"),
                      back = folder.file("back"), left = folder.file("left"), right = folder.file("right");
    make(whole, seed);
    make(other, seed + 50);
    const std::string hash = content_hash_of(whole);
    REQUIRE(merge(whole, whole, out));
    CHECK(content_hash_of(out) == hash);
    const std::vector<Keeps> cuts = {
        [](const ListedInteraction& line) { return line.id[3] < '8'; },
        [](const ListedInteraction& line) { return line.position % 2 == 0; },
        [](const ListedInteraction& line) { return line.effect == api::Effect::write || line.take == 1; }};
    for (const Keeps& unscoped : cuts) {
      // A scope is a unit, so its takes stay on one side.
      const Keeps cut = [&](const ListedInteraction& line) {
        return line.scope.empty() ? unscoped(line) : line.scope.size() % 2 == 0;
      };
      pick_kept(whole, left, cut);
      pick_kept(whole, right, [&](const ListedInteraction& line) { return !cut(line); });
      REQUIRE(merge(left, right, out));
      CHECK(content_hash_of(out) == hash);
      REQUIRE(merge(right, left, back));
      CHECK(content_hash_of(back) == hash);
    }
    // Scopes recorded on both sides would be conflicts.
    pick_kept(other, right, [](const ListedInteraction& line) { return line.scope.empty(); });
    REQUIRE(merge(whole, right, out));
    REQUIRE(merge(right, whole, back));
    CHECK(content_hash_of(out) == content_hash_of(back));
    CHECK(content_hash_of(out) != hash);
    REQUIRE(merge(out, right, left));
    CHECK(content_hash_of(left) == content_hash_of(out));
    CHECK_FALSE(merge(whole, other, left));
  }
}

TEST_CASE("properties: setting a response and setting it back keeps the hash") {
  for (const std::uint32_t seed : {301U, 302U}) {
    const TestFolder folder;
    const std::string path = folder.file("whole");
    make(path, seed);
    const std::string hash = content_hash_of(path);
    const auto bodies = bodies_of(path);
    std::map<std::uint64_t, std::string> others;
    for (const auto& [id, body] : bodies) others[id] = R"({"data":{"set":)" + std::to_string(id % 100) + "}}";
    set_all(path, others);
    CHECK(content_hash_of(path) != hash);
    CHECK(bodies_of(path) == others);
    set_all(path, bodies);
    CHECK(content_hash_of(path) == hash);
  }
}

}  // namespace tapedeck::tools
