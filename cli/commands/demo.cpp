// tapedeck demo: a little recording, made and replayed before one's eyes, with nothing left behind.

#include <signal.h>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "base/private_folder.h"
#include "cli/app.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/running/server.h"
#include "cli/terminal.h"
#include "demo/child_program.h"
#include "demo/client.h"
#include "demo/described_device.h"

namespace tapedeck::cli {
namespace {

struct DemoOptions {
  bool ui = false;
  bool open = false;
};

/// The made-up device on a thread of its own, until it goes.
class Device {
 public:
  Device() : server_(options(), 1) {
    server_.set_handler(handler_);
    thread_ = std::jthread([this] {
      try {
        server_.run();
      } catch (const std::exception& error) {
        std::cerr << "tapedeck: the demo device failed: " << error.what() << std::endl;
      }
    });
  }
  ~Device() {
    server_.main_loop().post([this] { server_.shut_down(); });
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  [[nodiscard]] std::string url() const { return server_.url(); }

 private:
  static ServerOptions options() {
    ServerOptions options;
    options.listen = "127.0.0.1:0";
    return options;
  }
  demo::DescribedDevice handler_;
  Server server_;
  std::jthread thread_;
};

/// SIGINT and SIGTERM wait until they are asked for, so that a step is never left half done.
class Interrupts {
 public:
  Interrupts() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  void wait() const {
    int number = 0;
    sigwait(&signals_, &number);
  }

 private:
  sigset_t signals_;
};

void say(const std::string& line) { std::cout << line << std::endl; }

/// The first lines of `tapedeck ls`, cut to a terminal's width, and how many more there are.
void print_beginning(const std::string& listing) {
  constexpr int shown = 6;
  const std::size_t width = terminal_width();
  std::istringstream lines(listing);
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    if (++count > shown) continue;
    const std::string text = "   " + printable(line);
    say(width == 0 ? text : cut_to(text, width));
  }
  if (count > shown) say(fmt::format("   … and {} more lines", count - shown));
}

std::size_t differing(const std::vector<demo::Answered>& left, const std::vector<demo::Answered>& right) {
  std::size_t count = std::max(left.size(), right.size()) - std::min(left.size(), right.size());
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i].body == right[i].body) continue;
    say("   differs: " + left[i].call);
    ++count;
  }
  return count;
}

std::vector<demo::Answered> record(const demo::Walk& walk, const std::string& folder, const std::string& cassette) {
  const Device device;
  say("1. Started a simulated NAS at " + device.url());
  demo::ChildProgram recorder(folder, "record", {"record", "--device", device.url(), cassette});
  say("2. tapedeck record --device " + device.url() + " demo.cassette");
  const auto answers = demo::walk_through(walk, recorder.url());
  if (recorder.stop() != fine) throw std::runtime_error("the demo recording failed");
  say(
      fmt::format("   A client sent {} requests through the recorder, from login to logout.\n   The cassette contains "
                  "every response. Session IDs, tokens, and the password\n   are replaced. The simulated NAS and the "
                  "recorder are stopped.",
                  answers.size()));
  return answers;
}

int demo_command(const DemoOptions& options) {
  const Interrupts interrupts;
  const base::PrivateFolder folder;
  const std::string cassette = folder.file("demo.cassette");
  const demo::Walk walk = demo::described_walk();
  const auto recorded = record(walk, folder.path(), cassette);
  std::vector<std::string> arguments = {"replay", "--exit-with-parent", cassette};
  if (options.ui) arguments.emplace_back("--ui");
  if (options.open) arguments.emplace_back("--open");
  demo::ChildProgram replay(folder.path(), "replay", arguments);
  say("3. tapedeck replay demo.cassette");
  const std::size_t count = differing(recorded, demo::walk_through(walk, replay.url()));
  say(count == 0 ? "   The client sent the same requests again. Every response is the same, except\n   for the values "
                   "of its new session."
                 : fmt::format("   {} responses differ", count));
  say("4. tapedeck ls demo.cassette");
  print_beginning(demo::output_of(folder.path(), {"ls", cassette}));
  if (const std::string link = replay.value("ui"); !link.empty()) {
    say("The web page shows the requests. Press Ctrl-C to stop.");
    if (stderr_is_terminal()) std::cerr << "page: " << link << std::endl;
    interrupts.wait();
  }
  replay.stop();
  say("\nThe demo left no files behind. To record your own device:\n  tapedeck record --device "
      "https://nas.example:5001 my.cassette\n      Point your client at http://127.0.0.1:8080 and press Ctrl-C when "
      "done.\n  tapedeck ls my.cassette       list what was recorded\n  tapedeck scan my.cassette     check the "
      "cassette for secrets\n  tapedeck replay my.cassette   serve the same address without the device");
  return count == 0 ? fine : run_failed;
}

}  // namespace

void add_demo(Command& program) {
  auto options = std::make_shared<DemoOptions>();
  Command& command = program.command("demo", "Record a simulated device and replay it");
  command.flag("--ui", options->ui, "Keep replaying and serve the monitoring page until Ctrl-C");
  command.flag("--open", options->open, "Like --ui, and open the page in the browser");
  command.examples = {{"Record and replay a simulated device", "tapedeck demo"},
                      {"Watch the requests in the browser", "tapedeck demo --open"}};
  command.action = [options] { return demo_command(*options); };
}

}  // namespace tapedeck::cli
