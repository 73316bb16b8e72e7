// tapedeck record: the proxy between clients and the device, from start to the finished cassette.

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/program_pages.h"
#include "cassettes/file/files.h"
#include "cassettes/finish/finish.h"
#include "cassettes/write/cassette_writer.h"
#include "cli/app.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/log.h"
#include "cli/options/control_options.h"
#include "cli/options/device_options.h"
#include "cli/options/ending_options.h"
#include "cli/options/headings.h"
#include "cli/options/private_options.h"
#include "cli/options/replay_options.h"
#include "cli/options/rule_options.h"
#include "cli/options/server_options.h"
#include "cli/options/strict.h"
#include "cli/reports/finish_report.h"
#include "cli/reports/record_report.h"
#include "cli/running/device_check.h"
#include "cli/running/device_side.h"
#include "cli/running/ending.h"
#include "cli/running/finish_recording.h"
#include "cli/running/ready_file.h"
#include "cli/running/recording_options.h"
#include "cli/running/replay_run.h"
#include "cli/running/server.h"
#include "cli/running/take_of_now.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"
#include "http/device/relay.h"
#include "journal/refused_entry.h"
#include "proxy/parts.h"
#include "proxy/recorder.h"

namespace tapedeck::cli {
namespace {

struct RecordOptions {
  ServerOptions server;
  ControlOptions control;
  RuleOptions rules;
  PrivateCommandOptions private_values;
  DeviceOptions device;
  std::string cassette;
  std::string note;
  std::string mode = "all";
  bool allow_writes = false;
  bool block_writes = false;
  ReplayCommandOptions overlays;      ///< and what they need; nothing else of it
  std::vector<std::string> rerecord;  ///< names of scopes
  std::string scope;
  std::string strict;  ///< --strict, unread (Strict)
  bool strict_scan = false;
  EndingOptions ending;
  bool durable = false;
};

/// Secrets are in this process's memory: no core dump, and no file that others may read.
void keep_to_ourselves() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0);
  umask(077);
}

/// The recording from its first request to its last, on one loop. Whatever can keep it from starting does so before the
/// take begins: the cassette is not touched then, and one that is not there is not made.
class Session {
 public:
  explicit Session(const RecordOptions& options)
      : options_(options),
        is_new_(!std::filesystem::exists(options.cassette)),
        strict_(options.strict, Strict::on_record),
        relay_options_(recording_relay(options.device, limits_of(options.server))),
        ready_(options.server.ready_file, wants_control(options.control)),
        extras_{options.strict_scan, options.private_values},
        scrubbing_(recording_scrubber(options.rules, options.private_values, relay_options_)),
        scrubber_(scrubbing_),
        journal_(make_journal(options.control)),
        server_(options.server, 1, true),
        writer_(std::make_unique<cassettes::CassetteWriter>(
            options.cassette, take_of_now(options.note, relay_options_.device, scrubber_),
            cassettes::CassetteWriter::Begin::later, cassettes::WriteOptions{options.durable, true})),
        relay_(server_.main_loop(), reached(relay_options_)),
        parts_(relay_, scrubber_, *writer_),
        recorder_({relay_options_.device, server_.tls(), options.block_writes, shown_body()}, parts_, parts_, parts_,
                  scopes_,
                  {[this](Lines lines) { log(lines); }, [this](const std::string& why) { end_with(why); },
                   [this](const std::string& origin) { warn_of(origin); }}) {
    writer_->on_fault([this](const std::string& what) { end_with(scrubber_.scrub_text(what)); });
    if (journal_) journal_->hide_with([this](std::string_view text) { return scrubber_.scrub_text(text); });
    server_.set_handler(recorder_);
    server_.on_refused([this](const http::Request& request, const std::string& line, bool /*is_new*/) {
      if (journal_) journal_->add(journal::refused_entry(request, line));
    });
    if (!options.scope.empty()) scopes_.begin(scope_named("--scope", options.scope));
    inspector::Subject subject = record_subject(server_, journal_.get(), recorder_, scopes_, ports_, steering());
    subject.cassettes = {options.cassette};
    subject.device = relay_options_.device.origin();
    control_ = start_control(options.control, std::move(subject));
  }

