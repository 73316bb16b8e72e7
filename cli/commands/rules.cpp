// tapedeck rules: the scrub rules in force.

#include <algorithm>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/app.h"
#include "cli/command.h"
#include "cli/options/rule_options.h"
#include "cli/terminal.h"

namespace tapedeck::cli {
namespace {

struct RulesOptions {
  RuleOptions rules;
  bool json = false;
};

/// "SVC.API.Auth login" as far as the rule is bound to it.
std::string where(const scrubbers::ScrubRule& rule) {
  if (rule.api.empty()) return rule.method.empty() ? "any" : rule.method;
  return rule.method.empty() ? rule.api : rule.api + " " + rule.method;
}

void print_rules(const scrubbers::RuleSet& rules) {
  std::vector<std::vector<std::string>> rows;
  for (const scrubbers::ScrubRule& rule : rules.rules()) {
    rows.push_back({printable(rule.id), std::string(to_string(rule.scope)), printable(rule.match),
                    printable(where(rule)), std::string(to_string(rule.secret_class)),
                    rule.learn ? "everywhere" : "here", printable(rule.reason)});
  }
  print_table({"RULE", "SCOPE", "MATCH", "IN", "CLASS", "REPLACED", "REASON"}, rows);
  for (const std::string& id : rules.disabled()) std::cout << "off: " << printable(id) << '\n';
  std::cout << "policy " << rules.fingerprint() << '\n';
}

void print_json(const scrubbers::RuleSet& rules) {
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
  out["disabled"] = rules.disabled();
  std::cout << out.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) << '\n';
}

}  // namespace

void add_rules(CLI::App& app, Action& action) {
  auto options = std::make_shared<RulesOptions>();
  CLI::App* command = app.add_subcommand("rules", "List the scrub rules: where secrets stand by their names");
  add_rule_options(*command, options->rules);
  command->add_flag("--json", options->json, "Write a JSON object");
  command->callback([options, &action] {
    action = [options] {
      const scrubbers::RuleSet rules = rule_set(options->rules);
      options->json ? print_json(rules) : print_rules(rules);
      return fine;
    };
  });
}

}  // namespace tapedeck::cli
