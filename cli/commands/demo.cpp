// tapedeck demo: records a simulated device, replays the recording, and removes its files, except for the cassette of
// --keep.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/private_folder.h"
#include "base/system.h"
#include "base/text.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/commands/simulated_nas.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/running/spawn.h"
#include "http/message/url.h"
#include "http/message/urlencoded.h"

namespace tapedeck::cli {
namespace {

using Json = nlohmann::ordered_json;

struct DemoOptions {
  std::string keep;
  bool page = false;
};

/// Blocks SIGINT and SIGTERM until the demo waits for them, so that no step is interrupted.
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

/// Runs this program with other arguments as a child process. Its output and errors go to files in a folder.
class ChildProgram {
 public:
  ChildProgram(const base::PrivateFolder& folder, const std::string& name, std::vector<std::string> arguments)
      : out_(folder.file(name + ".out")), err_(folder.file(name + ".err")), ready_(folder.file(name + ".ready")) {
    arguments.insert(arguments.begin(), base::own_program());
    int ends[2] = {-1, -1};
    if (!base::make_pipe(ends)) throw std::system_error(errno, std::generic_category(), "pipe");
    input_ = base::Descriptor(ends[1]);
    const base::Descriptor input(ends[0]), out(create(out_)), err(create(err_));
    // The child has its own process group, so that Ctrl-C reaches only the demo, which then ends its children in order.
    const int failure = start_program(
        {std::move(arguments), {}, input.number(), out.number(), err.number(), POSIX_SPAWN_SETPGROUP}, child_);
    if (failure != 0) throw std::system_error(failure, std::generic_category(), "cannot start tapedeck");
  }
  ~ChildProgram() { stop(); }
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  /// Starts a server on a free port and waits until it is ready.
  static std::unique_ptr<ChildProgram> serve(const base::PrivateFolder& folder, const std::string& name,
                                             std::vector<std::string> arguments) {
    arguments.insert(arguments.end(),
                     {"--listen", "127.0.0.1:0", "--exit-with-stdin", "--ready-file", folder.file(name + ".ready")});
    auto server = std::make_unique<ChildProgram>(folder, name, std::move(arguments));
    for (int looks = 0; looks < most_looks && server->url().empty(); ++looks) {
      if (server->has_ended()) break;
      std::this_thread::sleep_for(look_every);
    }
    if (server->url().empty()) throw std::runtime_error("the demo program did not start: " + server->errors());
    return server;
  }

  [[nodiscard]] std::string url() const { return ready_line("http://"); }
  /// Returns the line of the ready file that starts like this, or an empty text.
  [[nodiscard]] std::string ready_line(std::string_view start) const {
    std::istringstream ready(base::read_file(ready_).value_or(""));
    for (std::string line; std::getline(ready, line);) {
      if (line.starts_with(start)) return line;
    }
    return {};
  }
  [[nodiscard]] std::string errors() const { return base::read_file(err_).value_or(""); }
  /// Waits for the end and returns the output. Throws std::runtime_error with the child's errors if its status is not
  /// 0.
  [[nodiscard]] std::string output() {
    if (wait() != fine) throw std::runtime_error("the demo program failed: " + errors());
    return base::read_file(out_).value_or("");
  }
  /// Ends the child with SIGTERM and returns its exit status.
  int stop() {
    if (!has_ended()) kill(child_, SIGTERM);
    return wait();
  }

 private:
  static constexpr std::chrono::milliseconds look_every{10};
  static constexpr int most_looks = 2'000;

  static int create(const std::string& path) { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600); }
  /// Waits for the end. Ends the child with SIGKILL after 20 seconds.
  int wait() {
    for (int looks = 0; !has_ended(); ++looks) {
      if (looks == most_looks) kill(child_, SIGKILL);
      std::this_thread::sleep_for(look_every);
    }
    return status_;
  }
  [[nodiscard]] bool has_ended() {
    int wait_status = 0;
    if (child_ > 0 && waitpid(child_, &wait_status, WNOHANG) == child_) {
      status_ = exit_status_of(wait_status);
      child_ = -1;
    }
    return child_ < 0;
  }

