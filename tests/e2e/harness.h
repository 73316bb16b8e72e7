#pragma once
// Helpers for end-to-end tests: servers of the built program, and a client's session as a list of steps.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/device.h"
#include "tests/support/process.h"

namespace tapedeck::tests {

/// Returns the path of the built program: TAPEDECK_BIN.
[[nodiscard]] std::string binary();
/// Runs `tapedeck ARGUMENTS` and waits for its end.
[[nodiscard]] Ran run_tapedeck(std::vector<std::string> arguments);
/// Returns the folder with facts that are not part of the project: $TAPEDECK_SHARED or ../shared. Empty if it does not
/// exist.
[[nodiscard]] std::string shared_folder();

/// Waits until a process that is not our child has ended; returns false after a timeout.
bool wait_for_end_of(pid_t process);

[[nodiscard]] inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Returns how often the device got this request.
[[nodiscard]] inline unsigned count(const Device& device, const std::string& operation) {
  const auto counts = device.operations();
  const auto found = counts.find(operation);
  return found == counts.end() ? 0 : found->second;
}

/// Runs `tapedeck record` or `tapedeck replay` on a free loopback port. It is ready after construction.
class Server {
 public:
  /// `folder` gets its ready file and output. Throws std::runtime_error with its standard error if it does not start.
  Server(const std::string& folder, std::vector<std::string> arguments, const std::string& listen = "127.0.0.1:0",
         const std::vector<std::string>& wrapper = {});

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] const std::string& ready_file() const { return ready_; }
  [[nodiscard]] Child& child() { return *child_; }
  /// Sends SIGTERM and waits. Returns the exit status, or -1 after a timeout.
  int stop(int signal = SIGTERM);
  /// Sends SIGKILL, so that the recording is not finished.
  void kill();
  [[nodiscard]] std::string out() const { return child_->out(); }
  [[nodiscard]] std::string err() const { return child_->err(); }

 private:
  std::string ready_, url_;
  std::unique_ptr<Child> child_;
};

/// Starts `replay` with a standard input that stays open, as test helpers do, so that it serves no simulated NAS without
/// a cassette.
[[nodiscard]] Server builtin_replay(const std::string& folder, std::vector<std::string> options = {});

/// Records from `device` with `run(url of the recorder)`, and checks that the recording ends with status 0.
template <typename Session>
void record(const std::string& folder, const Device& device, const std::string& cassette, Session run,
            std::vector<std::string> options = {});

struct Certificate {
  std::string file, key;    ///< PEM
  std::string fingerprint;  ///< SHA-256 in hex digits
};
/// Makes a self-signed certificate for 127.0.0.1, as devices have. Throws std::runtime_error with the message of
/// openssl.
[[nodiscard]] Certificate make_certificate(const TempDir& folder, const std::string& name);

/// One request of a client. `{base}` is the server's URL; `{sid}`, `{token}`, and `{did}` are from its login.
struct Step {
  std::string name;
  std::vector<std::string> curl;
};

struct Login {
  std::string account = "fixture-admin";
  std::string password = "Corr3ct&Horse/Battery=9";
  std::string label = "SYNO";
};

/// The responses of a client by step, with names in place of its IDs and the server's address.
struct Seen {
  std::string name;
  int status = 0;
  std::string location, content_type, body;
  bool operator==(const Seen&) const = default;
};
struct Transcript {
  std::vector<Seen> steps;
  std::string sid, token, did;
  std::vector<Reply> replies;  ///< in their original form
};

/// Returns every kind of request in docs/device-notes.md, from login to logout.
[[nodiscard]] std::vector<Step> whole_session();
/// Runs the steps against a server with one login, the step named "login".
[[nodiscard]] Transcript play(const std::string& base, const std::vector<Step>& steps, const Login& login = {});
/// Returns the names of the steps that differ, with the difference in one line; empty if all are equal.
[[nodiscard]] std::vector<std::string> differences(const Transcript& left, const Transcript& right);

/// Replaces values that must not be stored, although they are not session IDs, with their names: replay has a stand-in
/// for them.
[[nodiscard]] std::string without_secrets(std::string body);

/// Returns a step with "{base}/webapi/entry.cgi?api=SYNO.Core.Network&version=1&method=get&_sid={sid}".
[[nodiscard]] Step call(const std::string& name, const std::string& query, std::vector<std::string> more = {});
[[nodiscard]] Step login_step();
[[nodiscard]] Step logout_step();

/// Returns the IDs of all interactions from `tapedeck ls --json`, in its order.
[[nodiscard]] std::vector<std::string> ids_in(const std::string& cassette);
/// Returns the output of `tapedeck info --hash` without the path, or why there is none.
[[nodiscard]] std::string hash_of(const std::string& cassette);
/// Returns the text with every byte percent-encoded, for a query.
[[nodiscard]] std::string percent_all(const std::string& text);

template <typename Session>
void record(const std::string& folder, const Device& device, const std::string& cassette, Session run,
            std::vector<std::string> options) {
  std::vector<std::string> arguments = {"record", "--device", device.url(), cassette};
  arguments.insert(arguments.end(), options.begin(), options.end());
  Server recorder(folder, arguments);
  run(recorder.url());
  if (const int status = recorder.stop(); status != 0) {
    throw std::runtime_error("record ended with " + std::to_string(status) + ": " + recorder.err());
  }
}

}  // namespace tapedeck::tests
