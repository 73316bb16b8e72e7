#pragma once
// The journal and the control API, for every command that serves.
//
//   const auto journal = make_journal(options.control);
//   … a handler that is told of the journal …
//   const auto control = start_control(options.control, subject);
//   ready.write(path, url, with_control({{"command", "replay"}}, control.get()));

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/running/ready_file.h"
#include "cli/running/server.h"
#include "inspector/control_server.h"
#include "journal/journal.h"
#include "proxy/recorder.h"
#include "proxy/secret_count.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cli {

class Command;

struct ControlOptions {
  std::string control;  ///< HOST:PORT; empty: no control API
  std::string journal;  ///< file; empty: none
  bool ui = false;      ///< serve the page on the control port; without --control on a free one
  bool open = false;    ///< and show it in the desktop's browser
};

void add_control_options(Command& command, ControlOptions& options);

/// Null when nothing asked for one.
[[nodiscard]] std::unique_ptr<journal::Journal> make_journal(const ControlOptions& options);
/// Null without --control. Throws UsageError for an address that is not loopback. What `subject` points to must outlive
/// the server.
[[nodiscard]] std::unique_ptr<inspector::ControlServer> start_control(const ControlOptions& options,
                                                                      inspector::Subject subject);

/// Says where the page is, if there is one: on a terminal, and in the browser with --open. Its link never gets into a
/// log.
void show_page(const ControlOptions& options, const inspector::ControlServer* server);

using ReadyValues = std::vector<std::pair<std::string, std::string>>;
/// True when the control API is served, for itself or for the page.
[[nodiscard]] bool wants_control(const ControlOptions& options);
/// Says where the control API is and in which file its token, when nobody has said where that file is to be.
void tell_control(const inspector::ControlServer* server, const ReadyFile& ready);

/// With `control` and `token`, and `ui` for the page, added when there is a server.
[[nodiscard]] ReadyValues with_control(ReadyValues values, const inspector::ControlServer* server);

[[nodiscard]] inspector::Subject replay_subject(const std::string& command, const Server& server,
                                                journal::Journal* journal, replay::ReplayHandler& handler,
                                                ScopePorts& ports);
[[nodiscard]] inspector::Subject record_subject(const Server& server, journal::Journal* journal,
                                                const proxy::Recorder& recorder, proxy::RecordingScopes& scopes,
                                                ScopePorts& ports, inspector::Recording recording);
[[nodiscard]] inspector::Subject::Counts shown_counts(const proxy::SecretCount& secrets);
/// A line of `record` as an entry: its outcome is recorded, withheld, broken or "not recorded".
[[nodiscard]] journal::JournalEntry journal_entry(const proxy::RecordedLine& line);
/// What is kept beside that entry; null when the recorder shows nothing.
[[nodiscard]] std::shared_ptr<const journal::KeptRequest> kept_request(const proxy::RecordedLine& line);

}  // namespace tapedeck::cli
