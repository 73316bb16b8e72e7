// Small components: patterns, comparisons, and caches.
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>

#include "base/text_hash.h"
#include "base/two_generations.h"
#include "replay/recorded/cassette_set.h"
#include "replay/recorded/match.h"
#include "replay/recorded/playable.h"
#include "replay/recorded/reply.h"
#include "replay/recorded/sequence_lookup.h"
#include "tests/support/cassette_fixture.h"

namespace tapedeck::replay {
namespace {

TEST_CASE("replay: a redacted place matches any text that is not empty") {
  struct Row {
    std::string text, pattern;
    bool fits;
  };
  const std::vector<Row> rows = {
      {"abc", "abc", true},       {"abc", "abd", false},      {"abc", "<X>", true},         {"", "<X>", false},
      {"a/b/c", "a/<X>/c", true}, {"a//c", "a/<X>/c", false}, {"a/b/c/d", "a/<X>/d", true}, {"ab", "<X>b", true},
      {"b", "<X>b", false},       {"a-b-c", "<X>-<Y>", true}, {"a-b", "<X>-<Y>-c", false},  {"abc", "a<X>", true},
      {"a", "a<X>", false},       {"abc", "b<X>", false},     {"<X>", "<X:another>", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text, row.pattern);
    CHECK(fits_pattern(row.text, row.pattern) == row.fits);
  }
}

TEST_CASE("replay: keys are compared parameter by parameter") {
  struct Row {
    std::string asked, recorded, verdicts;
    std::size_t differences;
  };
  const std::vector<Row> rows = {
      {"A.B/1/get", "A.B/1/get", "", 0},
      {"A.B/1/get?a=1", "A.B/1/get?a=1", "a same;", 0},
      {"A.B/1/get?a=1&b=2", "A.B/1/get?a=2&c=3", "a differs;b extra;c missing;", 3},
      {"A.B/1/get?a=1&a=2", "A.B/1/get?a=1", "a same;a extra;", 1},
      {"A.B/1/get?p=x", "A.B/1/get?p=<PASSWORD>", "p same;", 0},
      {"A.B/2/get", "A.B/1/get", "", 1},
  };
  for (const Row& row : rows) {
    CAPTURE(row.asked, row.recorded);
    const Comparison comparison = compare(api::RequestKey::parse(row.asked), api::RequestKey::parse(row.recorded));
    std::string verdicts;
    for (const ParamVerdict& verdict : comparison.params) {
      verdicts.append(verdict.name).append(" ").append(to_string(verdict.likeness)).append(";");
    }
    CHECK(verdicts == row.verdicts);
    CHECK(comparison.differences() == row.differences);
  }
}

/// Returns "A.B/1/get?p1=x&p2=x…" with that many parameters. The value of number `other` differs.
std::string key_with(std::size_t params, std::size_t other = std::string::npos) {
  std::string text = "A.B/1/get";
  for (std::size_t i = 0; i < params; ++i) {
    const std::string number = std::to_string(100'000 + i);
    text.append(i == 0 ? "?p" : "&p").append(number).append(i == other ? "=other" : "=x");
  }
  return text;
}

TEST_CASE("replay: a comparison keeps fifty verdicts, differing ones first, and counts all") {
  const api::RequestKey key = api::RequestKey::parse(key_with(60'000));
  const Asked asked(key);

  const Comparison few = asked.compare(api::RequestKey::parse(key_with(2)));
  CHECK(few.params.size() == Asked::most_verdicts);
  CHECK(few.params.front().name == "p100002");  // equal parameters were left out
  CHECK(few.left_out == 60'000 - Asked::most_verdicts);
  CHECK(few.differences() == 59'998);
  CHECK_FALSE(few.names_all());

  const Comparison one = asked.compare(api::RequestKey::parse(key_with(60'000, 59'999)));
  CHECK(one.params.size() == Asked::most_verdicts);
  CHECK(one.params.back().name == "p159999");
  CHECK(one.params.back().likeness == Likeness::differs);
  CHECK(one.left_out == 60'000 - Asked::most_verdicts);
  CHECK(one.differences() == 1);
  CHECK(one.names_all());

  CHECK(compare(key, api::RequestKey::parse(key_with(2))).params.size() == 60'000);
}

TEST_CASE("replay: a comparison ends at the first parameter that must not differ") {
  const api::RequestKey key = api::RequestKey::parse("A.B/1/get?a=1&b=2&b=3&c=4&d=5");
  const Asked asked(key);
  std::string seen;
  const auto up_to = [&](std::string_view last) {
    return [&seen, last](std::string_view name, Likeness likeness) {
      seen.append(name).append(" ").append(to_string(likeness)).append(";");
      return name < last;
    };
  };
  CHECK_FALSE(asked.compare_if(api::RequestKey::parse("A.B/1/get?a=1&c=5&e=6"), up_to("b")));
  CHECK(seen == "a same;b extra;");
  seen.clear();
  const auto all = asked.compare_if(api::RequestKey::parse("A.B/1/get?a=1&b=2&c=5&e=6"), up_to("x"));
  CHECK(seen == "a same;b same;b extra;c differs;d extra;e missing;");
  REQUIRE(all);
  CHECK(all->differing == 4);
}

using TextCache = base::TwoGenerations<std::string, int, base::TextHash, std::equal_to<>>;

TEST_CASE("replay: the cache stays within its limit and keeps used entries") {
  TextCache cache(1000);
  for (int i = 0; i < 1000; ++i) {
    for (int times = 0; times < 2; ++times) cache.insert(std::to_string(i), i, 100);
    const int* const first = cache.find(std::string_view("0"));
    REQUIRE(first != nullptr);
    CHECK(*first == 0);
    CHECK(cache.size() <= 11);
  }
  CHECK(cache.find(std::string_view("500")) == nullptr);
}

TEST_CASE("replay: entries used once do not displace cached ones") {
  TextCache cache(1000);
  for (int i = 0; i < 4; ++i) {
    for (int times = 0; times < 2; ++times) cache.insert(std::to_string(i), i, 100);
  }
  for (int i = 100; i < 200; ++i) {
    cache.insert(std::to_string(i), i, 100);
    const int* const guest = cache.find(std::to_string(i));
    REQUIRE(guest != nullptr);
    CHECK(*guest == i);
  }
  for (int i = 0; i < 4; ++i) CHECK(cache.find(std::to_string(i)) != nullptr);
  CHECK(cache.find(std::string_view("150")) == nullptr);
  CHECK(cache.size() == 4);
}

TEST_CASE("replay: entries used alternately are cached from the second time on") {
  for (const auto& [keys, at_least] : {std::pair(288, 288), {864, 864}, {3'000, 2'900}}) {
    TextCache cache(1'000'000);
    for (int times = 0; times < 2; ++times) {
      for (int i = 0; i < keys; ++i) cache.insert("key" + std::to_string(i), i, 100);
    }
    CAPTURE(keys);
    CHECK(static_cast<int>(cache.size()) >= at_least);
  }
}

TEST_CASE("replay: entries larger than half of the cache do not displace others") {
  TextCache cache(1000);
  for (int times = 0; times < 3; ++times) {
    cache.insert("small", 1, 100);
    CHECK(*cache.insert("large", 2, 501) == 2);
    CHECK(cache.find(std::string_view("large")) != nullptr);
  }
  CHECK(cache.find(std::string_view("small")) != nullptr);
  CHECK(cache.size() == 1);
}

TEST_CASE("replay: the first thread uses the cassette's own connection, and each other thread opens one") {
  const std::string key = "SVC.FileStation.List/2/list";
  const auto cassette = testing::cassette_with({testing::record(key, "{}")});
  auto opened = std::make_shared<OpenCassette>(cassette.path(), 0, false);
  const auto first = reader_of(opened), second = reader_of(opened), third = reader_of(opened);
  CHECK(first.get() == &opened->reader);
  CHECK((second.get() != first.get() && third.get() != first.get() && third != second));
  const std::weak_ptr<const OpenCassette> held = opened;
  opened.reset();
  CHECK_FALSE(held.expired());  // as long as a thread uses it
  for (const auto& reader : {first, second, third}) CHECK(reader->sequences(key).size() == 1);
}

TEST_CASE("replay: a response too large for the cache is shared while it is sent, and then released") {
  const std::string key = "SVC.FileStation.List/2/list";
  const auto cassette = testing::cassette_with({testing::record(key, std::string(20'000, 'x'))});
  LookupOptions options;
  options.cache_bytes = 64 * 1024;
  SequenceLookup lookup(std::make_shared<const cassettes::CassetteReader>(cassette.path()), options);
  const cassettes::SequenceInfo sequence = lookup.find(api::RequestKey::parse(key)).sequences.at(0).info;
  const std::size_t before = http::BufferCharge::total();
  std::shared_ptr<const Playable> first = lookup.playable(sequence, 0);
  CHECK(lookup.playable(sequence, 0) == first);
  const std::size_t charged = http::BufferCharge::total() - before;
  CHECK((charged >= 20'000 && charged < 25'000));  // charged once for any number of clients
  const std::weak_ptr<const Playable> gone = first;
  first.reset();
  CHECK(gone.expired());
  CHECK(http::BufferCharge::total() == before);
  CHECK(lookup.playable(sequence, 0)->status() == 200);
}

TEST_CASE("replay: a response that leaves the cache while it is sent counts against the buffers") {
  std::vector<testing::Recorded> rows;
  const auto key = [](int i) { return "SVC.FileStation.List/2/list?n=" + std::to_string(i); };
  for (int i = 0; i < 40; ++i) rows.push_back(testing::record(key(i), std::to_string(i) + std::string(10'000, 'x')));
  const auto cassette = testing::cassette_with(std::move(rows));
  LookupOptions options;
  options.cache_bytes = 64 * 1024;
  SequenceLookup lookup(std::make_shared<const cassettes::CassetteReader>(cassette.path()), options);
  const auto played = [&](int i) {
    return lookup.playable(lookup.find(api::RequestKey::parse(key(i))).sequences.at(0).info, 0);
  };
  const std::size_t before = http::BufferCharge::total();
  const auto charged = [before] { return http::BufferCharge::total() - before; };
  std::vector<std::shared_ptr<const Playable>> sent;
  for (int i = 0; i < 40; ++i) sent.push_back(played(i));
  CHECK((charged() >= 30 * 10'000 && charged() < 40 * 11'000));
  sent.clear();
  CHECK(charged() == 0);
  for (int times = 0; times < 3; ++times) {
    for (int i = 0; i < 40; ++i) (void)played(i);
  }
  CHECK(charged() == 0);  // nothing that left the cache was being sent
}

TEST_CASE("replay: changing the head does not copy a recorded body") {
  const std::string key = "SVC.FileStation.List/2/list";
  const auto cassette =
      testing::cassette_with({testing::record(key, std::string(20'000, 'x')).with_header("X-A", "1")});
  SequenceLookup lookup(std::make_shared<const cassettes::CassetteReader>(cassette.path()), {});
  const auto playable = lookup.playable(lookup.find(api::RequestKey::parse(key)).sequences.at(0).info, 0);
  const Session session(Session::Kind::anonymous, "", {}, nullptr);
  Reply reply;
  reply.prepared = playable->prepare(session, {});
  const char* const body = reply.prepared->pieces.front().data();
  reply.set_outcome(Outcome::overlay);
  CHECK_FALSE(reply.prepared);
  CHECK(reply.response.headers.first("X-A") == "1");
  CHECK(reply.response.headers.first("X-Tapedeck-Outcome") == "overlay");
  CHECK(reply.response.body.empty());
  std::string room;
  CHECK(reply.body_in(room).data() == body);
  CHECK(reply.body_bytes() == 20'000);
  CHECK(reply.whole().body == std::string(20'000, 'x'));
  reply.to_response();
  CHECK(reply.response.body.size() == 20'000);
  CHECK(reply.body() == reply.response.body);
}

TEST_CASE("replay: the head for sending, and its rows") {
  cassettes::PlayedAnswer answer;
  answer.reason = "OK";
  answer.headers = std::make_shared<const http::Headers>(http::Headers{{"Content-Type", "text/plain"}});
  CHECK(sent_head(answer, false).text ==
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Tapedeck-Outcome: recorded\r\n");
  CHECK(sent_head(answer, false).rows.empty());
  scrubbers::Redaction row;
  row.part = scrubbers::Part::response_headers;
  row.offset = 14;
  row.length = 4;
  answer.redactions = {row};
  CHECK(sent_head(answer, false).rows.size() == 1);
}

}  // namespace
}  // namespace tapedeck::replay
