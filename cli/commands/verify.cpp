// tapedeck verify: checks whether the device still responds as recorded.

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/scope_name.h"
#include "base/digest.h"
#include "base/private_folder.h"
#include "cassettes/finish/rewrite.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/options/device_options.h"
#include "cli/options/rule_options.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/diff_report.h"
#include "cli/reports/progress_bar.h"
#include "cli/running/cassette_rewrite.h"
#include "cli/running/recording_run.h"
#include "http/io/event_loop.h"
#include "http/server/local_exchange.h"
#include "proxy/exchanged_device.h"
#include "scrubbers/redaction/redaction.h"
#include "tools/content/rewrite.h"
#include "tools/diff/cassette_diff.h"
#include "tools/merge.h"
#include "tools/verify/plan.h"

namespace tapedeck::cli {
namespace {

/// After this many failed requests in a row, the device counts as unreachable.
constexpr unsigned most_broken_in_a_row = 3;

std::string made_up(const char* shape) {
  constexpr std::size_t seed_bytes = 32;
  return scrubbers::make_of_shape(shape, base::random_bytes(seed_bytes));
}

/// Repeats recorded requests one at a time. Everything except its own login and logout goes through a
/// proxy::ReadOnlyDevice. Not thread-safe.
class VerifyRun {
 public:
  /// Reads the account's password or prompts for it. `rate` is in calls per second; 0 means as fast as the device
  /// responds. With a key, responses get the same pseudonyms as the cassette. `recorded` must outlive the object.
  /// Throws UsageError or std::runtime_error.
  VerifyRun(RecordingOptions options, unsigned rate, const cassettes::CassetteReader& recorded)
      : rate_(rate), recorded_(recorded), recording_(recording_options(std::move(options))) {
    umask(077);
    RecordingRun::Start start{loop_};
    start.end = [this] { loop_.post([this] { stop_with("the responses could not be stored"); }); };
    start.lines = [this](std::span<const proxy::RecordedLine> lines) {
      for (const proxy::RecordedLine& line : lines) {
        broken_in_a_row_ = line.completeness == api::Completeness::broken ? broken_in_a_row_ + 1 : 0;
      }
    };
    recording_.start(std::move(start));
    recording_.begin();
  }
  VerifyRun(const VerifyRun&) = delete;
  VerifyRun& operator=(const VerifyRun&) = delete;

  /// Sends all requests in one session, which is open only meanwhile. Calls `progress` with the finished and the total
  /// number of calls, and stops if it returns false. May be called once. Throws std::runtime_error if the device cannot
  /// be used at all.
  void repeat(const std::vector<std::string>& ids,
              std::function<bool(std::uint64_t done, std::uint64_t total)> progress) {
    ids_ = ids;
    progress_ = std::move(progress);
    // The loop reacts to a signal during a slow call within this time.
    constexpr std::chrono::milliseconds look_around{100};
    loop_.every(look_around, [this] {
      if (progress_(next_, ids_.size())) return true;
      stop_with("stopped");
      return false;
    });
    loop_.post([this] { begin(); });
    loop_.run();
    recording_.drain();
    if (!failure_.empty()) throw std::runtime_error(failure_);
  }
  /// Returns the number of requests without a complete response.
  [[nodiscard]] std::uint64_t failed() const {
    const proxy::RecorderStats stats = recording_.stats();
    return stats.broken + stats.withheld + stats.not_recorded;
  }
  /// Returns the path of a cassette with the new responses. Call it after repeat(). Throws std::runtime_error if they
  /// cannot be stored, for example because they contain a secret.
  [[nodiscard]] std::string finished_cassette() {
    cassettes::FinishOptions options;
    options.scrubber = &recording_.scrubber();
    const cassettes::FinishReport report = cassettes::finish(recording_.take_writer(), options);
    if (!report.finished) throw std::runtime_error("cannot compare the responses: " + report.failure);
    return folder_.file("repeated.cassette");
  }
  /// Stores new pseudonyms in the key file, for responses that are kept. Throws std::runtime_error.
  void keep_pseudonyms() const { recording_.keep_pseudonyms(); }

 private:
  /// A request that is being sent. Its end is the end of the object, which the recorder drops when the response is
  /// complete or cannot be completed.
  class RepeatedExchange : public http::LocalExchange {
   public:
    RepeatedExchange(VerifyRun& run, http::Request request) : LocalExchange(std::move(request)), run_(run) {}
    ~RepeatedExchange() override {
      // The relay is still busy with this transfer, so the next request must not start within this call.
      run_.loop_.post([run = &run_, response = response(), is_whole = answers() == 1 && !gone()] {
        run->received(response, is_whole);
      });
    }
    RepeatedExchange(const RepeatedExchange&) = delete;
    RepeatedExchange& operator=(const RepeatedExchange&) = delete;

