#include "cli/running/command_guard.h"

#include <signal.h>

#include <catch2/catch.hpp>
#include <vector>

using namespace tapedeck;

namespace {

std::vector<int> sent;  // signals that the process has received
int lives_for = 0;      // number of signals, including 0, that it outlives

int send_signal(pid_t process, int signal) {
  CHECK(process == -4242);
  if (lives_for == 0) {
    if (signal != 0) sent.push_back(-signal);  // another process has got it
    return -1;
  }
  --lives_for;
  if (signal != 0) sent.push_back(signal);
  return 0;
}

std::vector<int> signals_to_process_of(int life) {
  sent.clear();
  lives_for = life;
  cli::end_command(-4242, send_signal);
  return sent;
}

}  // namespace

TEST_CASE("guard: a process that has ended gets no further signal") {
  CHECK(signals_to_process_of(0) == std::vector<int>{-SIGTERM});
  CHECK(signals_to_process_of(1) == std::vector<int>{SIGTERM, -SIGCONT});
  CHECK(signals_to_process_of(2) == std::vector<int>{SIGTERM, SIGCONT});
  CHECK(signals_to_process_of(3) == std::vector<int>{SIGTERM, SIGCONT});
  CHECK(signals_to_process_of(1'000) == std::vector<int>{SIGTERM, SIGCONT, SIGKILL});
}
