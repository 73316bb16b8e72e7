// tapedeck record: runs the proxy between clients and the device, from the start to the finished cassette.

#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>

#include "base/system.h"
#include "cassettes/file/files.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/options/headings.h"
#include "cli/options/replay_options.h"
#include "cli/options/server_options.h"
#include "cli/running/control.h"
#include "cli/running/device_side.h"
#include "cli/running/ending.h"
#include "cli/running/recording_run.h"
#include "cli/running/replay_run.h"
#include "cli/running/server.h"
#include "journal/refused_entry.h"

namespace tapedeck::cli {
namespace {

struct RecordOptions : ReplayCommandOptions {
  RecordingOptions recording;
  std::string mode = "all";
  bool allow_writes = false;
  std::vector<api::ScopeName> rerecord;
  EndingOptions ending;
};

/// Keeps new files of this process private, and disables core dumps.
void keep_to_ourselves() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  base::keep_memory_private();
  umask(077);
}

/// Records all requests on one loop. Everything that can prevent the recording is done before the take begins, so that
/// a failed start neither changes a cassette nor creates one.
class RecordServer {
 public:
  explicit RecordServer(const RecordOptions& options)
      : options_(options),
        is_new_(!std::filesystem::exists(options.recording.cassette)),
        control_(options.control, options.server.ready_file, "record"),
        server_(options.server, 1, true),
        recording_(recording_options(options.recording, options)) {
    RecordingRun::Start start{server_.main_loop(), server_.tls(), control_.journal()};
    start.checks_device = true;
    start.end = [this] { server_.main_loop().post([this] { shut_down(); }); };
    recording_.start(std::move(start));
    server_.set_handler(recording_.recorder());
    server_.on_refused([this](const http::Request& request, const std::string& line, bool /*is_new*/) {
      if (control_.journal() != nullptr) control_.journal()->add(journal::refused_entry(request, line));
    });
    recording_.scopes().set_default(options.replay.scope);
    control_.serve(subject());
  }
  ~RecordServer() { control_.end(); }
  RecordServer(const RecordServer&) = delete;
  RecordServer& operator=(const RecordServer&) = delete;

  int run() {
    const http::BaseUrl& device = recording_.relay().device;
    http::EventLoop& loop = server_.main_loop();
    const auto ended = [this] { shut_down(); };
    end_on_signals(loop, ended);
    end_with_starter(loop, options_.ending, ended);
    control_.prepare_ready_file(server_.url());
    recording_.begin();
    log::info("recording {} at {}{} into {}", device.origin(), server_.url(), device.path,
              printable(options_.recording.cassette));
    loop.every(std::chrono::milliseconds(200), [this] {
      recording_.show_progress();
      return true;
    });
    try {
      control_.put_ready_file();
      control_.announce();
      server_.run();
    } catch (const std::exception& error) {
      recording_.end_with(recording_.scrub_text(error.what()));
    }
    // With --mode once, an empty cassette would be replayed from then on.
    return recording_.finish(true, is_new_, options_.strict, server_.refused());
  }

 private:
  [[nodiscard]] inspector::Subject subject() {
    inspector::Subject subject{"record",
                               server_.url(),
                               control_.journal(),
                               nullptr,
                               [this] {
                                 const proxy::RecorderStats stats = recording_.stats();
                                 return inspector::Subject::Counts{
                                     {"requests", stats.requests}, {"recorded", stats.recorded},
                                     {"scrubbed", stats.scrubbed}, {"withheld", stats.withheld},
                                     {"broken", stats.broken},     {"not_recorded", stats.not_recorded},
                                     {"blocked", stats.blocked},   {"refused", server_.refused()}};
                               },
                               with_ports(inspector::scope_calls(recording_.scopes()), ports_)};
    subject.recording.mark = [this](const std::string& name) { recording_.mark(name); };
    subject.recording.finish = [this] { server_.main_loop().post([this] { shut_down(); }); };
    subject.recording.learned = [this] { return shown_counts(recording_.secrets()); };
    subject.cassettes = {options_.recording.cassette};
    subject.device = recording_.relay().device.origin();
    return subject;
  }

  /// Clients still get the responses that the device has sent. Requests without a response end early enough for their
  /// clients to be notified.
  void shut_down() {
    recording_.shut_down();
    server_.shut_down([this] { recording_.disconnect(); });
  }

