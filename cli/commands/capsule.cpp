// tapedeck capsule: finds the smallest recording that still shows a bug.

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/output_file.h"
#include "base/private_folder.h"
#include "base/shell_word.h"
#include "cassettes/finish/rewrite.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/progress_bar.h"
#include "cli/running/capsule_run.h"
#include "cli/running/cassette_rewrite.h"
#include "cli/running/trial_options.h"
#include "scan/leak_scan.h"
#include "tools/capsule/reduction.h"
#include "tools/content/rewrite.h"
#include "tools/delta/ddmin.h"
#include "tools/exchange/text_export.h"
#include "tools/private_findings.h"

namespace tapedeck::cli {
namespace {

struct CapsuleOptions {
  std::string cassette, out;
  TrialOptions trials;
  bool no_private = false, keep_values = false;
};

/// The command's failure cannot be reduced. The exit status is 1.
class Unusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Makes the output file refuse to overwrite any existing file.
bool is_ours(std::string_view /*head*/) { return false; }

void check(const CapsuleOptions& options) {
  if (options.no_private && options.keep_values)
    throw UsageError("--no-private and --keep-values cannot be used together");
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(options.out, ignored))) {
    throw UsageError(options.out + " already exists");
  }
  if (const auto why = base::OutputFile::why_not(options.out + ".txt", is_ours)) throw UsageError(*why);
}

std::uint64_t body_bytes(const cassettes::CassetteReader& reader) {
  std::uint64_t bytes = 0;
  reader.list([&](const cassettes::ListedInteraction& line) {
    bytes += line.body_bytes;
    return true;
  });
  return bytes;
}

std::string size_text(const std::string& path) {
  const cassettes::CassetteReader reader(path);
  return fmt::format("{}: {}, bodies {}, file {}", printable(path), counted(reader.info().interactions, "interaction"),
                     human_bytes(body_bytes(reader)), human_bytes(std::filesystem::file_size(path)));
}

class Capsule {
 public:
  explicit Capsule(const CapsuleOptions& options)
      : options_(options),
        runner_(checked_trials(options.trials, "capsule CASSETTE -o OUT")),
        config_(read_config(options.trials.replay.rules)) {}

  int run() {
    const cassettes::CassetteReader reader = open_cassette(options_.cassette);
    look_at_failure();
    look_at_empty();
    make_copy();
    const auto reduced = reduce_copy();
    confirm(reduced.path);
    write(reduced.path);
    bar_.end();
    return report(reduced);
  }

 private:
  TrialResult run_with(const std::string& cassette, const std::string& step) {
    show_run(bar_, runner_, step, left_);
    const TrialResult result = runner_.run(Trial{{cassette}, {}});
    if (!result.is_stopped) require_run(result, runner_.options());
    return result;
  }
  void require_time() const {
    if (runner_.goes_on()) return;
    throw Unusable(stop_requested()
                       ? "stopped; nothing was written"
                       : "the time of --time was over before anything could be left out; nothing was written");
  }
  [[noreturn]] void give_up(const std::string& message, const TrialResult& result) const {
    throw Unusable(message + (result.output.empty() ? "" : "\noutput:\n" + output_lines(result)));
  }

  void look_at_failure() {
    const TrialResult first = run_with(options_.cassette, "the failure");
    require_time();
    if (first.passes()) give_up("the command does not fail with " + options_.cassette, first);
    if (!options_.trials.says.empty() && !first.says) {
      give_up("the command fails with " + options_.cassette + ", but its output does not contain the text of --says",
              first);
    }
    failure_.emplace(first);
    const TrialResult second = run_with(options_.cassette, "the failure again");
    require_time();
    if (!failure_->is_alike(second) || !Failure(second).is_alike(first)) {
      give_up("the command is not reliable: two runs with " + options_.cassette + " did not fail in the same way (" +
                  failure_->text(options_.trials.says) + "; then " + ending_of(second) + ")",
              second);
    }
    played_ = first.recordings;
    played_.insert(second.recordings.begin(), second.recordings.end());
  }

