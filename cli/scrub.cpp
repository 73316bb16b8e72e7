// tapedeck scrub: today's rules applied to a cassette that is there.

#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cassettes/cassette_reader.h"
#include "cassettes/finish.h"
#include "cli/app.h"
#include "cli/command.h"
#include "cli/finish_report.h"
#include "cli/rule_options.h"
#include "cli/terminal.h"

namespace tapedeck::cli {
namespace {

struct ScrubOptions {
  std::string cassette;
  RuleOptions rules;
  bool strict_scan = false;
};

scrubbers::ScrubberOptions scrubber_options(const ScrubOptions& options) {
  const cassettes::CassetteReader reader(options.cassette);
  scrubbers::ScrubberOptions scrubbing;
  scrubbing.rules = rule_set(options.rules);
  scrubbing.base_path = reader.info().base_path;
  scrubbing.key_policy = reader.info().key_policy;
  return scrubbing;
}

int scrub(const ScrubOptions& options) {
  scrubbers::Scrubber scrubber(scrubber_options(options));
  FinishProgress progress;
  cassettes::FinishOptions finishing;
  finishing.scrubber = &scrubber;
  finishing.strict_scan = options.strict_scan;
  finishing.progress = [&progress](const char* step, std::uint64_t done, std::uint64_t total) {
    return progress.show(step, done, total);
  };
  const cassettes::FinishReport report = cassettes::finish(options.cassette, finishing);
  progress.end();
  print_finish(report, options.cassette);
  return finish_status(report);
}

}  // namespace

void add_scrub(CLI::App& app, Action& action) {
  auto options = std::make_shared<ScrubOptions>();
  CLI::App* command = app.add_subcommand("scrub", "Scrub a cassette by today's rules, in a copy that takes its place");
  command->add_option("cassette", options->cassette, "An old, unfinished or unverified cassette")
      ->type_name("CASSETTE")
      ->required();
  add_rule_options(*command, options->rules);
  command->add_flag("--strict-scan", options->strict_scan, "Exit with 3 when the leak scan only suspects something");
  command->callback([options, &action] { action = [options] { return scrub(*options); }; });
}

}  // namespace tapedeck::cli
