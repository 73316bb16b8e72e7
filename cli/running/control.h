#pragma once
// Sets up the journal and the control API for every command that runs a server.
//
//   const auto journal = make_journal(options.control);
//   … a handler that writes to the journal …
//   const auto control = start_control(options.control, subject);
//   ready.write(path, url, with_control({{"command", "replay"}}, control.get()));

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/control_options.h"
#include "cli/running/ready_file.h"
#include "cli/running/server.h"
#include "inspector/control_server.h"
#include "journal/journal.h"
#include "proxy/recorder.h"
#include "proxy/secret_count.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cli {

/// Returns the journal, or null if no option needs one.
[[nodiscard]] std::unique_ptr<journal::Journal> make_journal(const ControlOptions& options);
/// Starts the control server. Returns null if no option needs one. Throws UsageError if the address is not a loopback
/// address. The objects to which `subject` points must outlive the server.
[[nodiscard]] std::unique_ptr<inspector::ControlServer> start_control(const ControlOptions& options,
                                                                      inspector::Subject subject);

/// Prints the link of the page, if there is one, on a terminal, and opens it in the browser with --open. The link
/// contains the token, so it is never logged.
void show_page(const ControlOptions& options, const inspector::ControlServer* server);

using ReadyValues = std::vector<std::pair<std::string, std::string>>;
/// Logs the address of the control API and the path of the file with its token, unless an option chose that path.
void tell_control(const inspector::ControlServer* server, const ReadyFile& ready);

/// Adds `control` and `token`, and `ui` for the page, if there is a server.
[[nodiscard]] ReadyValues with_control(ReadyValues values, const inspector::ControlServer* server);

[[nodiscard]] inspector::Subject replay_subject(const std::string& command, const Server& server,
                                                journal::Journal* journal, replay::ReplayHandler& handler,
                                                ScopePorts& ports);
[[nodiscard]] inspector::Subject record_subject(const Server& server, journal::Journal* journal,
                                                const proxy::Recorder& recorder, proxy::RecordingScopes& scopes,
                                                ScopePorts& ports, inspector::Recording recording);
[[nodiscard]] inspector::Subject::Counts shown_counts(const proxy::SecretCount& secrets);
/// Returns an interaction of `record` as a journal entry. Its outcome is recorded, withheld, broken, or "not recorded".
[[nodiscard]] journal::JournalEntry journal_entry(const proxy::RecordedLine& line);
/// Returns the request and response to keep with that entry, or null if the recorder does not show them.
[[nodiscard]] std::shared_ptr<const journal::KeptRequest> kept_request(const proxy::RecordedLine& line);

}  // namespace tapedeck::cli
