// What keeps a server from starting, or a recording from its end, is one line and status 1: never a hang.

#include <catch2/catch.hpp>

#include "tests/e2e/harness.h"

namespace tapedeck::tests {

namespace {

using Arguments = std::vector<std::string>;

Arguments operator+(Arguments left, const Arguments& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

}  // namespace

TEST_CASE("start: what cannot be had ends every server with one line and status 1, on any number of threads") {
  const TempDir folder;
  const Device device;
  const std::string taken = device.origin().substr(7), cassette = folder / "new.cassette", ran = folder / "ran";
  const Arguments listen = {"--listen", "127.0.0.1:0"};
  const std::vector<std::pair<Arguments, Arguments>> commands = {
      {{"record", "--device", device.url(), cassette}, {}},
      {{"replay"}, {}},
      {{"replay", "--threads", "2"}, {}},
      {{"exec"}, {"--", "touch", ran}},
      {{"exec", "--threads", "2"}, {"--", "touch", ran}},
  };
  const std::vector<std::pair<Arguments, std::string>> wishes = {
      {listen + Arguments{"--ready-file", folder / "no/folder/ready"}, "no/folder/ready"},
      {listen + Arguments{"--journal", folder / "no/folder/journal"}, "no/folder/journal"},
      {listen + Arguments{"--control", taken}, taken},
      {{"--listen", taken}, taken},
  };
  for (const auto& [command, trailing] : commands) {
    for (const auto& [wish, named] : wishes) {
      const Arguments line = command + wish + trailing;
      std::string shown;
      for (const std::string& word : line) shown += word + " ";
      CAPTURE(shown);
      const Ran result = run(Arguments{binary()} + line, milliseconds(10'000));
      CAPTURE(result.err);
      CHECK(result.status == 1);
      const std::size_t said = result.err.find("tapedeck: ");
      REQUIRE(said != std::string::npos);
      const std::string last = result.err.substr(said);
      CHECK(last.find(named) != std::string::npos);
      CHECK(last.find('\n') == last.size() - 1);
      CHECK_FALSE(std::filesystem::exists(ran));
      CHECK_FALSE(std::filesystem::exists(cassette));
    }
  }
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 0);
}

TEST_CASE("start: a recording that cannot be finished ends with status 1 and keeps what was recorded") {
  const TempDir folder;
  const Device device;
  const std::string place = folder / "place", moved = folder / "moved";
  std::filesystem::create_directory(place);
  Server recorder(folder.path(), {"record", "--device", device.url(), place + "/a.cassette"});
  (void)play(recorder.url(), {login_step(), logout_step()});
  std::filesystem::rename(place, moved);
  CHECK(recorder.stop() == 1);
  CHECK(recorder.out().find("is not finished: ") != std::string::npos);
  // 3: what the recorder had learned went with it.
  REQUIRE(run_tapedeck({"scrub", moved + "/a.cassette"}).status == 3);
  CHECK(ids_in(moved + "/a.cassette").size() == 2);
}

}  // namespace tapedeck::tests
