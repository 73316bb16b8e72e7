// Tests what commands leave when they are killed at any moment.

#include <catch2/catch.hpp>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "tests/e2e/harness.h"
#include "tests/support/device_drift.h"
#include "tests/support/needs.h"

namespace tapedeck::tests::interrupted_tools_cases {

namespace {

constexpr const char* network = "api=SYNO.Core.Network&version=1&method=get";
constexpr const char* missing = "api=SYNO.Core.Nothing&version=1&method=get";

struct Interrupted {
  std::vector<std::string> arguments;
  bool in_place = false;  ///< true if it changes an existing cassette, false if it creates one
  bool is_text = false;   ///< true if its output is not a cassette
};

/// Checks what a command may leave at a path.
class Leavings {
 public:
  Leavings(const TempDir& folder, std::string first) : first_(std::move(first)), path_(folder / "a.cassette") {}

  [[nodiscard]] const std::string& path() const { return path_; }
  void begin_anew(const Interrupted& command) const {
    std::filesystem::remove(path_);
    if (command.in_place) std::filesystem::copy_file(first_, path_);
  }
  [[nodiscard]] std::string now(const Interrupted& command) const {
    if (!std::filesystem::exists(path_)) return "nothing there";
    return command.is_text ? read_file(path_) : hash_of(path_);
  }

 private:
  std::string first_, path_;
};

void interrupt(const TempDir& folder, const Interrupted& command, const Leavings& left, int moments) {
  using Clock = std::chrono::steady_clock;
  INFO(command.arguments[0]);
  std::vector<std::string> argv = command.arguments;
  argv.insert(argv.begin(), binary());
  const std::vector<std::pair<std::string, std::string>> editor = {{"VISUAL", ""}, {"EDITOR", "sed -i s/200/201/"}};
  left.begin_anew(command);
  const std::string before = left.now(command);
  const auto began = Clock::now();
  const Ran whole = run(argv, milliseconds(60000), editor);
  const auto taken = Clock::now() - began;
  INFO(whole.out << whole.err);
  REQUIRE((whole.status == 0 || whole.status == 3));
  const std::string after = left.now(command);
  REQUIRE(before != after);
  for (int i = 0; i < 2 * moments; ++i) {
    left.begin_anew(command);
    Child child(Spawn{argv, editor, "", folder / "killed.out", folder / "killed.err"});
    // Varies the moment from before its start until after its end, with a spin, because there is no event to wait for.
    const auto until = Clock::now() + taken * (i / 2) / moments;
    while (Clock::now() < until) {
    }
    child.signal(i % 2 == 0 ? SIGINT : SIGKILL);
    (void)child.wait();
    const std::string now = left.now(command);
    CHECK((now == before || now == after));
    // The next run of the command works normally.
    if (now == before) CHECK(run(argv, milliseconds(60000), editor).status == whole.status);
    CHECK(left.now(command) == after);
    CHECK_FALSE(std::filesystem::exists(left.path() + ".finishing"));
  }
}

/// Two recordings to change, merge, and export.
struct Interruptible {
  Interruptible() : left(folder, first), cassette(left.path()) {
    record_calls(first);
    std::filesystem::copy_file(first, other);
    record_calls(other);
    id = ids_in(first).at(0);
  }
  void record_calls(const std::string& cassette) const {
    record(folder.path(), device, cassette, [](const std::string& url) {
      (void)play(url, {login_step(), call("network", network), call("missing", missing)});
    });
  }
  void interrupt_each(const std::vector<Interrupted>& commands) const {
    const int moments = is_long() ? 50 : 2;
    for (const Interrupted& command : commands) interrupt(folder, command, left, moments);
  }

  TempDir folder, elsewhere;
  Device device;
  std::string first = folder / "first.cassette", other = folder / "other.cassette", id;
  Leavings left;
  const std::string& cassette;
};

}  // namespace

TEST_CASE("interrupted: a command that changes a cassette leaves the old file or the new one") {
  const Interruptible on;
  on.interrupt_each({{{"rm", on.cassette, on.id}, true},
                     {{"edit", on.cassette, on.id, "--status", "201"}, true},
                     {{"edit", on.cassette, on.id}, true},
                     {{"rm", on.cassette, "--take", "1"}, true},
                     {{"merge", on.cassette, on.other, "-o", on.cassette}, true}});
}

TEST_CASE("interrupted: a command that creates a file leaves the whole file or none") {
  const Interruptible on;
  const std::string text = on.folder / "all.text";
  REQUIRE(run_tapedeck({"export", "--as", "jsonl", on.first, "-o", text}).status == 0);
  on.interrupt_each({{{"export", on.first, "-o", on.cassette, "--outcome", "ok"}},
                     {{"merge", on.first, on.other, "-o", on.cassette}},
                     {{"import", text, "-o", on.cassette}},
                     {{"export", "--as", "text", on.first, "-o", on.cassette}, false, true},
                     {{"export", "--as", "har", on.first, "-o", on.cassette}, false, true}});
}

}  // namespace tapedeck::tests::interrupted_tools_cases
