#include "cli/reports/rule_list.h"

#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/console/terminal.h"
#include "scrubbers/rules/plain_values.h"
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

}  // namespace

void print_rules(const scrubbers::RuleSet& rules, bool json) { json ? print_rules_json(rules) : print_table_of(rules); }

}  // namespace tapedeck::cli
