// tapedeck diff: what differs between two cassettes.

#include <memory>

#include <CLI/CLI.hpp>

#include "cassettes/read/cassette_reader.h"
#include "cli/app.h"
#include "cli/command.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/diff_report.h"
#include "cli/reports/progress_bar.h"
#include "tools/diff/cassette_diff.h"
#include "tools/exchange/in_order.h"

namespace tapedeck::cli {
namespace {

struct DiffOptions {
  std::string before, after;
  std::vector<std::string> ignored;
  bool noise = false;
  bool json = false;
  bool markdown = false;
};

int run_diff(const DiffOptions& options) {
  for (const std::string& path : options.ignored) {
    if (!path.starts_with('/')) throw UsageError("--ignore takes a JSON pointer, as /data/time: " + path);
  }
  const cassettes::CassetteReader before(options.before), after(options.after);
  warn_about(before.info(), options.before);
  warn_about(after.info(), options.after);
  ProgressBar bar;
  catch_stop_signals();
  tools::DiffOptions how;
  how.ignored = options.ignored;
  how.progress = [&](std::uint64_t done, std::uint64_t total) {
    bar.show("comparing", done, total);
    return !stop_asked();
  };
  tools::DiffResult result;
  try {
    result = tools::diff(before, after, how);
  } catch (const tools::Stopped&) {
    throw std::runtime_error("it was stopped");
  }
  bar.end();
  const DiffForm form = options.json ? DiffForm::json : options.markdown ? DiffForm::markdown : DiffForm::text;
  print_diff(result, form, options.noise);
  return result.differs() ? incomplete : fine;
}

}  // namespace

void add_diff(CLI::App& app, Action& action) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* command =
      app.add_subcommand("diff", "Say what differs between two cassettes; status 3 when something does");
  command->add_option("before", options->before, "The first cassette")->type_name("CASSETTE")->required();
  command->add_option("after", options->after, "The second one")->type_name("CASSETTE")->required();
  command->add_flag("--noise", options->noise, "Show what differs from answer to answer, too, with its class");
  command
      ->add_option("--ignore", options->ignored,
                   "Leave out what is at or below this JSON pointer; * is any one name; may be given again")
      ->type_name("PATH")
      ->allow_extra_args(false);
  auto* json = command->add_flag("--json", options->json, "Write a JSON object");
  command->add_flag("--markdown", options->markdown, "Write a table for a pull request")->excludes(json);
  command->callback([options, &action] { action = [options] { return run_diff(*options); }; });
}

}  // namespace tapedeck::cli
