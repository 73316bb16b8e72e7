// tapedeck diff: compares two cassettes.

#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/options/rule_options.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/progress_bar.h"
#include "tools/content/stopped.h"
#include "tools/diff/cassette_diff.h"

namespace tapedeck::cli {
namespace {

/// The options of every command that reports differences.
struct DiffViewOptions {
  std::vector<std::string> ignored;
  bool noise = false;
  bool json = false;
};

using tools::CallDiff;
using tools::Change;

std::string_view word(CallDiff::Kind kind) {
  return kind == CallDiff::Kind::added ? "added" : kind == CallDiff::Kind::removed ? "removed" : "changed";
}

std::string name_of(const CallDiff& call) {
  const std::string headers = call.headers.empty() ? "" : " with " + call.headers;
  return call.key + headers + (call.scope.empty() ? "" : " in scope " + api::shown_scope(call.scope));
}

/// Returns text such as `/data/ip: "192.0.2.7" -> "192.0.2.8"`.
std::string what_changed(const Change& change) {
  std::string text = change.path;
  if (!change.before.empty() || !change.after.empty()) text += text.empty() ? "" : ": ";
  text += change.before;
  if (!change.before.empty() && !change.after.empty()) text += " -> ";
  text += change.after;
  if (change.times > 1) text += fmt::format(" ({} responses)", change.times);
  return text;
}

std::string kind_of(const Change& change) {
  std::string text(to_string(change.kind));
  if (change.noise) text += fmt::format(" ({})", to_string(*change.noise));
  return text;
}

struct Counts {
  std::uint64_t changed = 0, added = 0, removed = 0;
};

Counts counts_of(const tools::DiffResult& result) {
  Counts counts;
  for (const CallDiff& call : result.calls) {
    if (!call.differs()) continue;
    ++(call.kind == CallDiff::Kind::added     ? counts.added
       : call.kind == CallDiff::Kind::removed ? counts.removed
                                              : counts.changed);
  }
  return counts;
}

std::string noise_text(const tools::DiffResult& result) {
  std::string text;
  for (int i = 0; i < tools::noise_classes; ++i) {
    const std::uint64_t count = result.noise[static_cast<std::size_t>(i)];
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(tools::Noise(i)));
  }
  return text;
}

std::uint64_t equal_in(const tools::DiffResult& result, const Counts& counts) {
  return result.equal + result.calls.size() - counts.changed - counts.added - counts.removed;
}

void print_text(const tools::DiffResult& result, bool with_noise) {
  for (const CallDiff& call : result.calls) {
    if (!call.differs() && !with_noise) continue;
    std::cout << fmt::format("{:<8} {}\n", word(call.kind), printable(name_of(call)));
    for (const Change& change : call.changes) {
      if (change.noise && !with_noise) continue;
      std::cout << fmt::format("  {:<10} {}\n", kind_of(change), printable(what_changed(change)));
    }
  }
  const Counts counts = counts_of(result);
  std::cout << fmt::format("{} changed, {} added, {} removed, {} equal\n", counts.changed, counts.added, counts.removed,
                           equal_in(result, counts));
  const std::string noise = noise_text(result);
  if (!noise.empty()) std::cout << "noise: " << noise << (with_noise ? "\n" : "; --noise shows it\n");
  std::cout << std::flush;
}

nlohmann::ordered_json json_of(const CallDiff& call, bool with_noise) {
  nlohmann::ordered_json out = {{"call", word(call.kind)}, {"key", call.key}};
  if (!call.headers.empty()) out["headers"] = call.headers;
  if (!call.scope.empty()) out["scope"] = api::shown_scope(call.scope);
  out["changes"] = nlohmann::ordered_json::array();
  for (const Change& change : call.changes) {
    if (change.noise && !with_noise) continue;
    nlohmann::ordered_json row = {{"kind", to_string(change.kind)}, {"path", change.path}};
    if (!change.before.empty()) row["before"] = change.before;
    if (!change.after.empty()) row["after"] = change.after;
    row["answers"] = change.times;
    if (change.noise) row["noise"] = to_string(*change.noise);
    out["changes"].push_back(std::move(row));
  }
  return out;
}

void print_json(const tools::DiffResult& result, bool with_noise) {
  const Counts counts = counts_of(result);
  nlohmann::ordered_json out = {{"differs", result.differs()},
                                {"changed", counts.changed},
                                {"added", counts.added},
                                {"removed", counts.removed},
                                {"equal", equal_in(result, counts)}};
  for (int i = 0; i < tools::noise_classes; ++i) {
    out["noise"][std::string(to_string(tools::Noise(i)))] = result.noise[static_cast<std::size_t>(i)];
  }
  out["calls"] = nlohmann::ordered_json::array();
  for (const CallDiff& call : result.calls) {
    if (call.differs() || with_noise) out["calls"].push_back(json_of(call, with_noise));
  }
  cli::print_json(out);
}

/// Adds --noise, --ignore, and --json.
void add_diff_view_options(Command& command, DiffViewOptions& options) {
  command.flag("--noise", options.noise, "Also show values that change in every response, such as times");
  command.option("--ignore", "PATH", into(options.ignored),
                 "Ignore differences at or below this JSON pointer; * matches any name");
  command.flag("--json", options.json, "Print JSON");
}

/// Throws UsageError if a path to ignore is not a JSON pointer.
void check(const DiffViewOptions& options) {
  for (const std::string& path : options.ignored) {
    if (!path.starts_with('/')) throw UsageError("--ignore must be a JSON pointer such as /data/time, not " + path);
  }
}

/// Calls tools::diff() and shows its progress on a terminal. Throws std::runtime_error if a signal stops it.
tools::DiffResult compared(const cassettes::CassetteReader& before, const cassettes::CassetteReader& after,
                           tools::DiffOptions how) {
  ProgressBar bar;
  how.progress = bar.until_stopped("comparing", "calls");
  try {
    return tools::diff(before, after, how);
  } catch (const tools::Stopped&) {
    throw std::runtime_error("stopped");
  }
}

/// Prints the differences on standard output.
void print_diff(const tools::DiffResult& result, const DiffViewOptions& view) {
  if (view.json) return print_json(result, view.noise);
  print_text(result, view.noise);
}

struct DiffOptions {
  std::string before, after;
  DiffViewOptions view;
  PrivateCommandOptions private_values;
};

int run_diff(const DiffOptions& options) {
  check(options.view);
  const cassettes::CassetteReader before = open_cassette(options.before), after = open_cassette(options.after);
  tools::DiffOptions how;
  how.ignored = options.view.ignored;
  how.private_values = reading_profile(options.private_values);
  const tools::DiffResult result = compared(before, after, std::move(how));
  print_diff(result, options.view);
  return result.differs() ? run_failed : fine;
}

}  // namespace

void add_diff(Command& program) {
  auto [command, options] = program.command("diff", "Compare two cassettes", run_diff);
  command.argument("BEFORE", into(options.before), "Older cassette").required();
  command.argument("AFTER", into(options.after), "Newer cassette").required();
  add_private_key_option(command, options.private_values);
  add_diff_view_options(command, options.view);
  command.details =
      "The exit status is 1 if the cassettes differ. Values that only the device draws, such as times, counters, and "
      "generated IDs, are equal; --noise shows them.";
  command.examples = {
      {"Compare two cassettes", "tapedeck diff old.cassette new.cassette"},
      {"Ignore a time in all responses", "tapedeck diff --ignore /data/time old.cassette new.cassette"}};
}

}  // namespace tapedeck::cli