  void look_at_empty() {
    const std::string empty = folder_.file("empty.cassette");
    tools::write_empty(options_.cassette, empty);
    const TrialResult result = run_with(empty, "an empty cassette");
    require_time();
    if (!failure_->is_same(result)) return;
    give_up(
        options_.trials.says.empty()
            ? std::string("the command fails in the same way with an empty cassette: say which failure is meant with "
                          "--says TEXT, a text in its output")
            : "the text of --says is also in the output with an empty cassette: choose a text that only this failure "
              "prints",
        result);
  }

  /// Copies the cassette into the temporary folder and returns the path.
  std::string plain_copy(const std::string& name) {
    const std::string path = folder_.file(name);
    std::filesystem::remove(path);
    const auto content = cassettes::open_checked_material(options_.cassette);
    const cassettes::FinishReport report = cassettes::write_new(path, *content, {});
    if (!report.finished) throw std::runtime_error("cannot copy the cassette: " + report.failure);
    return path;
  }

  /// Replaces the values in the cassette at `path` by pseudonyms, except those in `keep`. Returns the replaced values.
  std::vector<std::string> private_copy(const std::string& path, const std::vector<std::string>& keep) {
    scrubbers::PrivateOptions private_values = config_.private_values;
    private_values.keep.insert(private_values.keep.end(), keep.begin(), keep.end());
    const cassettes::CassetteInfo info = cassettes::CassetteReader(path).info();
    scrubbers::ScrubberOptions scrubbing;
    scrubbing.rules = config_.rules;
    scrubbing.profile = std::make_shared<scrubbers::PrivateProfile>(std::move(private_values));
    scrubbing.base_path = info.base_path;
    scrubbing.key_policy = info.key_policy;
    scrubbers::Scrubber scrubber(scrubbing);
    cassettes::FinishOptions finishing;
    finishing.scrubber = &scrubber;
    finishing.progress = [this](const char*, std::uint64_t, std::uint64_t) { return runner_.goes_on(); };
    const cassettes::FinishReport report = cassettes::finish(path, finishing);
    require_time();
    if (!report.finished) throw std::runtime_error("cannot write pseudonyms: " + report.failure);
    std::vector<std::string> originals;
    for (const auto& row : scrubbing.profile->table().rows) originals.push_back(row.original);
    return originals;
  }

  bool fails_with(const std::string& path, const std::string& step, bool allows_pseudonyms = false) {
    const TrialResult result = run_with(path, step);
    if (result.is_stopped || !failure_->is_alike(result, allows_pseudonyms)) return false;
    last_ = result;
    return true;
  }

  void make_copy() {
    copy_ = plain_copy("copy.cassette");
    if (options_.no_private) return;
    const auto originals = private_copy(copy_, {});
    if (!fails_with(copy_, "with pseudonyms", true)) {
      require_time();
      look_for_values(originals);
    }
    if (!last_) throw Unusable("the failure disappears with pseudonyms");
    failure_->learn(*last_);
    played_.insert(last_->recordings.begin(), last_->recordings.end());
  }

  /// Finds the values that must keep their original text for the failure to occur.
  void look_for_values(const std::vector<std::string>& originals) {
    const auto fails_keeping = [&](const tools::ElementSet& set) {
      std::vector<std::string> keep;
      for (const std::size_t place : set) keep.push_back(originals[place]);
      copy_ = plain_copy("copy.cassette");
      static_cast<void>(private_copy(copy_, keep));
      return fails_with(copy_, fmt::format("keeping {}", counted(keep.size(), "value")), true);
    };
    const tools::ElementSet all = tools::all_elements(originals.size());
    if (!fails_keeping(all)) {
      require_time();
      throw Unusable(
          "the failure disappears when the current scrub rules are applied\nhint: --no-private leaves the "
          "recording as it is");
    }
    tools::DeltaOptions searching;
    searching.goes_on = [this] { return runner_.goes_on(); };
    const auto oracle = [&](const tools::ElementSet& set) { return !set.empty() && fails_keeping(set); };
    const tools::Minimized found = tools::ddmin(all, tools::one_by_one(oracle), searching);
    require_time();
    for (const std::size_t place : found.set) kept_.push_back(originals[place]);
    if (!options_.keep_values) {
      std::string names;
      for (const std::string& value : kept_) names += "\n  " + value;
      throw Unusable("the failure needs values that pseudonyms replace:" + names +
                     "\nhint: --keep-values keeps only these in the capsule");
    }
    if (!fails_keeping(found.set))
      throw Unusable("the command is not reliable: it fails with some pseudonyms only at times");
  }

