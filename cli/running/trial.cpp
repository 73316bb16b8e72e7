#include "cli/running/trial.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/file_stamp.h"
#include "base/linux.h"
#include "cli/console/usage_error.h"
#include "cli/reports/progress_bar.h"
#include "cli/running/exec_child.h"
#include "cli/running/replay_run.h"

namespace tapedeck::cli {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Suite, name, cases, failures, body, output)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialResult, status, has_run, is_late, says, has_tests, tests, output, took_ms,
                                   requests, recordings, misses, exit_status, suite, report)

namespace {

using nlohmann::json;

constexpr std::size_t kept_output = 4'096, most_misses = 20;

/// Returns a pipe whose ends are not inherited by programs.
std::pair<base::Descriptor, base::Descriptor> make_pipe() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  return {base::Descriptor(ends[0]), base::Descriptor(ends[1])};
}

/// Reads the command's output, searches it for a text, and keeps only its end.
class Output {
 public:
  explicit Output(std::string says) : says_(std::move(says)) {
    auto [ours, theirs] = make_pipe();
    ours_ = std::move(ours);
    theirs_ = std::move(theirs);
    reader_ = std::jthread([this] { read(); });
  }
  [[nodiscard]] int file() const { return theirs_.number(); }
  /// Requires that all other writers have closed the pipe.
  void end() {
    theirs_.close();
    if (reader_.joinable()) reader_.join();
  }
  [[nodiscard]] bool says() const { return found_; }
  [[nodiscard]] const std::string& tail() const { return tail_; }

 private:
  void read() {
    std::string text;
    std::array<char, 65'536> piece{};
    const std::size_t kept = std::max(kept_output, says_.size());
    while (true) {
      const ssize_t got = ::read(ours_.number(), piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      text.append(piece.data(), static_cast<std::size_t>(got));
      found_ = found_ || (!says_.empty() && text.find(says_) != std::string::npos);
      if (text.size() > kept) text.erase(0, text.size() - kept);
    }
    tail_ = text.size() > kept_output ? text.substr(text.size() - kept_output) : std::move(text);
  }

  const std::string says_;
  base::Descriptor ours_, theirs_;
  bool found_ = false;
  std::string tail_;
  std::jthread reader_;
};

/// Reads the journal while it grows, because the server does not keep all entries of a long run.
class Requests {
 public:
  explicit Requests(ReplayRun& run) : journal_(*run.control().journal()) {
    constexpr std::chrono::milliseconds period(50);
    run.server().main_loop().every(period, [this] {
      take();
      return true;
    });
  }
  /// Requires that the server has stopped.
  void end(TrialResult& result) {
    take();
    result.requests = std::move(requests_);
    result.recordings = std::move(recordings_);
  }

 private:
  void take() {
    constexpr std::size_t at_once = 1'000;
    for (auto lines = journal_.entries(seen_ + 1, at_once); !lines.empty();
         lines = journal_.entries(seen_ + 1, at_once)) {
      for (const journal::JournalLine& line : lines) {
        seen_ = line->number;
        const std::string scope = line->scope.empty() ? "" : " in scope " + line->scope;
        const std::string match = line->match.empty() ? "" : " " + line->match;
        requests_.emplace(line->key + scope, line->outcome + match);
        if (!line->recording.empty()) recordings_.insert(line->recording);
      }
    }
  }

  const journal::Journal& journal_;
  std::uint64_t seen_ = 0;
  std::set<std::pair<std::string, std::string>> requests_;
  std::set<std::string> recordings_;
};

/// The JUnit file of this run. A file that an earlier run left is ignored.
class JunitOfRun {
 public:
  JunitOfRun(const std::string& pattern, unsigned run)
      : path_(pattern.empty() ? "" : path_of_run(pattern, run)),
        is_of_this_run_(path_ != pattern),
        before_(path_.empty() ? std::nullopt : base::stamp_of(path_)) {}
  void read(TrialResult& result) const {
    if (path_.empty()) return;
    const auto now = base::stamp_of(path_);
    const auto text = now && now != before_ ? base::read_file(path_) : std::nullopt;
    if (!text) return;
    result.tests = junit_results(*text);
    result.has_tests = !result.tests.empty();
    if (is_of_this_run_ && !before_) unlink(path_.c_str());
  }

