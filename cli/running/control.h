#pragma once
// The journal, the control API, and the ready file of every command that runs a server.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/server_options.h"
#include "cli/running/ready_file.h"
#include "cli/running/server.h"
#include "inspector/control_server.h"
#include "journal/journal.h"

namespace tapedeck::proxy {
struct RecordedLine;
class SecretCount;
}  // namespace tapedeck::proxy

namespace tapedeck::cli {

/// Declare it before the objects that use the journal, and call end() before they are destroyed.
class RunControl {
 public:
  /// Creates the journal if an option needs one. Without a path, the ready file gets a folder of its own if the control
  /// API is served, except for `exec`, which passes the token to its command. Throws std::runtime_error.
  RunControl(const ControlOptions& options, const std::string& ready_file, std::string command);

  [[nodiscard]] const std::string& command() const { return command_; }
  /// Returns the journal, or null.
  [[nodiscard]] journal::Journal* journal() const { return journal_.get(); }
  /// Returns the control server, or null.
  [[nodiscard]] const inspector::ControlServer* server() const { return server_.get(); }

  /// Starts the control server if an option needs one. Throws UsageError if the address is not a loopback address. The
  /// objects to which `subject` points must outlive the server.
  void serve(inspector::Subject subject);
  /// Ends the control server.
  void end() { server_.reset(); }

  /// Like ReadyFile's functions of these names.
  void prepare_ready_file(const std::string& url);
  void put_ready_file() { ready_.put(); }
  /// Logs the address of the control API. Prints the link of the page, if there is one, on a terminal. The link
  /// contains the token, so it is never logged.
  void announce() const;

 private:
  const ControlOptions options_;
  const std::string command_;
  ReadyFile ready_;
  std::unique_ptr<journal::Journal> journal_;
  std::unique_ptr<inspector::ControlServer> server_;
};

/// Adds the function that opens a port for a scope. The port closes when the scope's run ends.
[[nodiscard]] inspector::ScopeCalls with_ports(inspector::ScopeCalls calls, ScopePorts& ports);
[[nodiscard]] inspector::Subject::Counts shown_counts(const proxy::SecretCount& secrets);
/// Returns an interaction of `record` as a journal entry. Its outcome is recorded, withheld, broken, or "not recorded".
[[nodiscard]] journal::JournalEntry journal_entry(const proxy::RecordedLine& line);
/// Returns the request and response to keep with that entry, or null if the recorder does not show them.
[[nodiscard]] std::shared_ptr<const journal::KeptRequest> kept_request(const proxy::RecordedLine& line);

}  // namespace tapedeck::cli