  tools::Reduced reduce_copy() {
    tools::ReductionOptions reducing;
    reducing.folder = folder_.path();
    reducing.scrubber = [this](const cassettes::CassetteInfo& info) {
      return scrubber_for(options_.trials.replay.rules, info);
    };
    reducing.shows = [this](const std::string& path) { return fails_with(path, step_); };
    reducing.goes_on = [this] { return runner_.goes_on(); };
    reducing.progress = [this](const std::string& what, std::size_t left) {
      step_ = fmt::format("{}, {} left", what, left);
      left_ = left;
    };
    auto reduced = tools::reduce(copy_, played_, reducing);
    if (stop_requested() || !reduced) require_time();
    if (!reduced) throw Unusable("the failure disappears when times and notes are left out");
    return *reduced;
  }

  void confirm(const std::string& path) {
    left_ = 0;
    runner_.lift_time();
    for (int time = 0; time < 3; ++time) {
      if (fails_with(path, "confirming")) continue;
      require_time();
      throw Unusable("the command is not reliable: the smallest recording did not fail each time; nothing was written");
    }
    // If the command always fails after some number of runs, every recording would seem to confirm the failure.
    const TrialResult empty = run_with(folder_.file("empty.cassette"), "an empty cassette again");
    require_time();
    if (failure_->is_same(empty)) {
      throw Unusable(
          "the command is not reliable: it now fails in the same way with an empty cassette; nothing was written");
    }
  }

  void write(const std::string& path) {
    const auto content = cassettes::open_material(path);
    const cassettes::FinishReport report = cassettes::write_new(options_.out, *content, {});
    if (!report.finished) throw std::runtime_error(report.failure);
    base::OutputFile text(options_.out + ".txt", is_ours);
    tools::export_review(cassettes::CassetteReader(options_.out), {}, text.stream());
    text.commit();
  }

  /// Returns a line for each value that looks secret or private. Sets `is_clean` to false if one of them was not kept
  /// on purpose.
  std::vector<std::string> findings(bool& is_clean) const {
    std::vector<std::string> lines;
    scan::ScanOptions scanning;
    const scan::LearnedValues nothing;
    scanning.learned = &nothing;
    const std::vector<std::filesystem::path> paths = {options_.out};
    const scan::ScanReport report = scan::scan_paths(paths, scanning);
    for (const scan::Finding& finding : report.findings) {
      lines.push_back(fmt::format("suspect  {}: {}", finding.place, finding.rule));
    }
    is_clean = report.findings.empty() && report.incomplete.empty();
    scrubbers::PrivateOptions strict = config_.private_values, kept = strict;
    kept.keep.insert(kept.keep.end(), kept_.begin(), kept_.end());
    const cassettes::CassetteReader reader(options_.out);
    if (!options_.no_private && !tools::private_findings(reader, kept).empty()) is_clean = false;
    for (const tools::PrivateFinding& finding : tools::private_findings(reader, strict)) {
      lines.push_back(
          fmt::format("private  {}: {} {} by {}", finding.id, to_string(finding.part), finding.count, finding.rule));
    }
    return lines;
  }

  [[nodiscard]] std::string command_line() const {
    std::string text = "tapedeck exec " + base::shell_word(options_.out);
    if (!options_.trials.replay.rules.config.empty())
      text += " --config " + base::shell_word(options_.trials.replay.rules.config);
    text += " --";
    for (const std::string& word : options_.trials.command) text += " " + base::shell_word(word);
    return text;
  }

