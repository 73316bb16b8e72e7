#include "cli/running/recording_run.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>

#include "api/interaction.h"
#include "base/clock.h"
#include "base/system.h"
#include "cassettes/file/files.h"
#include "cassettes/finish/finish.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/console/exit_status.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "cli/options/certificate_pins.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/finish_report.h"
#include "cli/reports/progress_bar.h"
#include "cli/running/control.h"
#include "cli/running/journal_cleaning.h"
#include "http/device/relay.h"
#include "http/io/buffer_charge.h"
#include "proxy/examination.h"

namespace tapedeck::cli {
namespace {

scrubbers::ScrubberOptions scrubber_options(const RecordingOptions& options, const http::RelayOptions& relay) {
  scrubbers::ScrubberOptions scrubbing;
  Config config = read_config(options.rules);
  scrubbing.rules = std::move(config.rules);
  // Responses contain the device's name in URLs, where no name of a member shows that it is private.
  const std::string& host = relay.device.host;
  const bool is_address = host.find_first_not_of("0123456789.:abcdef") == std::string::npos;
  if (!is_address && host != "localhost") config.private_values.replace.push_back(host);
  scrubbing.profile = writing_profile(options.private_values, std::move(config.private_values));
  scrubbing.base_path = relay.device.path;
  scrubbing.key_policy = api::KeyPolicy::current_number;
  scrubbing.max_decoded = relay.limits.max_body;  // a compressed body may cost no more memory than the longest response
  scrubbing.room_for_request = [limit = relay.limits.buffer_bytes] {
    const std::size_t total = http::BufferCharge::total();
    return total < limit ? (limit - total) / 2 : 0;  // the scrubbed copy needs the same amount
  };
  return scrubbing;
}

bool is_accepted(const http::SeenCertificate& seen, const http::BaseUrl& device) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return false;
  std::cerr << device.origin() << ": " << printable(*seen.fault) << "\nThe certificate is for "
            << printable(seen.subject) << ".\nTrust this certificate? [y/N] " << std::flush;
  std::string reply;
  std::getline(std::cin, reply);
  return reply == "y" || reply == "Y" || reply == "yes";
}

void pin(http::RelayOptions& relay, const std::string& fingerprint) {
  relay.tls.pin_sha256 = fingerprint;
  const auto why = keep_pin(relay.device, fingerprint);
  if (why) log::warn("the certificate cannot be remembered in {}: {}", printable(state_path("pins")), *why);
}

/// Checks the connection to the device. On a terminal the user may accept an untrusted certificate, which is then
/// pinned in the returned options and stored for the next time. Throws std::runtime_error that names the problem and
/// the option or URL that solves it.
http::RelayOptions reached(http::RelayOptions relay) {
  using Kind = proxy::Contact::Kind;
  const http::BaseUrl& device = relay.device;
  const proxy::Contact found = proxy::contact(relay);
  std::string why = found.why, hint;
  if (found.kind == Kind::good) return relay;
  if (found.kind == Kind::unreachable) hint = "check the host and the port of --device";
  if (found.kind == Kind::other_scheme) {
    const http::BaseUrl other = proxy::with_other_scheme(device);
    hint = "use --device " + other.origin() + other.path + ", or " + proxy::usual_port(device);
  }
  if (found.kind == Kind::untrusted) {
    why = *found.certificate->fault;
    const bool is_pinned = relay.tls.pin_sha256.has_value();
    if (!is_pinned && !relay.tls.ca_file && is_accepted(*found.certificate, device)) {
      pin(relay, found.certificate->fingerprint);
      return relay;
    }
    if (is_pinned && accepted_pin(device) == relay.tls.pin_sha256)
      hint = "you accepted another certificate earlier, which is kept in " + state_path("pins");
  }
  throw std::runtime_error("cannot record " + device.origin() + ": " + why + (hint.empty() ? "" : "\nhint: ") + hint);
}

/// Returns the random number of the cassette's newest take that has one, so that accounts keep their check values.
std::optional<std::uint64_t> newest_account_key(const std::string& cassette) {
  if (!std::filesystem::exists(cassette)) return std::nullopt;
  std::optional<std::uint64_t> key;
  const cassettes::CassetteReader reader(cassette);
  for (const cassettes::Take& take : reader.info().takes) key = take.account_key ? take.account_key : key;
  return key;
}

/// Throws std::bad_alloc unless the process may map `bytes` more bytes (`ulimit -v`).
void require_address_space(std::size_t bytes) {
  void* const block = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  munmap(block, bytes);
}

}  // namespace