 private:
  const std::string path_;
  const bool is_of_this_run_;
  const std::optional<base::FileStamp> before_;
};

/// The work of the process that runs the command.
class TrialProcess {
 public:
  TrialProcess(const TrialOptions& options, const Trial& trial, unsigned run, std::set<int> inherited,
               std::optional<std::chrono::milliseconds> limit)
      : options_(options), trial_(trial), run_(run), child_(std::move(inherited)), limit_(limit) {}

  TrialResult result() {
    ReplayCommandOptions replay = options_.replay;
    replay.server.listen = "127.0.0.1:0";
    replay.control.control = "127.0.0.1:0";
    replay.replay.cassettes = trial_.cassettes;
    replay.replay.overlay_files.insert(replay.replay.overlay_files.end(), trial_.overlays.begin(),
                                       trial_.overlays.end());
    ReplayRun run(replay, "exec");
    if (options_.shows_output) run.announce();
    TrialResult result;
    const JunitOfRun junit(options_.junit, run_);
    Requests requests(run);
    ServerThread serving(run);
    Environment environment = environment_of(run, trial_.cassettes);
    environment.emplace_back("TAPEDECK_RUN", std::to_string(run_));
    const auto begin = std::chrono::steady_clock::now();
    run_command(environment, result);
    result.took_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();
    serving.stop();
    requests.end(result);
    if (run.is_damaged()) throw std::runtime_error("a cassette is damaged");
    note_misses(run, result);
    junit.read(result);
    if (result.has_run && options_.report) options_.report(run, result);
    return result;
  }

 private:
  void run_command(const Environment& environment, TrialResult& result) {
    const auto note = [&](const ChildRunner::Ended& ended) {
      result.has_run = ended.has_run;
      result.status = ended.status;
      result.is_late = ended.is_late;
    };
    if (options_.shows_output) return note(child_.run(options_.command, environment));
    Output output(options_.says);
    note(child_.run(options_.command, environment, ChildRunner::Unattended{limit_, output.file()}));
    output.end();
    result.says = output.says();
    result.output = output.tail();
  }
  static void note_misses(const ReplayRun& run, TrialResult& result) {
    for (const replay::Notice& notice : run.notices()) {
      if (notice.kind != replay::Notice::Kind::miss || result.misses.size() == most_misses) continue;
      result.misses.push_back(notice_line(notice));
    }
  }

  const TrialOptions& options_;
  const Trial& trial_;
  const unsigned run_;
  const ChildRunner child_;
  const std::optional<std::chrono::milliseconds> limit_;
};

/// Disables the server's log, which is not shown.
void be_silent() {
  const base::Descriptor nothing(open("/dev/null", O_WRONLY | O_CLOEXEC));
  for (const int standard : {STDOUT_FILENO, STDERR_FILENO}) dup2(nothing.number(), standard);
}

/// A running process and the output so far.
struct Running {
  pid_t process = 0;
  base::Descriptor way;
  std::string said;
};

TrialResult result_of(const Running& running, int wait_status) {
  const json text = json::parse(running.said, nullptr, false);
  if (text.is_discarded()) {
    throw std::runtime_error(WIFSIGNALED(wait_status)
                                 ? "a run of the command was killed by signal " + std::to_string(WTERMSIG(wait_status))
                                 : std::string("a run of the command ended without a result"));
  }
  if (!text.contains("error")) return text.get<TrialResult>();
  const std::string error = text["error"].get<std::string>();
  if (text["is_usage"].get<bool>()) throw UsageError(error);
  throw std::runtime_error(error);
}

json error_json(const std::string& what, bool is_usage) { return {{"error", what}, {"is_usage", is_usage}}; }

}  // namespace

std::vector<std::string> TrialResult::failing() const {
  std::vector<std::string> names;
  for (const auto& [name, failed] : tests) {
    if (failed) names.push_back(name);
  }
  return names;
}

