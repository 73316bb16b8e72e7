#pragma once
// A device asked again what a cassette has (`tapedeck verify`): the answers become a cassette of one take, scrubbed and
// stored by the recorder, so that the two can be compared as any two cassettes are.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/private_folder.h"
#include "cassettes/finish/finish.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/write/cassette_writer.h"
#include "cli/options/device_options.h"
#include "cli/options/private_options.h"
#include "cli/options/rule_options.h"
#include "http/device/relay.h"
#include "http/io/event_loop.h"
#include "proxy/exchanged_device.h"
#include "proxy/parts.h"
#include "proxy/read_only_device.h"
#include "proxy/recorder.h"
#include "proxy/recording_scopes.h"
#include "scrubbers/scrubber.h"
#include "tools/verify/plan.h"

namespace tapedeck::cli {

struct VerifyRunOptions {
  DeviceOptions device;
  RuleOptions rules;
  PrivateCommandOptions private_values;  ///< with a key, answers get the pseudonyms that the cassette has
  unsigned rate = 0;                     ///< calls a second; 0: as fast as the device answers
};

/// Everything that it sends but its own login and logout goes through a proxy::ReadOnlyDevice. One call at a time. For
/// one thread.
class VerifyRun {
 public:
  /// Reads the account's password, or asks for it. `recorded` must outlive it. Throws UsageError or std::runtime_error.
  VerifyRun(VerifyRunOptions options, const cassettes::CassetteReader& recorded);
  ~VerifyRun();
  VerifyRun(const VerifyRun&) = delete;
  VerifyRun& operator=(const VerifyRun&) = delete;

  /// Asks them all, in one session that is open only meanwhile. `progress` gets calls done and in all, and ends it by
  /// returning false. May be called once. Throws std::runtime_error when the device cannot be asked at all.
  void ask(const std::vector<std::string>& questions,
           std::function<bool(std::uint64_t done, std::uint64_t total)> progress);
  /// Of those that were asked, without a whole answer.
  [[nodiscard]] std::uint64_t failed() const;
  /// The new answers, to be opened once ask() is through. Throws std::runtime_error when they cannot be kept, for
  /// example because something secret is left in them.
  [[nodiscard]] std::string finished_cassette();
  /// What was given of new pseudonyms is kept with the key: for answers that stay. Throws std::runtime_error.
  void keep_pseudonyms() const;

 private:
  class Asking;
  using SessionName = std::tuple<std::uint32_t, std::string, std::uint32_t>;  ///< take, scope, number

  [[nodiscard]] proxy::DeviceSession::Told session_told();
  void begin();
  void ask_next();
  void answered(const http::Response& answer, bool is_whole);
  void stop_with(const std::string& why);
  void go_on();
  [[nodiscard]] const proxy::ClientSession& client_of(const cassettes::ListedInteraction& line);

  const VerifyRunOptions options_;
  const cassettes::CassetteReader& recorded_;
  const http::RelayOptions relay_options_;
  const scrubbers::ScrubberOptions scrubbing_;
  base::PrivateFolder folder_;
  http::EventLoop loop_;
  scrubbers::Scrubber scrubber_;
  http::Relay relay_;
  std::unique_ptr<cassettes::CassetteWriter> writer_;
  proxy::Parts parts_;
  proxy::ReadOnlyDevice read_only_;
  proxy::RelayedCalls calls_;
  std::unique_ptr<proxy::DeviceSession> session_;
  std::unique_ptr<proxy::ExchangedDevice> exchanged_;
  proxy::RecordingScopes scopes_;
  std::unique_ptr<proxy::Recorder> recorder_;
  std::map<SessionName, proxy::ClientSession> clients_;

  std::vector<std::string> questions_;
  std::function<bool(std::uint64_t, std::uint64_t)> progress_;
  std::size_t next_ = 0;
  http::EventLoop::Clock::time_point asked_at_;
  std::string failure_;                       ///< why it has ended early
  std::atomic<unsigned> broken_in_a_row_{0};  ///< told from the store's thread
};

}  // namespace tapedeck::cli