  int report(const tools::Reduced& reduced) {
    bool is_clean = true;
    const std::vector<std::string> lines = findings(is_clean);
    std::cout << size_text(options_.cassette) << '\n' << size_text(options_.out) << "\n\n";
    std::cout << "checked:\n";
    std::cout << fmt::format("  the command fails twice with {} and three times with {}: {}\n",
                             printable(options_.cassette), printable(options_.out),
                             printable(failure_->text(options_.trials.says)));
    std::cout << "  it does not fail so with an empty cassette, before and after, and no request has a miss that it "
                 "did not have before\n";
    std::cout
        << (reduced.is_minimal
                ? "  nothing more can be left out: not one take, scope, lane, interaction, list element, or member\n"
                : "  not everything was tried: the time of --time is over, and the recording may not be the "
                  "smallest\n");
    const char* const on_purpose = options_.no_private ? "--no-private" : kept_.empty() ? nullptr : "--keep-values";
    if (lines.empty()) {
      std::cout << "  scan --private finds nothing\n";
    } else {
      std::cout << fmt::format("  scan --private finds {}{}:\n", counted(lines.size(), "place"),
                               is_clean && on_purpose != nullptr ? fmt::format(", left there by {}", on_purpose) : "");
      for (const std::string& line : lines) std::cout << "    " << printable(line) << '\n';
    }
    std::cout << fmt::format("{}; review {} before you send {}\n\nreproduce with:\n  {}\n",
                             counted(runner_.runs(), "run"), printable(options_.out + ".txt"), printable(options_.out),
                             printable(command_line()));
    std::cout << std::flush;
    return is_clean ? fine : incomplete;
  }

  const CapsuleOptions& options_;
  TrialRunner runner_;
  const Config config_;
  const base::PrivateFolder folder_;
  ProgressBar bar_;
  std::string step_, copy_;
  std::size_t left_ = 0;
  std::optional<Failure> failure_;
  std::optional<TrialResult> last_;  ///< the latest run that showed the failure
  std::set<std::string> played_;     ///< IDs of the played interactions
  std::vector<std::string> kept_;    ///< values that keep their original text
};

int capsule(const CapsuleOptions& options) {
  check(options);
  try {
    return Capsule(options).run();
  } catch (const Unusable& error) {
    std::cerr << "tapedeck: " << printable(error.what(), true) << '\n';
    return run_failed;
  }
}

}  // namespace

void add_capsule(Command& program) {
  auto [command, options] =
      program.command("capsule", "Reduce a recording to the smallest one that shows a bug", capsule);
  command.argument("CASSETTE", into(options.cassette), "Cassette with which COMMAND fails").required();
  command.option("-o,--out", "OUT", into(options.out), "New cassette; OUT.txt is its text for review").required();
  command.option("--says", "TEXT", into(options.trials.says),
                 "Text in the output of COMMAND that identifies the failure");
  add_trial_options(command, options.trials);
  command.flag("--no-private", options.no_private, "Keep private data instead of pseudonyms");
  command.flag("--keep-values", options.keep_values, "Keep the private values that the failure needs");
  command.details =
      "COMMAND must fail twice in the same way with CASSETTE, and must not fail that way with an empty cassette. "
      "Private data is replaced with pseudonyms. Tapedeck then leaves out takes, scopes, lanes, interactions, and "
      "parts of JSON bodies for as long as COMMAND fails in the same way and requests that had a response still have "
      "one. Notes and absolute times are always left out. COMMAND gets the variables of `tapedeck exec`, and "
      "TAPEDECK_RUN. A run that takes 10 s more than five times the first one is ended. The exit status is 3 if "
      "something in OUT looks secret or private and was not kept on purpose.";
  command.trailing = &options.trials.command;
  command.examples = {
      {"Reduce a recording", "tapedeck capsule nas.cassette -o bug.cassette --says KeyError -- ./client"},
      {"Identify the failure by a test", "tapedeck capsule nas.cassette -o bug.cassette --junit r.xml -- ./tests"}};
}

}  // namespace tapedeck::cli
