#pragma once
// The vocabulary of the end-to-end tests: servers of the built program, and a client's session as a list of steps.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/device.h"
#include "tests/support/process.h"

namespace tapedeck::tests {

/// The built program: TAPEDECK_BIN.
[[nodiscard]] std::string binary();
/// Runs `tapedeck ARGUMENTS` to its end.
[[nodiscard]] Ran run_tapedeck(std::vector<std::string> arguments);
/// Where the facts that are not part of the project lie: $TAPEDECK_SHARED or ../shared. Empty when absent.
[[nodiscard]] std::string shared_folder();

/// Waits until a process that is not our child has ended; false when it has not in time.
bool wait_for_end_of(pid_t process);

[[nodiscard]] inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// How often the device was asked for that.
[[nodiscard]] inline unsigned count(const Device& device, const std::string& operation) {
  const auto counts = device.operations();
  const auto found = counts.find(operation);
  return found == counts.end() ? 0 : found->second;
}

/// `tapedeck record` or `tapedeck replay` on a free loopback port, up and answering after construction.
class Server {
 public:
  /// `folder` gets its ready file and what it says. Throws std::runtime_error with its standard error when it does not
  /// come up.
  Server(const std::string& folder, std::vector<std::string> arguments, const std::string& listen = "127.0.0.1:0",
         const std::vector<std::string>& wrapper = {});

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] const std::string& ready_file() const { return ready_; }
  [[nodiscard]] Child& child() { return *child_; }
  /// SIGTERM, wait; the exit status, or -1 when it does not end.
  int stop(int signal = SIGTERM);
  /// SIGKILL: nobody finishes what was recorded.
  void kill();
  [[nodiscard]] std::string out() const { return child_->out(); }
  [[nodiscard]] std::string err() const { return child_->err(); }

 private:
  std::string ready_, url_;
  std::unique_ptr<Child> child_;
};

/// Records from `device` with `run(url of the recorder)`; checks that the recording ends with status 0.
template <typename Session>
void record(const std::string& folder, const Device& device, const std::string& cassette, Session run,
            std::vector<std::string> options = {});

struct Certificate {
  std::string file, key;    ///< PEM
  std::string fingerprint;  ///< SHA-256, hex digits alone
};
/// A self-signed one for 127.0.0.1, as devices have. Throws std::runtime_error with what openssl says.
[[nodiscard]] Certificate make_certificate(const TempDir& folder, const std::string& name);

/// One request of a client. `{base}` is the server's URL; `{sid}`, `{token}` and `{did}` what its login gave.
struct Step {
  std::string name;
  std::vector<std::string> curl;
};

struct Login {
  std::string account = "fixture-admin";
  std::string password = "Corr3ct&Horse/Battery=9";
  std::string label = "SYNO";
};

/// What a client saw, by step: its own ids and the server's address are replaced by names.
struct Seen {
  std::string name;
  int status = 0;
  std::string location, content_type, body;
  bool operator==(const Seen&) const = default;
};
struct Transcript {
  std::vector<Seen> steps;
  std::string sid, token, did;
  std::vector<Reply> replies;  ///< as they came
};

/// Every kind of request that field notes tell of, from login to logout.
[[nodiscard]] std::vector<Step> whole_session();
/// The steps against a server, with one login: the step named "login".
[[nodiscard]] Transcript play(const std::string& base, const std::vector<Step>& steps, const Login& login = {});
/// The names of the steps that differ, with what differs in a line; empty when all are equal.
[[nodiscard]] std::vector<std::string> differences(const Transcript& left, const Transcript& right);

/// The values that are no ids of a session and still may not be stored (field notes), replaced by their names: replay
/// has a stand-in for them.
[[nodiscard]] std::string without_secrets(std::string body);

/// "{base}/webapi/entry.cgi?api=SYNO.Core.Network&version=1&method=get&_sid={sid}".
[[nodiscard]] Step call(const std::string& name, const std::string& query, std::vector<std::string> more = {});
[[nodiscard]] Step login_step();
[[nodiscard]] Step logout_step();

/// Ids of all interactions, by `tapedeck ls --json`, in its order.
[[nodiscard]] std::vector<std::string> ids_in(const std::string& cassette);
/// What `tapedeck hash` says of it, without its path; of one that has none why.
[[nodiscard]] std::string hash_of(const std::string& cassette);

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
