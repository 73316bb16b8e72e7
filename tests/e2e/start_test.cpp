// Tests that anything that prevents a server from starting, or a recording from ending, causes one line and status 1,
// and never a hang.

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/e2e/harness.h"
#include "tests/support/needs.h"
#include "tests/support/proc.h"

namespace tapedeck::tests::start_cases {

namespace {

using Arguments = std::vector<std::string>;

Arguments operator+(Arguments left, const Arguments& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

}  // namespace

TEST_CASE("start: a missing resource ends every server with one line and status 1 with any number of threads") {
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
      const std::string rest = last.substr(last.find('\n') + 1);  // empty, or one line with a remedy
      CHECK((rest.empty() || (rest.starts_with("hint: ") && rest.find('\n') == rest.size() - 1)));
      CHECK_FALSE(std::filesystem::exists(ran));
      CHECK_FALSE(std::filesystem::exists(cassette));
    }
  }
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 0);
}

TEST_CASE("start: a recording with too little address space ends immediately and names the limit") {
  if (is_missing("plain-build", memory_counts)) return;
  const TempDir folder;
  const Device device;
  for (const char* const mode : {"all", "new"}) {
    CAPTURE(mode);
    const Ran ran = run({"sh", "-c",
                         "ulimit -v 50000; exec " + binary() + " record --mode " + mode + " --device " + device.url() +
                             " --listen 127.0.0.1:0 " + folder / "a.cassette"},
                        milliseconds(10'000));
    CAPTURE(ran.err);
    CHECK(ran.status == 1);
    CHECK(ran.err.ends_with("tapedeck: out of memory or threads\nhint: raise the limits (ulimit -v, ulimit -u)\n"));
  }
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 0);
  CHECK(device.requests() == 0);
}

TEST_CASE("start: a recording that cannot be finished ends with status 1 and is kept") {
  const TempDir folder;
  const Device device;
  const std::string place = folder / "place", moved = folder / "moved";
  std::filesystem::create_directory(place);
  Server recorder(folder.path(), {"record", "--device", device.url(), place + "/a.cassette"});
  (void)play(recorder.url(), {login_step(), logout_step()});
  std::filesystem::rename(place, moved);
  CHECK(recorder.stop() == 1);
  CHECK(recorder.out().find("is not finished: ") != std::string::npos);
  // 3, because the values that the recorder had learned are lost.
  REQUIRE(run_tapedeck({"scrub", moved + "/a.cassette"}).status == 3);
  CHECK(ids_in(moved + "/a.cassette").size() == 2);
}

TEST_CASE("start: a recording that cannot start leaves a cassette unchanged and creates none") {
  const TempDir folder, other;
  const Device device;
  const std::string taken = device.origin().substr(7), cassette = folder / "nas.cassette";
  record(other.path(), device, cassette, [](const std::string& url) {
    (void)play(url, {login_step(), logout_step()});
  });
  const std::string before = read_file(cassette);
  const std::vector<std::pair<Arguments, int>> faults = {
      {{"--scope", "%"}, 2},        {{"--control", "x"}, 2},
      {{"--control", taken}, 1},    {{"--control", "192.0.2.1:8081"}, 2},
      {{"--allow-writes"}, 2},      {{"--ready-file", "/proc/no-file-of-ours"}, 1},
      {{"--strict=nonsense"}, 2},   {{"--journal", "/proc/no-file-of-ours"}, 1},
      {{"--cors", "no origin"}, 2}, {{"--serve", folder / "absent"}, 2},
  };
  for (const auto& [fault, status] : faults) {
    for (const std::string& path : {cassette, folder / "new.cassette"}) {
      CAPTURE(fault.front(), path);
      const Arguments line = {"record", "--device", device.url(), "--listen", "127.0.0.1:0", path};
      const Ran ran = run(Arguments{binary()} + line + fault, milliseconds(10'000));
      CAPTURE(ran.err);
      CHECK(ran.status == status);
      CHECK(read_file(cassette) == before);
      CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
    }
  }
  CHECK(ids_in(cassette).size() == 2);
}

TEST_CASE("start: a signal while a recording starts leaves a finished cassette and no other file") {
  const TempDir folder, other;
  const Device device;
  const std::string first = other / "first.cassette", cassette = folder / "nas.cassette";
  record(other.path(), device, first, [](const std::string& url) { (void)play(url, {login_step(), logout_step()}); });
  const std::string before = read_file(first);
  constexpr int moments = 24;
  for (int i = 0; i < moments; ++i) {
    CAPTURE(i);
    std::filesystem::copy_file(first, cassette, std::filesystem::copy_options::overwrite_existing);
    const Arguments mode = i % 3 == 2 ? Arguments{"--mode", "new"} : Arguments{};
    const Arguments line = {binary(), "record", "--device", device.url(), "--listen", "127.0.0.1:0", cassette};
    Child child(Spawn{line + mode, {}, "", other / "out", other / "err"});
    // Varies the moment from the start until it serves, with a spin, because there is no event to wait for.
    const auto until = std::chrono::steady_clock::now() + milliseconds(5 * i);
    while (std::chrono::steady_clock::now() < until) {
    }
    child.signal(i % 2 == 0 ? SIGTERM : SIGINT);
    const std::optional<int> status = child.wait();
    const bool has_begun = status == 0;  // and has completed its work
    CHECK((has_begun || status == 128 + (i % 2 == 0 ? SIGTERM : SIGINT)));
    if (!has_begun || !mode.empty()) CHECK(read_file(cassette) == before);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
    CHECK(ids_in(cassette).size() == 2);
    CHECK(run_tapedeck({"scan", cassette}).status == 0);  // finished and verified
  }
}

}  // namespace tapedeck::tests::start_cases
