// tapedeck_test_device: the test device as a program. Prints its URL. Runs until its standard input ends or until
// SIGTERM.

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>

#include "tests/support/device.h"

namespace {

void wait_for_end(const sigset_t& signals) {
  pollfd waits[2] = {{STDIN_FILENO, POLLIN, 0}, {signalfd(-1, &signals, SFD_CLOEXEC), POLLIN, 0}};
  char ignored[256];
  while (poll(waits, 2, -1) > 0) {
    const bool signalled = waits[1].revents != 0;
    const bool ended = waits[0].revents != 0 && read(STDIN_FILENO, ignored, sizeof ignored) <= 0;
    if (signalled || ended) {
      return;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  // --account NAME --password WORD --otp CODE --answers FOLDER --base PATH --log FILE: the requests, written at the end
  tapedeck::tests::DeviceOptions options;
  std::string log;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    (name == "--account"    ? options.account
     : name == "--password" ? options.password
     : name == "--otp"      ? options.two_factor_code
     : name == "--answers"  ? options.answers_folder
     : name == "--log"      ? log
                            : options.base_path) = argv[i + 1];
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  try {
    const tapedeck::tests::Device device(options);
    std::printf("%s\n", device.url().c_str());
    std::fflush(stdout);
    wait_for_end(signals);
    if (!log.empty()) {
      std::ofstream file(log);
      for (const std::string& target : device.targets()) {
        file << target << '\n';
      }
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tapedeck_test_device: %s\n", error.what());
    return 1;
  }
}