  const RecordOptions& options_;
  const bool is_new_;  ///< the cassette did not exist before
  RunControl control_;
  Server server_;
  RecordingRun recording_;
  ScopePorts ports_{server_};
};

ReplayCommandOptions replay_options(const RecordOptions& options) {
  ReplayCommandOptions replay = options;
  replay.replay.cassettes = {options.recording.cassette};
  return replay;
}

/// Replays recorded requests and records the others.
int record_new(const RecordOptions& options) {
  DeviceSideOptions side;
  side.recording = recording_options(options.recording, options);
  side.recording.discards_logins = true;
  side.allow_writes = options.allow_writes && !options.recording.block_writes;
  if (!options.recording.block_writes) side.recording.unblock_hint = "record with --allow-writes";
  side.recording.block_writes = !side.allow_writes;
  side.rerecord = options.rerecord;
  DeviceSide device(side, replay_options(options), "record");
  end_with_starter(device.run().server().main_loop(), options.ending, [&device] { device.shut_down(); });
  device.announce();
  device.run().serve();
  const int status = device.finish(true, options.strict);
  return device.run().is_damaged() ? static_cast<int>(run_failed) : status;
}

/// Replays an existing cassette without contacting the device.
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
  if (options.mode != "new" && !options.replay.bind_params.empty()) {
    throw UsageError("--bind requires --mode new: in other modes nothing is matched with what is recorded");
  }
  if (options.mode != "new" && !options.replay.match_headers.empty()) {
    throw UsageError("--match-header requires --mode new: in other modes nothing is matched with what is recorded");
  }
  if (options.mode != "new" && options.allow_writes) {
    throw UsageError(
        "--allow-writes requires --mode new: in other modes every request is forwarded unless --block-writes is given");
  }
  if (options.mode == "all" && !options.replay.overlay_files.empty()) {
    throw UsageError("--overlay requires --mode new: in mode `all` every response comes from the device");
  }
  if (options.mode != "all") refuse_changes(options.replay, "--mode " + options.mode);
  if (options.mode == "new") return record_new(options);
  if (options.mode == "once" && cassettes::is_recorded(options.recording.cassette)) return play_once(options);
  return RecordServer(options).run();
}

void add_main_options(Command& command, RecordOptions& options) {
  command
      .choice("--mode", one_of(options.mode, {"all", "new", "once"}),
              "all: record every request; new: only requests without a recording; once: record if the cassette is "
              "missing, otherwise replay it")
      .show_default();
  add_rerecord_option(command, options.rerecord, "--mode new");
  command.option("--bind", "PARAM", into(options.replay.bind_params),
                 "Match any value of this parameter, for IDs that clients generate (with --mode new)");
  command.option("--match-header", "NAME", into(options.replay.match_headers),
                 "Match this request header, too, besides those by which recordings differ (with --mode new)");
  command.flag("--block-writes", options.recording.block_writes,
               "Respond with error 105 to requests that change the device");
  command.option("--scope", "NAME", scope_into(options.replay.scope), "Default scope for requests that name none");
  command.option("--note", "TEXT", into(options.recording.note),
                 "Describe the recording; `tapedeck ls` shows the text");
  command.option("--strict", "[=LIST]", strict_into(options.strict, Strict::on_record),
                 "Exit with status 3 after a withheld or broken response, or after the events in LIST");
  add_ending_options(command, options.ending);
  command.flag("--durable", options.recording.writing.durable,
               "Sync each response to the disk before it is sent to the client");
}

}  // namespace

void add_record(Command& program) {
  auto [command, options] =
      program.command("record", "Forward requests to a device and record them in a cassette", record);
  command.argument("CASSETTE", into(options.recording.cassette), "Cassette to create or append to").required();
  command
      .option("--device", "URL", into(options.recording.device.device),
              "Base URL of the device, such as https://nas.example:5001")
      .required();
  add_main_options(command, options);
  {
    const Heading heading(command, headings::device);
    command.flag("--allow-writes", options.allow_writes, "With --mode new: also send calls that change the device");
    add_certificate_options(command, options.recording.device);
  }
  {
    const Heading heading(command, headings::rules);
    add_rule_options(command, options.rules);
    add_private_options(command, options.private_values);
  }
  add_overlay_options(command, options);
  add_control_options(command, options.control);
  add_server_options(command, options.server);
  add_device_limits(command, options.server);
  command.details =
      std::string(
          "Point clients at the address of --listen instead of the device. Ctrl-C stops the recording, finishes the "
          "cassette, and prints a summary. Secrets are replaced before anything is stored.") +
      strict_sentence();
  command.common = {"--device",     "--mode",    "--listen",  "--block-writes", "--note",    "--insecure",
                    "--pin-sha256", "--ca-file", "--private", "--config",       "--overlay", "--page"};
  command.examples = {{"Record what clients send to http://127.0.0.1:8080 until you press Ctrl-C",
                       "tapedeck record --device https://nas.example:5001 nas.cassette"},
                      {"Accept a self-signed certificate by its fingerprint",
                       "tapedeck record --device https://nas:5001 --pin-sha256 HEX nas.cassette"}};
}

}  // namespace tapedeck::cli
