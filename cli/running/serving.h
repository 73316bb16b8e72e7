#pragma once
// A replay server beside a command: it serves on another thread, and the command finds it through its environment.

#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/running/replay_run.h"

namespace tapedeck::cli {

/// Serves on another thread; what goes wrong there is thrown by stop().
class Serving {
 public:
  explicit Serving(ReplayRun& run)
      : run_(run), thread_([this] {
          try {
            run_.serve();
          } catch (...) {
            failure_ = std::current_exception();
          }
        }) {}
  ~Serving() { run_.shut_down(); }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;
  void stop() {
    run_.shut_down();
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  ReplayRun& run_;
  std::exception_ptr failure_;
  std::jthread thread_;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

/// TAPEDECK_URL and what else a command gets, and NO_PROXY so that no proxy stands between it and this machine.
/// Requires that the run has the control API.
[[nodiscard]] Environment environment_of(ReplayRun& run, const std::vector<std::string>& cassettes);

}  // namespace tapedeck::cli