  int run() {
    const std::string url = server_.url();
    if (options_.device.insecure)
      log::warn("--insecure accepts any certificate, so another machine could pose as the device");
    http::EventLoop& loop = server_.main_loop();
    const auto ended = [this] { shut_down(); };
    end_on_signals(loop, ended);
    end_with_starter(loop, options_.ending, ended);
    ready_.prepare(url, with_control({{"command", "record"}}, control_.get()));
    writer_->begin();
    log::info("recording {} at {}{} into {}", relay_options_.device.origin(), url, relay_options_.device.path,
              printable(options_.cassette));
    loop.every(std::chrono::milliseconds(200), [this] {
      progress_.show(recorder_.stats());
      return true;
    });
    base::unmap_code();  // clients may come at once: what the start ran and what they need would both be there
    try {
      ready_.put();
      tell_control(control_.get(), ready_);
      show_page(options_.control, control_.get());
      server_.run();
    } catch (const std::exception& error) {
      end_with(scrubber_.scrub_text(error.what()));
      relay_.shut_down();
    }
    const int status = finish();
    return failed_ ? run_failed : status;
  }

 private:
  using Lines = std::span<const proxy::RecordedLine>;

  [[nodiscard]] std::size_t shown_body() const {
    return journal_ != nullptr && journal_->keeps() ? journal::KeptRequest::longest_body : 0;
  }

  [[nodiscard]] inspector::Recording steering() {
    inspector::Recording recording;
    recording.mark = [this](const std::string& name) { mark(name); };
    recording.finish = [this] { server_.main_loop().post([this] { shut_down(); }); };
    recording.learned = [this] { return shown_counts(secrets_); };
    return recording;
  }

  void mark(const std::string& name) {
    const std::int64_t now = base::now_us();
    const std::lock_guard lock(writer_mutex_);
    if (writer_ == nullptr) return;  // the recording ends
    writer_->tell({cassettes::TakeEvent::Kind::mark, now, scrubber_.scrub_text(name)});
  }

  /// From any thread, with scrubbed words: something has failed that never does. What was recorded is finished.
  void end_with(const std::string& why) {
    if (failed_.exchange(true)) return;
    progress_.end_line();
    log::critical("stopping the recording: {}", printable(why));
    server_.main_loop().post([this] { shut_down(); });
  }

  /// Clients get what the device answers by now; what it has not answered ends in time for its clients to be told.
  void shut_down() {
    constexpr std::chrono::milliseconds patience{600};
    server_.main_loop().after(patience, [this] { relay_.shut_down(); });
    server_.shut_down([this] { relay_.shut_down(); });
  }

  void warn_of(const std::string& origin) {
    progress_.end_line();
    log::warn(
        "a response redirects clients to {}, which is not the recorded device; the redirect was rewritten to this "
        "recorder",
        printable(origin));
  }

  void log(Lines lines) {
    const log::Batch together;
    for (const proxy::RecordedLine& line : lines) {
      progress_.log(line, scrubber_);
      if (line.shown != nullptr) secrets_.add(*line.shown);
      if (journal_) journal_->add(journal_entry(line), kept_request(line));
    }
  }

  [[nodiscard]] std::unique_ptr<cassettes::CassetteWriter> take_writer() {
    const std::lock_guard lock(writer_mutex_);
    return std::move(writer_);
  }

