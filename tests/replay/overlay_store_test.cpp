#include "replay/overlays/overlay_store.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/cassette_fixture.h"

namespace tapedeck::replay {
namespace {

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string stored_rule(const std::string& name, const std::string& lines = "error = 1") {
  return "[[overlay]]\nname = \"" + name + "\"\ncall = \"Core.Share/1/list\"\n" + lines + "\n";
}

std::string names(const OverlayStore& store) {
  std::string text;
  for (const OverlaySet::Rule& one : store.current()->rules()) text += one.overlay->name + " ";
  return text;
}

/// Returns the overlay that responds to that owner.
std::string ask(OverlayStore& store, const std::string& owner = "ann") {
  const api::Call call("SYNO.Core.Share", "1", "list", {});
  const auto set = store.current();
  const auto composed =
      set->compose(set->candidates({&call, "GET", "/"}), {"ann", "", owner}, store.counts());
  return composed.answering ? composed.answering->overlay->name : "";
}

/// Looks until there is a log line, at most `looks` times.
std::string wait_for_word(OverlayStore& store, int looks = 20) {
  for (; looks > 0; --looks) {
    if (auto line = store.look_again()) return *line;
  }
  return "";
}

TEST_CASE("overlays: changed files are read again, and unchanged rules keep their counts") {
  const testing::TestFolder dir;
  const std::string a = dir.file("a.toml");
  const std::string b = dir.file("b.toml");
  write(a, stored_rule("first", "error = 1\ntimes = 1") + stored_rule("second", "error = 1\ntimes = 1"));
  write(b, stored_rule("third"));
  OverlayStore store({a, b});
  CHECK(names(store) == "first second third ");
  CHECK(ask(store) == "first");
  CHECK(ask(store) == "second");
  CHECK(wait_for_word(store, 3).empty());

  const auto version = store.version();
  write(a, "# a line more\n" + stored_rule("new", "status = 500") + stored_rule("first", "error = 1\ntimes = 1") +
               stored_rule("second", "error = 2\ntimes = 1"));
  CHECK(wait_for_word(store) == "reloaded overlays: 4 overlays");
  CHECK(store.version() > version);
  CHECK(names(store) == "new first second third ");
  CHECK(ask(store) == "second");
  CHECK(ask(store) == "third");
  CHECK(wait_for_word(store, 3).empty());
}

TEST_CASE("overlays: an invalid file leaves the last valid one in use and is reported once") {
  const testing::TestFolder dir;
  const std::string file = dir.file("a.toml");
  write(file, stored_rule("good"));
  OverlayStore store({file});
  write(file, stored_rule("bad", "error = 'x'"));
  CHECK(wait_for_word(store) ==
        "keeping the previous overlays: " + file + ":4: `error` must be a whole number from 1 to 1000000");
  CHECK(wait_for_word(store, 5).empty());
  CHECK(ask(store) == "good");
  std::filesystem::remove(file);
  CHECK(wait_for_word(store) == "keeping the previous overlays: " + file + ": cannot read the file");
  CHECK(ask(store) == "good");
  write(file, stored_rule("better"));
  CHECK(wait_for_word(store) == "reloaded overlays: 1 overlay");
  CHECK(ask(store) == "better");
  CHECK_THROWS_AS(OverlayStore({dir.file("none.toml")}), std::invalid_argument);
}

TEST_CASE("overlays: files that an overlay names and replaced files are watched, too") {
  const testing::TestFolder dir;
  const std::string file = dir.file("a.toml");
  write(dir.file("body.json"), "1");
  write(file, stored_rule("a", "file = \"body.json\""));
  OverlayStore store({file});
  write(dir.file("body.json"), "22");
  CHECK(wait_for_word(store) == "reloaded overlays: 1 overlay");
  CHECK(store.current()->rules()[0].overlay->body->text() == "22");
  // A file that is created later.
  write(file, stored_rule("c", "file = \"later.json\""));
  CHECK(wait_for_word(store) ==
        "keeping the previous overlays: " + file + ":4: `file` refers to a missing file: later.json");
  write(dir.file("later.json"), "3");
  CHECK(wait_for_word(store) == "reloaded overlays: 1 overlay");
  CHECK(names(store) == "c ");
  // Like some editors: a file of equal size with the old file's time.
  const auto time = std::filesystem::last_write_time(file);
  write(dir.file("new"), stored_rule("b", "file = \"body.json\""));
  std::filesystem::last_write_time(dir.file("new"), time);
  std::filesystem::rename(dir.file("new"), file);
  CHECK(wait_for_word(store) == "reloaded overlays: 1 overlay");
  CHECK(names(store) == "b ");
}

TEST_CASE("overlays: a second write of the same size within a moment is noticed") {
  const testing::TestFolder dir;
  const std::string file = dir.file("a.toml");
  write(file, stored_rule("first"));
  OverlayStore store({file});
  for (int i = 0; i < 20; ++i) {
    write(file, stored_rule("other"));
    CHECK(wait_for_word(store) == "reloaded overlays: 1 overlay");
    write(file, stored_rule("first"));  // usually within one tick of the file clock
    CHECK(wait_for_word(store) == "reloaded overlays: 1 overlay");
    CHECK(names(store) == "first ");
  }
  write(file, stored_rule("first"));
  CHECK(wait_for_word(store).empty());
}

TEST_CASE("overlays: posted sets are above the files, newest first, and replace sets with the same name") {
  const testing::TestFolder dir;
  const std::string file = dir.file("a.toml");
  write(file, stored_rule("of the file"));
  OverlayStore store({file});
  const auto post = [&](const std::string& json) { return store.post(read_posted_overlays(json)); };
  const std::string call = R"("call":"Core.Share/1/list","error":1)";
  CHECK(post(R"([{"name":"one",)" + call + "}]") == "posted 1");
  CHECK(post(R"({"set":"mine","overlays":[{"name":"two",)" + call + "}]}") == "mine");
  CHECK(post(R"([{"name":"three",)" + call + "}]") == "posted 2");
  CHECK(names(store) == "three two one of the file ");
  CHECK(post(R"({"set":"posted 1","overlays":[{"name":"four",)" + call + R"(},{"name":"five",)" + call + "}]}") ==
        "posted 1");
  CHECK(names(store) == "four five three two of the file ");
  CHECK_THROWS_AS(post(R"([{"name":"a",)" + call + R"(},{"name":"a",)" + call + "}]"), OverlayError);
  // Equal names in two sets are two overlays.
  CHECK(post(R"({"set":"w2","scope":"t2","overlays":[{"name":"two",)" + call + "}]}") == "w2");
  CHECK(ask(store) == "four");

  CHECK(store.enable("four", false));
  CHECK(ask(store) == "five");
  CHECK(store.list()[1].overlay->name == "four");
  CHECK_FALSE(store.list()[1].is_enabled);
  CHECK(store.list()[1].plays == 1);
  CHECK(store.list()[1].set == "posted 1");
  CHECK(store.list().back().set.empty());
  CHECK(store.enable("four", true));
  CHECK(ask(store) == "four");
  CHECK_FALSE(store.enable("nobody", false));

  CHECK(store.remove("posted 1"));
  CHECK_FALSE(store.remove("posted 1"));
  CHECK(ask(store) == "three");
}

TEST_CASE("overlays: at most a thousand sets are kept") {
  OverlayStore store;
  const auto post = [&](std::size_t number) { return store.post({"set " + std::to_string(number), {}, {}}); };
  for (std::size_t i = 0; i < OverlayStore::most_sets; ++i) CHECK_NOTHROW(post(i));
  CHECK_THROWS_AS(post(OverlayStore::most_sets), std::invalid_argument);
  CHECK_NOTHROW(post(5));
}

}  // namespace
}  // namespace tapedeck::replay
