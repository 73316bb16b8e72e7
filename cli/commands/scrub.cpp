// tapedeck scrub: applies the current rules to a cassette, edits its list of reviewed findings, and lists the rules.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

#include <nlohmann/json.hpp>

#include "cassettes/finish/finish.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/options/rule_options.h"
#include "cli/options/values_file.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/finish_report.h"
#include "cli/reports/progress_bar.h"
#include "cli/running/cassette_rewrite.h"
#include "scrubbers/rules/plain_values.h"
#include "scrubbers/rules/scrub_rule.h"
#include "scrubbers/rules/secret_names.h"

namespace tapedeck::cli {
namespace {

/// Returns the API and method that the rule is limited to, such as "SVC.API.Auth login".
std::string where(const scrubbers::ScrubRule& rule) {
  if (rule.api.empty()) return rule.method.empty() ? "any" : rule.method;
  return rule.method.empty() ? rule.api : rule.api + " " + rule.method;
}

/// Prints the names that look like secrets but are not.
void print_exceptions() {
  std::vector<std::vector<std::string>> rows;
  for (const scrubbers::NameException& exception : scrubbers::name_exceptions()) {
    rows.push_back({"name", std::string(exception.ending), std::string(exception.reason)});
  }
  for (const scrubbers::ValueException& exception : scrubbers::value_exceptions()) {
    rows.push_back({"value", std::string(exception.name), std::string(exception.reason)});
  }
  for (const std::string_view word : scrubbers::setting_words()) {
    rows.push_back(
        {"setting", std::string(word), "in front of a secret's name: a setting, unless the value looks random"});
  }
  print_table({"STAYS BY", "EXCEPTION", "REASON"}, rows);
}

void print_table_of(const scrubbers::RuleSet& rules) {
  std::vector<std::vector<std::string>> rows;
  for (const scrubbers::ScrubRule& rule : rules.rules()) {
    rows.push_back({printable(rule.id), std::string(to_string(rule.scope)), printable(rule.match),
                    printable(where(rule)), std::string(to_string(rule.secret_class)),
                    rule.learn ? "everywhere" : "here", printable(rule.reason)});
  }
  print_table({"RULE", "SCOPE", "MATCH", "IN", "CLASS", "REPLACED", "REASON"}, rows);
  print_exceptions();
  for (const std::string& id : rules.disabled()) std::cout << "off: " << printable(id) << '\n';
  std::cout << rules.fingerprint() << '\n';
}

void print_rules_json(const scrubbers::RuleSet& rules) {
  nlohmann::ordered_json out;
  out["policy"] = rules.fingerprint();
  out["rules"] = nlohmann::ordered_json::array();
  for (const scrubbers::ScrubRule& rule : rules.rules()) {
    out["rules"].push_back({{"id", rule.id},
                            {"reason", rule.reason},
                            {"scope", to_string(rule.scope)},
                            {"match", rule.match},
                            {"api", rule.api},
                            {"method", rule.method},
                            {"class", to_string(rule.secret_class)},
                            {"learn", rule.learn},
                            {"shipped", rule.shipped}});
  }
  out["exceptions"] = nlohmann::ordered_json::array();
  for (const scrubbers::NameException& exception : scrubbers::name_exceptions()) {
    out["exceptions"].push_back({{"name", exception.ending}, {"reason", exception.reason}});
  }
  for (const scrubbers::ValueException& exception : scrubbers::value_exceptions()) {
    out["exceptions"].push_back({{"value", exception.name}, {"reason", exception.reason}});
  }
  out["setting_words"] = nlohmann::ordered_json::array();
  for (const std::string_view word : scrubbers::setting_words()) out["setting_words"].push_back(word);
  out["disabled"] = rules.disabled();
  cli::print_json(out);
}

/// Prints the rules and the exceptions to them, as tables or as JSON.
void print_rules(const scrubbers::RuleSet& rules, bool json) { json ? print_rules_json(rules) : print_table_of(rules); }

struct ScrubOptions {
  std::string cassette;
  RuleOptions rules;
  PrivateCommandOptions private_values;
  std::string values_file;
  std::vector<std::string> allow, disallow;
  bool lists_rules = false;
  bool strict_scan = false;
  bool json = false;
};

cassettes::CassetteInfo info_of(const std::string& cassette) { return cassettes::CassetteReader(cassette).info(); }

scrubbers::ScrubberOptions scrubber_options(const ScrubOptions& options, const cassettes::CassetteInfo& info) {
  scrubbers::ScrubberOptions scrubbing;
  Config config = read_config(options.rules);
  scrubbing.rules = std::move(config.rules);
  scrubbing.profile = writing_profile(options.private_values, std::move(config.private_values));
  scrubbing.base_path = info.base_path;
  scrubbing.key_policy = info.key_policy;
  return scrubbing;
}

cassettes::FinishOptions finish_options(const ScrubOptions& options, scrubbers::Scrubber& scrubber,
                                        ProgressBar& progress) {
  cassettes::FinishOptions finishing;
  finishing.scrubber = &scrubber;
  finishing.knows_values = !options.values_file.empty();  // an empty file is an error
  finishing.strict_scan = options.strict_scan;
  finishing.allow = {options.allow.begin(), options.allow.end()};
  finishing.disallow = {options.disallow.begin(), options.disallow.end()};
  for (const std::string& fingerprint : options.allow) {
    if (finishing.disallow.contains(fingerprint)) {
      throw UsageError("--allow and --disallow name the same finding: " + fingerprint);
    }
  }
  finishing.progress = progress.steps_until_stopped();
  return finishing;
}

void print_never_allowed(const ScrubOptions& options, const cassettes::CassetteInfo& info) {
  for (const std::string& fingerprint : options.disallow) {
    if (std::binary_search(info.allowed.begin(), info.allowed.end(), fingerprint)) continue;
    std::cout << "--disallow " << fingerprint << ": this fingerprint was not allowed\n";
  }
}

/// Finishes the recording that a killed recorder left, if there is no cassette yet. Returns the exit status if the
/// recording became CASSETTE.failed, because there is nothing to scrub then.
std::optional<int> finish_new(const std::string& cassette) {
  if (std::filesystem::exists(cassette)) return std::nullopt;
  const std::optional<cassettes::FinishReport> report = cassettes::finish_leftover(cassette);
  if (!report || report->failed.empty()) return std::nullopt;
  std::cerr << "tapedeck: note: the recording of a killed command is now in " << printable(report->failed) << '\n';
  return incomplete;
}

int scrub(const ScrubOptions& options) {
  if (options.lists_rules) {
    if (!options.cassette.empty()) throw UsageError("--rules takes no CASSETTE");
    print_rules(rule_set(options.rules), options.json);
    return fine;
  }
  if (options.cassette.empty())
    throw UsageError("missing argument CASSETTE", "`tapedeck scrub --rules` lists the rules");
  mention_side_files(options.cassette);
  if (const std::optional<int> status = finish_new(options.cassette)) return *status;
  const cassettes::CassetteInfo info = info_of(options.cassette);
  const scrubbers::ScrubberOptions scrubbing = scrubber_options(options, info);
  scrubbers::Scrubber scrubber(scrubbing);
  if (!options.values_file.empty()) {
    each_value(options.values_file, [&scrubber](std::string_view value) { scrubber.teach(value); });
  }
  ProgressBar progress;
  const cassettes::FinishReport report =
      cassettes::finish(options.cassette, finish_options(options, scrubber, progress));
  progress.end();
  keep_given(options.private_values, scrubbing.profile.get());
  if (!report.finished && report.quarantined.empty()) return report_rewrite(report, options.cassette, options.json);
  if (options.json) {
    print_finish_json(report, options.cassette);
  } else {
    print_never_allowed(options, info);
    print_finish(report, options.cassette, ScrubbedAgain::listed);
  }
  return finish_status(report);
}

}  // namespace

void add_scrub(Command& program) {
  auto [command, options] =
      program.command("scrub", "Apply the current scrub rules to a cassette, or list them", scrub);
  command.argument("CASSETTE", into(options.cassette), "Cassette to update");
  command.flag("--rules", options.lists_rules, "List the scrub rules, and change nothing");
  add_rule_options(command, options.rules);
  add_private_options(command, options.private_values);
  command.option("--values", "FILE", into(options.values_file),
                 "Replace the values in this file, one per line (- for standard input)");
  add_fingerprints(command, "--allow", options.allow,
                   "Mark the suspect with this fingerprint as reviewed and harmless");
  add_fingerprints(command, "--disallow", options.disallow, "Undo --allow for this fingerprint");
  command.flag("--strict", options.strict_scan, "Exit with status 3 for suspects as well as for known secrets");
  command.flag("--json", options.json, "Print JSON");
  command.details =
      "The output lists up to 100 changed interactions, their new redactions, and the rules that applied.";
  command.examples = {{"Apply the current rules", "tapedeck scrub nas.cassette"},
                      {"Mark a finding as harmless", "tapedeck scrub --allow HEX nas.cassette"},
                      {"List the rules with those of a file", "tapedeck scrub --rules --config tapedeck.toml"}};
}

}  // namespace tapedeck::cli