    void post(std::function<void()> task) override { run_.loop_.post(std::move(task)); }

   private:
    VerifyRun& run_;
  };

  using SessionName = std::tuple<std::uint32_t, std::string, std::uint32_t>;  ///< take, scope, number

  [[nodiscard]] RecordingOptions recording_options(RecordingOptions options) const {
    // A missing key file would create pseudonyms that no cassette has.
    static_cast<void>(reading_profile(options.private_values));
    options.cassette = folder_.file("repeated.cassette");
    options.note = "changes found by `tapedeck verify`";
    options.is_read_only = true;
    return options;
  }
  void begin() {
    if (recording_.session() == nullptr) return send_next();
    recording_.session()->use([this](const proxy::DeviceSession::Opened& opened) {
      if (const auto* const none = std::get_if<proxy::NoSession>(&opened)) return stop_with(none->why);
      send_next();
    });
  }
  void send_next() {
    if (!failure_.empty()) return;
    if (next_ == ids_.size()) return loop_.stop();
    const auto full = recorded_.get(ids_[next_]);
    if (!full) return stop_with("interaction " + ids_[next_] + " no longer exists");
    sent_at_ = http::EventLoop::Clock::now();
    const proxy::ClientSession& client = client_of(full->line);
    http::Request request = tools::request_again(full->record, {client.id, client.csrf_token, client.device_id});
    const std::string& scope = full->line.scope;
    recording_.handle_in(scope.empty() ? std::nullopt : std::optional(api::ScopeName{scope}),
                         std::make_shared<RepeatedExchange>(*this, std::move(request)), &client);
  }
  void received(const http::Response& response, bool is_whole) {
    ++next_;
    if (const auto blocked = response.headers.first("X-Tapedeck-Blocked"); is_whole && blocked) {
      return stop_with(*blocked == "login" ? "the device ended the session and refuses a new one"
                                           : "a request was not sent because it might change the device");
    }
    if (broken_in_a_row_ >= most_broken_in_a_row) return stop_with("the device does not respond");
    go_on();
  }
  void stop_with(const std::string& why) {
    if (failure_.empty()) failure_ = why;
    loop_.stop();
  }
  void go_on() {
    const auto between = rate_ == 0 ? std::chrono::milliseconds(0) : std::chrono::milliseconds(1000 / rate_);
    const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(http::EventLoop::Clock::now() - sent_at_);
    if (taken >= between) return send_next();
    loop_.after(between - taken, [this] { send_next(); });
  }
  [[nodiscard]] const proxy::ClientSession& client_of(const cassettes::ListedInteraction& line) {
    const auto [found, is_new] = clients_.try_emplace({line.take, line.scope, line.session});
    if (is_new) found->second = {made_up("86:base64url"), made_up("16:alnum"), made_up("86:base64url")};
    return found->second;
  }

  const unsigned rate_;
  const cassettes::CassetteReader& recorded_;
  base::PrivateFolder folder_;
  http::EventLoop loop_;
  RecordingRun recording_;
  std::map<SessionName, proxy::ClientSession> clients_;

