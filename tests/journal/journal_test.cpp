#include "journal/journal.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/support/cassette_fixture.h"

namespace tapedeck::journal {
namespace {

using nlohmann::json;

JournalEntry entry(const std::string& api, const std::string& outcome) {
  JournalEntry made;
  made.verb = "GET";
  made.api = api;
  made.method = "get";
  made.key = api + "/1/get";
  made.outcome = outcome;
  made.status = 200;
  return made;
}

std::vector<json> lines_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
  return lines;
}

}  // namespace

TEST_CASE("journal: keeps the last entries and numbers all") {
  Journal journal({3, ""});
  CHECK(journal.oldest() == 1);
  CHECK(journal.entries(1, 10).empty());
  for (int i = 0; i < 5; ++i) journal.add(entry("SVC.A", "recorded"));
  CHECK(journal.total() == 5);
  CHECK(journal.oldest() == 3);
  const auto kept = journal.entries(0, 10);
  REQUIRE(kept.size() == 3);
  CHECK(kept.front()->number == 3);
  CHECK(kept.back()->number == 5);
  CHECK(journal.entries(4, 1).at(0)->number == 4);
  CHECK(journal.entries(6, 1).empty());
  REQUIRE(journal.totals().size() == 1);
  CHECK(journal.totals().front().count == 5);
}

TEST_CASE("journal: removes secrets that are known at reading from every text of a client or device") {
  const testing::TestFolder folder;
  Journal journal({10, folder.file("j")});
  std::set<std::string> known = {"early"};
  journal.hide_with([&known](std::string_view text) {
    std::string out(text);
    for (const std::string& value : known) {
      for (std::size_t at = out.find(value); at != std::string::npos; at = out.find(value))
        out.replace(at, value.size(), "<X>");
    }
    return out;
  });
  JournalEntry made;
  for (const NamedMember& member : named_members) made.*member.text = "early late";
  made.outcome = "recorded";
  journal.add(made);
  made.api = "early other";
  journal.add(made);
  for (const NamedMember& member : named_members) CHECK((*journal.entries(1, 1).at(0)).*member.text == "<X> late");
  CHECK(journal.totals().size() == 2);
  known = {"early", "late", "other"};
  const JournalLine line = journal.entries(1, 1).at(0);
  for (const NamedMember& member : named_members) CHECK((*line).*member.text == "<X> <X>");
  CHECK(to_json(*line).find("late") == std::string::npos);
  CHECK(line->outcome == "recorded");
  REQUIRE(journal.totals().size() == 1);  // both names are equal after scrubbing
  CHECK(journal.totals().front().api == "<X> <X>");
  CHECK(journal.totals().front().count == 2);
  CHECK(journal.hidden("late") == "<X>");
}

TEST_CASE("journal: totals beyond the limit are counted together") {
  Journal journal;
  for (int i = 0; i < 10'010; ++i) journal.add(entry("SVC.A" + std::to_string(i), "miss"));
  const auto totals = journal.totals();
  REQUIRE(totals.size() == 10'001);
  CHECK(totals.front().api == "(other)");
  CHECK(totals.front().count == 10);
}

TEST_CASE("journal: a wait ends with the next entry, the deadline, or the server") {
  using Clock = std::chrono::steady_clock;
  Journal journal;
  CHECK_FALSE(journal.wait_beyond(0, Clock::now() + std::chrono::milliseconds(5)));
  std::thread adding([&journal] { journal.add(entry("SVC.A", "recorded")); });
  CHECK(journal.wait_beyond(0, Clock::now() + std::chrono::seconds(20)));
  adding.join();
  std::thread stopping([&journal] { journal.stop_waiting(); });
  CHECK_FALSE(journal.wait_beyond(1, Clock::now() + std::chrono::seconds(20)));
  stopping.join();
}

TEST_CASE("journal: many threads lose no entry") {
  const testing::TestFolder folder;
  const std::string path = folder.file("journal");
  {
    Journal journal({100, path});
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&journal] {
        for (int i = 0; i < 500; ++i) journal.add(entry("SVC.A", "recorded"));
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(journal.total() == 2'000);
    CHECK(journal.not_written() == 0);
  }
  const auto lines = lines_of(path);
  REQUIRE(lines.size() == 2'000);
  for (std::size_t i = 0; i < lines.size(); ++i) REQUIRE(lines[i]["number"] == i + 1);
}

TEST_CASE("journal: the file is private, is appended to, and is never a link or device") {
  const testing::TestFolder folder;
  const std::string path = folder.file("journal");
  for (int run = 0; run < 2; ++run) {
    Journal journal({10, path});
    journal.add(entry("SVC.A\n\xff", "recorded"));
  }
  CHECK(lines_of(path).size() == 2);
  struct stat found {};
  REQUIRE(stat(path.c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);
  const std::string link = folder.file("link");
  REQUIRE(symlink(path.c_str(), link.c_str()) == 0);
  CHECK_THROWS_AS(Journal({10, link}), std::runtime_error);
  CHECK_THROWS_AS(Journal({10, "/dev/null"}), std::runtime_error);
  CHECK_THROWS_AS(Journal({10, folder.file("no/such")}), std::runtime_error);
}

TEST_CASE("journal: runs that clean their lines at the end neither lose nor change the lines of others") {
  const testing::TestFolder folder;
  const std::string path = folder.file("journal");
  const auto hide = [](std::string_view text) { return std::string(text); };
  const auto clean = [](std::string_view lines) {
    std::string changed(lines);
    for (std::size_t at = 0; (at = changed.find("SVC.Late", at)) != std::string::npos;) changed.replace(at, 8, "SVC.C");
    return changed;
  };
  {
    Journal plain({10, path}), first({10, path}), second({10, path}), killed({10, path});
    plain.add(entry("SVC.Plain", "recorded"));
    for (Journal* const run : {&first, &second, &killed}) {
      run->hide_with(hide);
      run->add(entry("SVC.Late", "recorded"));
    }
    second.add(entry("SVC.Other", "recorded"));
    first.finish_file(clean);
    second.finish_file(clean);
  }
  std::multiset<std::string> apis;
  for (const auto& line : lines_of(path)) apis.insert(line["api"].get<std::string>());
  CHECK(apis == std::multiset<std::string>{"SVC.C", "SVC.C", "SVC.Other", "SVC.Plain"});
  // The lines of a run that did not come to its end stay in its part.
  CHECK_FALSE(std::filesystem::exists(path + ".part-1"));
  CHECK_FALSE(std::filesystem::exists(path + ".part-2"));
  REQUIRE(lines_of(path + ".part-3").size() == 1);
  for (const bool has_lines : {true, false}) {
    Journal next({10, path});
    next.hide_with(hide);
    if (has_lines) next.add(entry("SVC.Late", "recorded"));
    if (has_lines) next.finish_file(clean);
  }
  CHECK(lines_of(path + ".part-3").size() == 1);
  CHECK_FALSE(std::filesystem::exists(path + ".part-1"));
}

TEST_CASE("journal: a file that is not a journal stays unchanged") {
  const testing::TestFolder folder;
  for (const std::string& text :
       {std::string("mine\n"), std::string("SQLite format 3\0...", 19), std::string("{\"a\":1}\n")}) {
    const std::string path = folder.file("somebody's");
    std::ofstream(path, std::ios::binary) << text;
    CHECK_THROWS_AS(Journal({10, path}), std::runtime_error);
    std::ifstream in(path, std::ios::binary);
    CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == text);
  }
  std::ofstream(folder.file("empty"));
  CHECK_NOTHROW(Journal({10, folder.file("empty")}));
}

}  // namespace tapedeck::journal