RecordingRun::RecordingRun(RecordingOptions options)
    : options_(std::move(options)), relay_options_(device_relay(options_.device, "--device")) {
  relay_options_.limits = options_.limits;
  relay_options_.most_pieces = api::most_stream_events;
  base::keep_memory_private();
  finish_leftover(options_.cassette);
  mention_side_files(options_.cassette);
  scrubbing_ = scrubber_options(options_, relay_options_);
  scrubbing_.account_key = newest_account_key(options_.cassette);
  scrubber_ = std::make_shared<scrubbers::Scrubber>(scrubbing_);
  log::hide_with([known = scrubber_](std::string_view text) { return known->scrub_text(text); });
}

RecordingRun::~RecordingRun() = default;

void RecordingRun::start(Start start) {
  // With less, the recorder would start, and then fail at the first response or when it finishes the recording.
  constexpr std::size_t least_address_space = 32U << 20U;
  require_address_space(least_address_space);
  journal_ = start.journal;
  loop_ = &start.loop;
  end_ = std::move(start.end);
  if (journal_ != nullptr) {
    journal_->hide_with([known = scrubber_](std::string_view text) { return known->scrub_text(text); });
  }
  writer_ = std::make_unique<cassettes::CassetteWriter>(options_.cassette, take_of_now(),
                                                        cassettes::CassetteWriter::Begin::later, options_.writing);
  writer_->on_fault([this](const std::string& what) { end_with(scrub_text(what)); });
  if (start.checks_device) relay_options_ = reached(relay_options_);
  connect(start);
}

/// Builds the chain from the connections to the recorder.
void RecordingRun::connect(const Start& start) {
  relay_ = std::make_unique<http::Relay>(*loop_, relay_options_);
  proxy::Recorder::Callbacks callbacks;
  callbacks.lines = [this](Lines lines) { log(lines); };
  callbacks.fault = [this](const std::string& why) { end_with(why); };
  callbacks.other_origin = [this](const std::string& origin, bool is_redirect) {
    progress_.end_line();
    if (!is_redirect) {
      log::warn(
          "a response names {}, which is not the recorded device, so clients that follow the URL go around this "
          "recorder; to record them, too, run another `tapedeck record --device {}`",
          printable(origin), printable(origin));
      return;
    }
    log::warn(
        "a response redirects clients to {}, which is not the recorded device; the redirect was rewritten to this "
        "recorder",
        printable(origin));
  };
  callbacks.looped = [this] {
    progress_.end_line();
    log::warn("a request returned to this recorder and was refused: --device leads to the recorder itself");
  };
  callbacks.blocked_in = start.blocked_in;
  const bool shows = journal_ != nullptr && journal_->keeps();
  recorder_ = std::make_unique<proxy::Recorder>(
      proxy::RecorderOptions{relay_options_.device, start.tls, options_.block_writes, options_.unblock_hint,
                             options_.limits.max_message, shows ? journal::KeptRequest::longest_body : 0},
      proxy::RecorderParts{*relay_, *scrubber_, *writer_, scopes_}, std::move(callbacks));
}

cassettes::Take RecordingRun::take_of_now() const {
  cassettes::Take take;
  take.note = options_.note;
  take.tool_version = TAPEDECK_VERSION;
  take.base_path = relay_options_.device.path;
  take.device = scrub_text(relay_options_.device.origin());
  take.key_policy = api::KeyPolicy::current_number;
  take.scrub_policy = scrubber_->rules().fingerprint();
  take.started_us = base::now_us();
  return take;
}

