#include "cli/finish_report.h"

#include <csignal>
#include <iostream>

#include <fmt/format.h>

#include "cli/app.h"
#include "cli/terminal.h"

namespace tapedeck::cli {
namespace {

volatile std::sig_atomic_t stop_asked = 0;

}  // namespace

FinishProgress::FinishProgress() : terminal_(stderr_is_terminal()) {
  struct sigaction action {};
  action.sa_handler = [](int) { stop_asked = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool FinishProgress::show(const char* step, std::uint64_t done, std::uint64_t total) {
  if (terminal_ && total > 0) {
    std::cerr << fmt::format("\r\x1b[Kfinishing: {} {}%", step, done * 100 / total) << std::flush;
    shown_ = true;
  }
  return stop_asked == 0;
}

void FinishProgress::end() {
  if (shown_) std::cerr << "\r\x1b[K" << std::flush;
  shown_ = false;
}

void print_finish(const cassettes::FinishReport& report, const std::string& cassette) {
  if (report.finished) {
    std::cout << fmt::format("{} holds {} interactions\n", printable(cassette), report.interactions);
  } else {
    std::cout << fmt::format("{} is not finished: {}\n", printable(cassette), printable(report.failure));
  }
  if (report.scrubbed_late > 0) {
    std::cout << fmt::format("scrubbed again: {} interactions\n", report.scrubbed_late);
  }
  if (!report.quarantined.empty()) {
    std::cout << fmt::format("LEAK: {} learned values and {} suspects found; the file is now {}\n",
                             report.learned_values_found, report.suspects, printable(report.quarantined));
  }
  for (const std::string& finding : report.findings) std::cout << "  " << printable(finding) << '\n';
  if (report.allowed > 0) std::cout << fmt::format("allowed: {} suspects that were reviewed\n", report.allowed);
  for (const std::string& fingerprint : report.unmatched) {
    std::cout << fmt::format("--allow {}: no suspect has this fingerprint\n", fingerprint);
  }
  std::cout << std::flush;
}

int finish_status(const cassettes::FinishReport& report) {
  return report.finished && report.learned_values_found == 0 ? fine : incomplete;
}

}  // namespace tapedeck::cli
