#pragma once
// How a subcommand joins the program: it adds itself to the parser and says what to run.

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tapedeck::cli {

/// Filled by the parser with what the chosen subcommand does; returns the exit status.
using Action = std::function<int()>;

/// A usage error found after parsing: one clear line, exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void add_record(CLI::App& app, Action& action);
void add_replay(CLI::App& app, Action& action);
void add_demo(CLI::App& app, Action& action);
void add_ls(CLI::App& app, Action& action);
void add_show(CLI::App& app, Action& action);
void add_scan(CLI::App& app, Action& action);
void add_rules(CLI::App& app, Action& action);
void add_scrub(CLI::App& app, Action& action);
void add_hash(CLI::App& app, Action& action);
void add_overlay(CLI::App& app, Action& action);
void add_scope(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_grep(CLI::App& app, Action& action);
void add_stats(CLI::App& app, Action& action);
void add_set(CLI::App& app, Action& action);
void add_edit(CLI::App& app, Action& action);
void add_rm(CLI::App& app, Action& action);
void add_prune(CLI::App& app, Action& action);
void add_pick(CLI::App& app, Action& action);
void add_merge(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
void add_diff(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_git_setup(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);
/// `trailing` is what stands behind the first "--".
void add_exec(CLI::App& app, Action& action, std::vector<std::string> trailing);

}  // namespace tapedeck::cli