void RecordingRun::mark(const std::string& name) {
  const std::int64_t now = base::now_us();
  const std::lock_guard lock(writer_mutex_);
  if (writer_ == nullptr) return;  // the recording is ending
  writer_->tell({cassettes::TakeEvent::Kind::mark, now, scrub_text(name)});
}

void RecordingRun::end_with(const std::string& why) {
  if (failed_.exchange(true)) return;
  progress_.end_line();
  log::critical("stopping the recording: {}", printable(why));
  end_();
}

void RecordingRun::shut_down() {
  constexpr std::chrono::milliseconds patience{600};
  loop_->after(patience, [this] { relay_->shut_down(); });
}

void RecordingRun::log(Lines lines) {
  for (const proxy::RecordedLine& line : lines) {
    progress_.log(line, *scrubber_, writer_->stats().is_disk_full);
    if (line.shown != nullptr) secrets_.add(*line.shown);
    if (journal_ != nullptr) journal_->add(journal_entry(line), kept_request(line));
  }
}

void RecordingRun::drain() {
  relay_->shut_down();
  scopes_.disconnect();
  recorder_->drain();
}

std::unique_ptr<cassettes::CassetteWriter> RecordingRun::take_writer() {
  const std::lock_guard lock(writer_mutex_);
  return std::move(writer_);
}

void RecordingRun::drop_interrupted(Unreported unreported) {
  for (const std::string& name : scopes_.end(unreported)) {
    progress_.end_line();
    log::warn("scope {} is not kept, because its result was not reported", printable(name));
  }
}

int RecordingRun::finish(bool keep, bool unless_empty, const Strict& strict, std::uint64_t refused,
                         Unreported unreported) {
  umask(077);  // no running command inherits the mask
  drop_interrupted(unreported);
  drain();
  show_progress();
  progress_.end_line();
  const std::string name = printable(options_.cassette);
  const proxy::RecorderStats stats = recorder_->stats();
  const bool only_logins = options_.discards_logins && writer_->stats().committed == stats.logins;
  if (unless_empty && (writer_->stats().committed == 0 || only_logins) && stats.not_recorded == 0) {
    take_writer()->discard();
    log::info("nothing {}was recorded; {}", only_logins && stats.logins > 0 ? "but logins " : "",
              std::filesystem::exists(options_.cassette) ? name + " is unchanged" : "no cassette was created");
    return failed_ ? run_failed : fine;
  }
  // Without its events, a failed scope would look complete.
  const bool has_events = writer_->stats().events_not_recorded == 0;
  const cassettes::FinishReport report = finish_cassette(keep && has_events, unless_empty);
  if (report.is_unchanged) {
    log::info("the new recording was not kept; {} is unchanged", name);
  } else if (!report.failed.empty()) {
    log::warn("{} is unchanged; the new recording is in {}.failed", name, name);
  }
  const int status = report_recording({stats, recorder_->by_api(), *scrubber_, report, scopes_.clashes(), refused},
                                      options_.cassette, strict);
  return failed_ ? run_failed : status;
}

/// Finishes the cassette, then cleans the journal and stores new pseudonyms.
cassettes::FinishReport RecordingRun::finish_cassette(bool keep, bool unless_empty) {
  ProgressBar finishing;
  cassettes::FinishOptions options;
  options.scrubber = scrubber_.get();
  options.strict_scan = options_.strict_scan;
  options.keep = keep;
  options.unless_empty = unless_empty;
  options.progress = finishing.steps_until_stopped();
  cassettes::FinishReport report = cassettes::finish(take_writer(), options);
  if (journal_ != nullptr) {
    journal_->finish_file([this](std::string_view lines) { return cleaned_journal(lines, *scrubber_); });
  }
  keep_given(options_.private_values, scrubbing_.profile.get());
  return report;
}

}  // namespace tapedeck::cli
