// Tests the journal as a stream: batches, gaps, comments.

#include "inspector/event_stream.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace tapedeck::inspector {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

void add(journal::Journal& journal, int count) {
  for (int i = 0; i < count; ++i) {
    journal::JournalEntry entry;
    entry.key = "GET /\n" + std::to_string(i);
    journal.add(std::move(entry));
  }
}

/// Returns the data of the events with that name.
std::vector<json> data_of(const std::string& text, const std::string& name) {
  std::vector<json> found;
  const std::string mark = "event: " + name + "\ndata: ";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size();
    found.push_back(json::parse(text.substr(begin, text.find('\n', begin) - begin)));
  }
  return found;
}

}  // namespace

TEST_CASE("stream: sends at most two hundred entries in an event and then continues") {
  journal::Journal journal;
  add(journal, 450);
  EventStream stream(journal, 1);
  std::vector<std::size_t> sizes;
  std::uint64_t next = 1;
  for (int i = 0; i < 3; ++i) {
    const std::string text = stream.next(milliseconds(10));
    const auto rows = data_of(text, "rows");
    REQUIRE(rows.size() == 1);
    sizes.push_back(rows[0].size());
    for (const json& row : rows[0]) CHECK(row["number"] == next++);
    CHECK(text.starts_with("id: " + std::to_string(next - 1) + "\n"));
    CHECK(text.ends_with("\n\n"));
  }
  CHECK(sizes == std::vector<std::size_t>{200, 200, 50});
  CHECK(stream.next(milliseconds(1)).empty());
}

TEST_CASE("stream: reports every gap in the entries") {
  journal::Journal journal({100, ""});
  EventStream stream(journal, 1);
  std::uint64_t seen = 0;
  for (int round = 0; round < 4; ++round) {
    add(journal, round == 2 ? 500 : 80);
    for (std::string text = stream.next(milliseconds(1)); !text.empty(); text = stream.next(milliseconds(1))) {
      for (const json& gap : data_of(text, "gap")) {
        CHECK(gap["from"] == seen + 1);
        seen = gap["to"].get<std::uint64_t>();
      }
      for (const json& rows : data_of(text, "rows")) {
        for (const json& row : rows) CHECK(row["number"] == ++seen);
      }
    }
  }
  CHECK(seen == journal.total());
}

TEST_CASE("stream: a stream that begins in the future waits") {
  journal::Journal journal;
  add(journal, 3);
  EventStream stream(journal, 4);
  CHECK(stream.next(milliseconds(1)).empty());
  add(journal, 1);
  CHECK(data_of(stream.next(milliseconds(10)), "rows").at(0).at(0)["number"] == 4);
}

}  // namespace tapedeck::inspector