  int finish() {
    FinishProgress finishing;
    recorder_.drain();
    scopes_.disconnect();
    writer_->flush();
    progress_.show(recorder_.stats());
    progress_.end_line();
    const bool is_empty = writer_->stats().committed == 0 && recorder_.stats().not_recorded == 0;
    const auto finish = [&](cassettes::FinishOptions options) {
      // With --mode once an empty cassette would be all that ever plays.
      options.unless_empty = is_empty && is_new_;
      return cassettes::finish(take_writer(), options);
    };
    const cassettes::FinishReport report = finish_recording(finish, scrubber_, extras_, journal_.get(),
                                                            scrubbing_.profile.get(), finishing.shown());
    finishing.end();
    if (report.is_unchanged) {
      log::info("nothing was recorded; no cassette was created");
      return fine;
    }
    return report_recording(
        {recorder_.stats(), recorder_.by_api(), scrubber_, report, scopes_.clashes(), server_.refused()},
        options_.cassette, strict_);
  }

  const RecordOptions& options_;
  const bool is_new_;  ///< the cassette was not there before
  const Strict strict_;
  http::RelayOptions relay_options_;
  ReadyFile ready_;
  const RecordingExtras extras_;
  const scrubbers::ScrubberOptions scrubbing_;
  scrubbers::Scrubber scrubber_;
  std::unique_ptr<journal::Journal> journal_;  ///< asks the scrubber to its end
  Server server_;
  RecordProgress progress_;
  proxy::SecretCount secrets_;
  std::unique_ptr<cassettes::CassetteWriter> writer_;
  std::mutex writer_mutex_;  ///< the control API's threads ask for writer_, too
  http::Relay relay_;
  proxy::Parts parts_;
  proxy::RecordingScopes scopes_;
  ScopePorts ports_{server_};
  proxy::Recorder recorder_;
  std::atomic<bool> failed_ = false;
  std::unique_ptr<inspector::ControlServer> control_;
};

ReplayCommandOptions replay_options(const RecordOptions& options) {
  ReplayCommandOptions replay = options.overlays;
  replay.server = options.server;
  replay.control = options.control;
  replay.rules = options.rules;
  replay.scope = options.scope;
  replay.private_values.key_file = options.private_values.key_file;
  replay.replay.cassettes = {options.cassette};
  return replay;
}

/// What is there is played, and the rest is asked for.
int record_new(const RecordOptions& options) {
  DeviceSideOptions side;
  side.device = options.device;
  side.rules = options.rules;
  side.private_values = options.private_values;
  side.limits = limits_of(options.server);
  side.cassette = options.cassette;
  side.note = options.note;
  side.allow_writes = options.allow_writes && !options.block_writes;
  side.strict_scan = options.strict_scan;
  side.writing.durable = options.durable;
  side.rerecord = scopes_named("--rerecord", options.rerecord);
  DeviceSide device(side, replay_options(options), "record");
  end_with_starter(device.run().server().main_loop(), options.ending, [&device] { device.shut_down(); });
  device.announce();
  device.run().serve();
  const int status = device.finish(true, Strict(options.strict, Strict::on_record));
  return device.run().is_damaged() ? static_cast<int>(run_failed) : status;
}

/// Nothing is sent anywhere.
int play_once(const RecordOptions& options) {
  ReplayRun run(replay_options(options), "record");
  const auto shut_down = [&run] { run.shut_down(); };
  end_on_signals(run.server().main_loop(), shut_down);
  end_with_starter(run.server().main_loop(), options.ending, shut_down);
  run.announce();
  run.serve();
  return run.is_damaged() ? run_failed : fine;
}