  const std::string out_, err_, ready_;
  base::Descriptor input_;  ///< the child reads the other end, and servers end if it is closed
  pid_t child_ = -1;
  int status_ = 0;
};

/// One call of the client, such as "SVC.Core.Share/1/get".
struct DemoCall {
  std::string name;
  std::vector<std::pair<std::string, std::string>> params;
};

struct DemoResponse {
  std::string call;
  std::string body;  ///< values of the session and tokens that only this response contains are replaced by "…"
};

/// Returns the requests between login and logout.
std::vector<DemoCall> described_calls(const Json& device) {
  std::vector<DemoCall> calls;
  for (const Json& one : device["walk"]) {
    DemoCall& call = calls.emplace_back(DemoCall{text_of(one["call"]), {}});
    const Json params = one.value("params", Json::object());
    for (const auto& [name, value] : params.items()) {
      call.params.emplace_back(name, text_of(value));
    }
    if (!one.contains("compound")) continue;
    call.params.insert(call.params.end(), {{"mode", "sequential"}, {"compound", one["compound"].dump()}});
  }
  return calls;
}

/// Sends a GET request to a server on loopback and returns the response body.
std::string get(const http::BaseUrl& base, const std::string& target) {
  const timeval patience{20, 0};
  const base::Descriptor socket(base::stream_socket(AF_INET, base::Calls::wait));
  setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(base.port);
  inet_pton(AF_INET, base.host.c_str(), &address.sin_addr);
  const std::string request =
      "GET " + target + " HTTP/1.1\r\nHost: " + base.authority() + "\r\nConnection: close\r\n\r\n";
  const bool is_sent = connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                       base::write_all(socket.number(), request);
  const std::string response = is_sent ? base::read_all(socket.number()).value_or("") : std::string();
  const std::size_t end = response.find("\r\n\r\n");
  if (end == std::string::npos) throw std::runtime_error("the demo client received no response from " + base.origin());
  return response.substr(end + 4);
}

std::string target_of(const DemoCall& call) {
  std::string_view method = call.name;
  const std::string_view api = base::take_until(method, '/'), version = base::take_until(method, '/');
  std::string target = fmt::format("/webapi/entry.cgi?api={}&version={}&method={}", api, version, method);
  for (const auto& [param, value] : call.params) target += "&" + param + "=" + http::percent_encode(value);
  return target;
}

/// Returns a member of the response's data, or an empty text.
std::string data_member(const std::string& body, const char* name) {
  const Json json = Json::parse(body, nullptr, false);
  const auto value = json.is_object() ? json.value(Json::json_pointer("/data"), Json::object()) : Json::object();
  return value.is_object() ? value.value(name, std::string()) : std::string();
}

/// Logs in, sends the described requests, and logs out, using a new connection for each request.
std::vector<DemoResponse> walk_through(const Json& device, const std::string& url) {
  const http::BaseUrl server = http::BaseUrl::parse(url);
  std::vector<DemoResponse> responses;
  std::vector<std::string> own;  // values of this session
  const auto send = [&](const DemoCall& call) {
    responses.push_back({call.name, get(server, target_of(call))});
    return responses.back().body;
  };
  const std::string login = send({"SVC.API.Auth/7/login",
                                  {{"account", text_of(device["account"]["name"])},
                                   {"passwd", text_of(device["account"]["password"])},
                                   {"format", "sid"},
                                   {"enable_syno_token", "yes"}}});
  const std::string sid = data_member(login, "sid"), token = data_member(login, "synotoken");
  if (sid.empty()) throw std::runtime_error("the demo client cannot log in at " + server.origin());
  for (DemoCall call : described_calls(device)) {
    call.params.insert(call.params.end(), {{"_sid", sid}, {"SynoToken", token}});
    const std::string body = send(call);
    for (const char* name : {"ciphertoken", "public_key"}) own.push_back(data_member(body, name));
  }
  send({"SVC.API.Auth/7/logout", {{"_sid", sid}}});
  for (const char* name : {"sid", "synotoken", "account", "did", "device_id"}) own.push_back(data_member(login, name));
  std::erase(own, "");
  for (DemoResponse& response : responses) {
    for (const std::string& value : own) base::replace_all(response.body, value, "…");
  }
  return responses;
}

void say(const std::string& line) { std::cout << line << std::endl; }

/// Prints the first lines of `tapedeck ls`, cut to the width of the terminal, and the number of the remaining ones.
void print_beginning(const std::string& listing) {
  constexpr int shown = 6;
  const std::size_t width = terminal_width();
  std::istringstream lines(listing);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (++count > shown) continue;
    const std::string text = "   " + printable(line);
    say(width == 0 ? text : cut_to(text, width));
  }
  if (count > shown) say(fmt::format("   … and {} more lines", count - shown));
}