TrialRunner::TrialRunner(TrialOptions options) : options_(std::move(options)), inherited_(base::open_descriptors()) {
  if (options_.time) end_ = Clock::now() + *options_.time;
  catch_stop_signals();
}

bool TrialRunner::is_time_over() const { return end_ && Clock::now() >= *end_; }
bool TrialRunner::goes_on() const { return !stop_requested() && !is_time_over(); }

namespace {

/// Forks with the signals that ChildRunner waits for blocked from the start, so that none is lost.
pid_t fork_without_signals() {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const pid_t process = fork();
  if (process != 0) pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return process;
}

Running start(const TrialOptions& options, const Trial& trial, unsigned run, const std::set<int>& inherited,
              std::optional<std::chrono::milliseconds> limit) {
  auto [ours, theirs] = make_pipe();
  const pid_t parent = getpid();
  std::cout << std::flush;
  std::fflush(nullptr);
  const pid_t process = fork_without_signals();
  if (process < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process > 0) return {process, std::move(ours), {}};
  base::end_with_parent();
  if (getppid() != parent) _exit(1);
  ours.close();
  json said;
  try {
    if (!options.shows_output) be_silent();
    said = TrialProcess(options, trial, run, inherited, limit).result();
  } catch (const std::invalid_argument& error) {
    said = error_json(error.what(), true);
  } catch (const cassettes::CassetteError& error) {
    said = error_json(error.what(), error.kind() != cassettes::CassetteError::Kind::io);
  } catch (const std::exception& error) {
    said = error_json(error.what(), false);
  }
  static_cast<void>(base::write_all(theirs.number(), said.dump(-1, ' ', false, json::error_handler_t::replace)));
  std::fflush(nullptr);
  _exit(0);
}

/// Reads available data. Returns false at the end.
bool read_more(Running& running) {
  std::array<char, 65'536> piece{};
  const ssize_t got = read(running.way.number(), piece.data(), piece.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  running.said.append(piece.data(), static_cast<std::size_t>(got));
  return got > 0;
}

/// Reads until all processes have ended. Once `goes_on` returns false, they get SIGTERM and end within seconds.
bool wait_for_all(std::vector<Running>& all, const std::function<bool()>& goes_on) {
  bool is_stopped = false;
  while (true) {
    std::vector<pollfd> ways;
    for (const Running& one : all) ways.push_back({one.way.number(), POLLIN, 0});  // poll() skips a closed one
    if (std::all_of(all.begin(), all.end(), [](const Running& one) { return !one.way.open(); })) return is_stopped;
    constexpr int pause_ms = 100;
    const int ready = poll(ways.data(), ways.size(), pause_ms);
    if (!is_stopped && !goes_on()) {
      is_stopped = true;
      for (const Running& one : all) kill(one.process, SIGTERM);
    }
    for (std::size_t i = 0; ready > 0 && i < all.size(); ++i) {
      if (ways[i].revents != 0 && !read_more(all[i])) all[i].way.close();
    }
  }
}

}  // namespace

std::vector<TrialResult> TrialRunner::run(std::span<const Trial> trials) {
  std::vector<Running> all;
  for (const Trial& trial : trials) all.push_back(start(options_, trial, ++runs_, inherited_, limit_));
  const bool is_stopped = wait_for_all(all, [this] { return goes_on(); });
  std::vector<int> statuses;
  for (const Running& one : all) {
    int status = 0;
    while (waitpid(one.process, &status, 0) < 0 && errno == EINTR) continue;
    statuses.push_back(status);
  }
  std::vector<TrialResult> results;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_stopped) {
      results.emplace_back().is_stopped = true;
      continue;
    }
    results.push_back(result_of(all[i], statuses[i]));
    if (!limit_) limit_ = std::chrono::milliseconds(5 * results.back().took_ms) + options_.spare;
  }
  return results;
}

TrialResult TrialRunner::run(const Trial& trial) { return std::move(run(std::span(&trial, 1)).front()); }

}  // namespace tapedeck::cli