int record(const RecordOptions& options) {
  keep_to_ourselves();
  if (options.mode != "new" && !options.rerecord.empty()) throw UsageError("--rerecord requires --mode new");
  if (options.mode != "new" && !options.overlays.replay.bind_params.empty()) {
    throw UsageError("--bind requires --mode new: in other modes nothing is matched with what is recorded");
  }
  if (options.mode != "new" && options.allow_writes) {
    throw UsageError(
        "--allow-writes requires --mode new: in other modes every request is forwarded unless --block-writes is given");
  }
  if (options.mode == "all" && !options.overlays.replay.overlay_files.empty()) {
    throw UsageError("--overlay requires --mode new: in mode `all` every response comes from the device");
  }
  if (options.mode != "all") refuse_effects(options.overlays.replay, "--mode " + options.mode);
  if (options.mode == "new") return record_new(options);
  if (options.mode == "once" && cassettes::is_recorded(options.cassette)) return play_once(options);
  if (!options.device.account.empty() || !options.device.password_file.empty()) {
    throw UsageError(
        "--device-account and --device-password-file require --mode new: in other modes clients log in themselves");
  }
  finish_leftover(options.cassette);
  mention_side_files(options.cassette);
  return Session(options).run();
}

void add_main_options(Command& command, RecordOptions& options) {
  command
      .choice("--mode", one_of(options.mode, {"all", "new", "once"}),
              "all: record every request; new: only requests without a recording; once: record if the cassette is "
              "missing, otherwise replay it")
      .show_default();
  add_rerecord_option(command, options.rerecord, "--mode new");
  command.option("--bind", "PARAM", into(options.overlays.replay.bind_params),
                 "Match any value of a parameter that the client draws anew (with --mode new)");
  command.flag("--block-writes", options.block_writes, "Respond with error 105 to requests that change the device");
  command.option("--scope", "NAME", into(options.scope), "Default scope for requests that name none");
  command.option("--note", "TEXT", into(options.note), "Describe the recording; `tapedeck ls` shows the text");
  command.option("--strict", "[=LIST]", into(options.strict),
                 "Exit with status 3 after a withheld or broken response, or after the events in LIST");
  add_ending_options(command, options.ending);
  command.flag("--strict-scan", options.strict_scan, "Also exit with status 3 if only suspects are found");
  command.flag("--durable", options.durable, "Sync each response to the disk before it is sent to the client");
}

/// The one session of --mode new.
void add_session_options(Command& command, RecordOptions& options) {
  add_account_options(command, options.device, "--mode new");
  command.flag("--allow-writes", options.allow_writes, "With --mode new: also send calls that change the device");
}

}  // namespace

void add_record(Command& program) {
  auto options = std::make_shared<RecordOptions>();
  Command& command = program.command("record", "Forward requests to a device and record them in a cassette");
  command.argument("CASSETTE", into(options->cassette), "Cassette to create or append to").required();
  command
      .option("--device", "URL", into(options->device.device),
              "Base URL of the device, such as https://nas.example:5001")
      .required();
  add_main_options(command, *options);
  {
    const Heading heading(command, headings::device);
    add_session_options(command, *options);
    add_certificate_options(command, options->device);
  }
  {
    const Heading heading(command, headings::rules);
    add_rule_options(command, options->rules);
    add_private_options(command, options->private_values);
  }
  add_overlay_options(command, options->overlays);
  add_control_options(command, options->control);
  add_server_options(command, options->server);
  add_device_limits(command, options->server);
  command.details =
      std::string(
          "Point clients at the address of --listen instead of the device. Ctrl-C stops the recording, finishes the "
          "cassette, and prints a summary. Secrets are replaced before anything is stored.") +
      strict_sentence();
  command.common = {"--device",     "--mode",    "--listen",  "--block-writes", "--note",    "--insecure",
                    "--pin-sha256", "--ca-file", "--private", "--config",       "--overlay", "--ui"};
  command.examples = {{"Record what clients send to http://127.0.0.1:8080 until you press Ctrl-C",
                       "tapedeck record --device https://nas.example:5001 nas.cassette"},
                      {"Accept a self-signed certificate by its fingerprint",
                       "tapedeck record --device https://nas:5001 --pin-sha256 HEX nas.cassette"}};
  command.action = [options] { return record(*options); };
}

}  // namespace tapedeck::cli