std::size_t differing(const std::vector<DemoResponse>& recorded, const std::vector<DemoResponse>& replayed) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    if (recorded[i].body == replayed[i].body) continue;
    say("   differs: " + recorded[i].call);
    ++count;
  }
  return count;
}

std::vector<DemoResponse> record_demo(const Json& device, const base::PrivateFolder& folder,
                                      const std::string& cassette, const std::string& shown) {
  const std::string overlays = folder.file("nas.toml");
  if (!base::replace_file(overlays, recorded_nas_overlays(device), 0600))
    throw std::runtime_error("cannot write " + overlays);
  const auto nas = ChildProgram::serve(folder, "nas", {"replay", "--overlay", overlays});
  say("1. Started a simulated NAS at " + nas->url());
  const auto recorder = ChildProgram::serve(folder, "record", {"record", "--device", nas->url(), cassette});
  say("2. tapedeck record --device " + nas->url() + " " + shown);
  const auto responses = walk_through(device, recorder->url());
  if (recorder->stop() != fine) throw std::runtime_error("the demo recording failed");
  say(
      fmt::format("   A client sent {} requests through the recorder, from login to logout.\n   The cassette contains "
                  "every response. Session IDs, tokens, and the password\n   are replaced. The simulated NAS and the "
                  "recorder are stopped.",
                  responses.size()));
  return responses;
}

int demo(const DemoOptions& options) {
  const Interrupts interrupts;
  const base::PrivateFolder folder;
  const bool is_kept = !options.keep.empty();
  if (is_kept && std::filesystem::exists(options.keep))
    throw UsageError(options.keep + " already exists", "choose another name");
  const std::string cassette =
      is_kept ? std::filesystem::absolute(options.keep).string() : folder.file("demo.cassette");
  const std::string shown = is_kept ? options.keep : "demo.cassette";
  const Json device = simulated_nas();
  const auto recorded = record_demo(device, folder, cassette, shown);
  std::vector<std::string> arguments = {"replay", cassette};
  if (options.page) arguments.emplace_back("--page");
  const auto replay = ChildProgram::serve(folder, "replay", arguments);
  say("3. tapedeck replay " + shown);
  const std::size_t count = differing(recorded, walk_through(device, replay->url()));
  say(count == 0 ? "   The client sent the same requests again. Every response is the same, except\n   for the values "
                   "of its new session."
                 : fmt::format("   {} responses differ", count));
  say("4. tapedeck ls " + shown);
  print_beginning(ChildProgram(folder, "ls", {"ls", cassette}).output());
  if (const std::string link = replay->ready_line("page="); !link.empty()) {
    say("The page shows the requests. Press Ctrl-C to stop.");
    if (stderr_is_terminal()) std::cerr << "page: " << link.substr(5) << std::endl;
    interrupts.wait();
  }
  replay->stop();
  say((is_kept ? "\nThe recording is in " + shown + "." : "\nThe demo left no files behind.") +
      " To record your own device:\n  tapedeck record --device "
      "https://nas.example:5001 my.cassette\n      Point your client at http://127.0.0.1:8080 and press Ctrl-C when "
      "done.\n  tapedeck ls my.cassette       list what was recorded\n  tapedeck scan my.cassette     check the "
      "cassette for secrets\n  tapedeck replay my.cassette   serve the same address without the device");
  return count == 0 ? fine : run_failed;
}

}  // namespace

void add_demo(Command& program) {
  auto [command, options] = program.command("demo", "Record a simulated device and replay it", demo);
  command.option("--keep", "CASSETTE", into(options.keep), "Keep the recording; the file must not exist");
  command.flag("--page", options.page, "Keep replaying and serve the page until Ctrl-C");
  command.examples = {{"Record and replay a simulated device", "tapedeck demo"},
                      {"Create a cassette to try other commands with", "tapedeck demo --keep nas.cassette"},
                      {"Watch the requests in the browser", "tapedeck demo --page"}};
}

}  // namespace tapedeck::cli