  std::vector<std::string> ids_;
  std::function<bool(std::uint64_t, std::uint64_t)> progress_;
  std::size_t next_ = 0;
  http::EventLoop::Clock::time_point sent_at_;
  std::string failure_;                       ///< why the run ended early
  std::atomic<unsigned> broken_in_a_row_{0};  ///< counted on the store's thread
};

constexpr unsigned usual_rate = 10;

struct VerifyOptions {
  std::string cassette;
  RecordingOptions run;
  unsigned rate = usual_rate;
  DiffViewOptions view;
  bool update = false;
};

/// Calls that differ. Scopes are separate, because an update skips them: a scope is always recorded as a whole.
struct Drift {
  std::set<std::string> keys, scopes;
};

Drift drift_in(const tools::DiffResult& result) {
  Drift drift;
  for (const tools::CallDiff& call : result.calls) {
    if (!call.differs()) continue;
    if (call.scope.empty()) {
      drift.keys.insert(call.key);
    } else {
      drift.scopes.insert(api::shown_scope(call.scope));
    }
  }
  return drift;
}

/// Adds the new responses to those calls as a new take.
void add_take(const std::string& cassette, const std::string& repeated, const std::set<std::string>& keys) {
  cassettes::Rewriting rewriting(cassette);
  const cassettes::CassetteReader fresh(repeated);
  const auto material = cassettes::open_material(repeated);
  std::uint64_t added = 0;
  tools::KeptMaterial part(*material, fresh, [&](const cassettes::ListedInteraction& line) {
    const bool keeps =
        line.scope.empty() && keys.contains(line.key) && line.completeness == api::Completeness::complete;
    added += keeps ? 1 : 0;
    return keeps;
  });
  if (added == 0) return;
  tools::Merged merged({&rewriting.content(), &part}, nullptr, {});
  const cassettes::FinishReport report = rewrite(rewriting, merged);
  if (!report.finished) throw std::runtime_error(cassette + " was not updated: " + report.failure);
  std::cerr << fmt::format("tapedeck: added {} to {} as a new take\n", counted(added, "response"), printable(cassette));
}

void update(const VerifyOptions& options, const std::string& repeated, const tools::DiffResult& result) {
  const Drift drift = drift_in(result);
  for (const std::string& scope : drift.scopes) {
    std::cerr << fmt::format(
        "tapedeck: scope {} was not updated, because a scope can only be recorded as a whole\nhint: record its test "
        "again\n",
        printable(scope));
  }
  if (!drift.keys.empty()) add_take(options.cassette, repeated, drift.keys);
}

int verify(const VerifyOptions& options) {
  check(options.view);
  const cassettes::CassetteReader recorded = open_cassette(options.cassette);
  VerifyRun run(options.run, options.rate, recorded);
  const tools::VerifyPlan plan = tools::plan_verify(recorded, !options.run.device.account.empty());
  if (plan.questions.empty()) {
    throw UsageError(options.cassette + " contains no request that can be repeated" +
                     (plan.of(tools::NotAsked::no_account) > 0
                          ? "\nhint: its requests need a login; add --device-account NAME"
                          : ""));
  }
  ProgressBar bar;
  run.repeat(plan.questions, bar.until_stopped("repeating", "calls"));
  bar.end();
  if (run.failed() == plan.questions.size()) {
    throw std::runtime_error("the device did not respond to any request completely\nhint: run `tapedeck doctor " +
                             options.run.device.device + "` to find out why");
  }
  const std::string repeated = run.finished_cassette();
  tools::DiffOptions how;
  how.ignored = options.view.ignored;
  how.only = plan.compared;
  const tools::DiffResult result = compared(recorded, cassettes::CassetteReader(repeated), std::move(how));
  const RepeatedCalls calls{plan, run.failed()};
  print_diff(result, options.view, &calls);
  if (options.update && result.differs()) {
    run.keep_pseudonyms();
    update(options, repeated, result);
  }
  if (calls.failed > 0) return run_failed;
  return result.differs() ? incomplete : fine;
}

}  // namespace

void add_verify(Command& program) {
  auto [command, options] =
      program.command("verify", "Compare a cassette with the device (exit status 3 if they differ)", verify);
  command.argument("CASSETTE", into(options.cassette), "Cassette to read").required();
  DeviceOptions& device = options.run.device;
  command.option("--device", "URL", into(device.device), "Base URL of the device, as given to `tapedeck record`")
      .required();
  command.option("--device-account", "NAME", into(device.account),
                 "Log in with this account to repeat requests that need a login");
  add_password_options(command, device);
  add_certificate_options(command, device);
  command.option("--rate", "N", whole_number(options.rate), "Maximum requests per second; 0 for no limit")
      .show_default();
  add_rule_options(command, options.run.rules);
  add_private_key_option(command, options.run.private_values);
  add_diff_view_options(command, options.view);
  command.flag("--update", options.update, "Add the changed responses to the cassette as a new take");
  command.details =
      "Repeats only requests that read, and only those recorded before the first write of their lane. Never sends a "
      "write, not even in a compound request. The exit status is 0 if nothing differs, 3 if something differs, and 1 "
      "if requests failed.";
  command.common = {"--device",     "--device-account", "--device-password-file",
                    "--pin-sha256", "--insecure",       "--ca-file",
                    "--rate",       "--ignore",         "--noise",
                    "--update",     "--markdown",       "--json"};
  command.examples = {{"Check whether the device still responds as recorded",
                       "tapedeck verify --device https://nas.example:5001 nas.cassette"},
                      {"Also repeat requests that need a login",
                       "tapedeck verify --device https://nas:5001 --device-account test a.cassette"}};
}

}  // namespace tapedeck::cli
