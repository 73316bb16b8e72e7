#pragma once
// What is said while a cassette is finished and when it is, by `record` and by `scrub`.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cassettes/finish/finish.h"
#include "cli/reports/progress_bar.h"

namespace tapedeck::cli {

/// Progress on a terminal; and from its construction on a signal stops the pipeline and leaves the recording as it is.
class FinishProgress {
 public:
  FinishProgress();
  /// For FinishOptions::progress: false once a signal came. This must outlive it.
  [[nodiscard]] std::function<bool(const char* step, std::uint64_t done, std::uint64_t total)> shown();
  /// Takes the line off the terminal.
  void end() { bar_.end(); }

 private:
  ProgressBar bar_;
};

enum class ScrubbedAgain { counted, listed };
/// Lists requests that replay cannot tell apart, if there are any.
void print_conflicts(const std::vector<cassettes::Conflict>& conflicts, const std::string& cassette);
void print_finish(const cassettes::FinishReport& report, const std::string& cassette,
                  ScrubbedAgain scrubbed_again = ScrubbedAgain::counted);
/// The same as one JSON object.
void print_finish_json(const cassettes::FinishReport& report, const std::string& cassette);
/// Exit status (docs/reference.md, "Exit status"): incomplete when the leak scan keeps it from its name, run_failed
/// when it is not finished for any other reason.
[[nodiscard]] int finish_status(const cassettes::FinishReport& report);

}  // namespace tapedeck::cli
