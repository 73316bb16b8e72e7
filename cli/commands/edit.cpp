// tapedeck edit: changes the response of one interaction, or renames scopes.

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "api/json_patch.h"
#include "api/scope_name.h"
#include "base/descriptor.h"
#include "base/private_folder.h"
#include "base/shell_word.h"
#include "cassettes/finish/finish.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/options/replay_options.h"
#include "cli/options/rule_options.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/finish_report.h"
#include "cli/running/cassette_rewrite.h"
#include "cli/running/spawn.h"
#include "scrubbers/redaction/scrubbed_interaction.h"
#include "tools/content/edit.h"
#include "tools/content/marks.h"
#include "tools/content/rewrite.h"

namespace tapedeck::cli {
namespace {

struct ResponseChangeOptions {
  std::string cassette, id;
  RuleOptions rules;
  bool json = false;
};

using scrubbers::InteractionRecord;

bool is_same_response(const InteractionRecord& a, const InteractionRecord& b) {
  const auto response = [](const InteractionRecord& one) {
    return std::tie(one.response.status, one.response.reason, one.response.headers, one.response.body, one.redactions,
                    one.completeness);
  };
  return response(a) == response(b);
}

/// Copies everything that belongs to the response from `changed` to `record`.
void take_response(const InteractionRecord& changed, InteractionRecord& record) {
  record.response = changed.response;
  record.redactions = changed.redactions;
  record.events = changed.events;
  record.completeness = changed.completeness;
  record.reason = changed.reason;
  record.withheld_digest = changed.withheld_digest;
  record.withheld_bytes = changed.withheld_bytes;
  record.ended_by_client = changed.ended_by_client;
}

/// Calls `change` with the interaction, scrubs the changed response, and rewrites the cassette. If `change` returns
/// false or changes nothing, the cassette stays unchanged. Returns the exit status. Passes on exceptions of `change`;
/// the cassette then also stays unchanged.
int change_response(const ResponseChangeOptions& options, const std::function<bool(InteractionRecord&)>& change) {
  cassettes::Rewriting rewriting(options.cassette);
  const cassettes::CassetteReader& reader = rewriting.reader();
  const auto scrubber = scrubber_for(options.rules, reader.info());
  const auto [line, old] = interaction_named(reader, options.cassette, options.id);
  InteractionRecord changed = old;
  if (!change(changed) || is_same_response(old, changed)) {
    if (options.json) {
      const nlohmann::ordered_json out = {{"cassette", options.cassette}, {"changed", false}};
      cli::print_json(out);
    } else {
      std::cout << "Nothing to change\n";
    }
    return fine;
  }
  tools::Edited edited(rewriting.content(), {{tools::id_number(line.id),
                                              [&](InteractionRecord& record) { take_response(changed, record); }}});
  return report_rewrite(rewrite(rewriting, edited, scrubber.get()), options.cassette, options.json);
}

/// Maps the stored name of each scope to its takes.
using Takes = std::map<std::string, std::set<std::uint32_t>>;

Takes takes_of(const cassettes::CassetteReader& reader) {
  Takes takes;
  reader.scopes([&](const cassettes::ScopeTake& scope) {
    if (!scope.name.empty()) takes[scope.name].insert(scope.take);
    return true;
  });
  return takes;
}

api::ScopeName name_in(const std::string& text) {
  const auto scope = api::ScopeName::parse(text);
  if (!scope || scope->run != 1)
    throw UsageError(text + " is not a valid scope: must be percent-encoded UTF-8 of at most 1,000 bytes");
  return *scope;
}

/// Returns the new name of each scope that `old_name` means. A `*` at the end of both names replaces the prefix of all
/// matching scopes.
std::map<std::string, std::string> renames(std::string_view old_name, std::string_view new_name, const Takes& takes) {
  std::map<std::string, std::string> names;
  for (const auto& [stored, unused] : takes) {
    if (api::shown_scope(stored) == old_name) return {{stored, name_in(std::string(new_name)).name}};
  }
  if (!old_name.ends_with('*')) return names;
  if (!new_name.ends_with('*')) throw UsageError("--rename: OLD ends in *, so NEW must end in *, too");
  old_name.remove_suffix(1);
  new_name.remove_suffix(1);
  for (const auto& [stored, unused] : takes) {
    const std::string shown = api::shown_scope(stored);
    if (!shown.starts_with(old_name)) continue;
    names[stored] = name_in(std::string(new_name) + shown.substr(old_name.size())).name;
  }
  return names;
}

/// Splits OLD=NEW at the first equals sign behind a text that means a scope, because names may contain the sign.
std::map<std::string, std::string> renames(std::string_view change, const Takes& takes) {
  if (change.find('=') == std::string_view::npos) throw UsageError("--rename " + std::string(change), "give OLD=NEW");
  for (std::size_t at = change.find('='); at != std::string_view::npos; at = change.find('=', at + 1)) {
    auto names = renames(change.substr(0, at), change.substr(at + 1), takes);
    if (!names.empty()) return names;
  }
  throw UsageError("no such scope: " + std::string(change.substr(0, change.find('='))),
                   "`tapedeck ls --scopes` lists the scopes");
}

cassettes::FinishOptions renaming(const std::string& cassette, const std::string& change) {
  const cassettes::CassetteReader reader(cassette);
  if (!reader.info().finished) throw UsageError(cassette + " is unfinished", "finish it with `tapedeck scrub`");
  const Takes takes = takes_of(reader);
  cassettes::FinishOptions finishing;
  finishing.scan = false;
  finishing.rename_scopes = renames(change, takes);
  for (const auto& [old_name, new_name] : finishing.rename_scopes) {
    const auto there = takes.find(new_name);
    if (there == takes.end() || (old_name != new_name && finishing.rename_scopes.contains(new_name))) continue;
    for (const std::uint32_t take : there->second) {
      if (!takes.at(old_name).contains(take)) continue;
      throw UsageError("take " + std::to_string(take) + " already has a scope " + api::shown_scope(new_name));
    }
  }
  return finishing;
}

/// Renames a scope, and prints the faults on standard error. `change` is OLD=NEW; if both end in `*`, all scopes that
/// begin with OLD get NEW as their beginning. Returns the exit status. Throws UsageError.
int rename_scopes(const std::string& cassette, const std::string& change) {
  const cassettes::FinishReport report = cassettes::finish(cassette, renaming(cassette, change));
  if (!report.finished) std::cerr << "tapedeck: " << printable(report.failure) << '\n';
  return finish_status(report);
}

std::string editor() {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return "vi";
}

/// Ignores the signals that the terminal sends to its foreground group, because they are for the editor.
class Ignoring {
 public:
  Ignoring() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &ignore, &before_[i]);
  }
  ~Ignoring() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
  }
  Ignoring(const Ignoring&) = delete;
  Ignoring& operator=(const Ignoring&) = delete;

  static constexpr std::array<int, 2> signals = {SIGINT, SIGQUIT};

 private:
  std::array<struct sigaction, 2> before_{};
};

/// Runs a command in the shell. Returns its exit status, or -1 if it did not exit normally.
int run_shell(const std::string& command, const std::string& argument) {
  pid_t child = 0;
  if (start_program({{"/bin/sh", "-c", command + " \"$1\"", "sh", argument}}, child) != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return exit_status_of(status);
}

/// Runs $VISUAL, $EDITOR, or vi on a file through the shell, and waits for it. Ctrl-C goes to the editor meanwhile.
/// Returns the text of the file afterwards. Throws std::runtime_error if the editor fails.
std::string text_from_editor(const std::string& path) {
  const std::string command = editor();
  const Ignoring ignoring;
  const int status = run_shell(command, path);
  if (status != 0) throw std::runtime_error("the editor (" + command + ") failed; the cassette is unchanged");
  auto text = base::read_file(path);
  if (!text) throw std::runtime_error("the editor deleted the file; the cassette is unchanged");
  return *std::move(text);
}

std::string text_to_edit(const scrubbers::InteractionRecord& record) {
  try {
    return tools::editor_text(record);
  } catch (const tools::EditError& error) {
    throw UsageError(error.what());
  }
}

/// Lets the user change the response in $VISUAL, $EDITOR, or vi, and waits for it. Returns false if the text is
/// unchanged. Throws UsageError if the text is not a valid response (the text is kept in a file), or std::runtime_error
/// if the editor fails.
bool edit_in_editor(scrubbers::InteractionRecord& record) {
  const std::string before = text_to_edit(record);
  base::PrivateFolder folder;
  const std::string path = folder.file("response.http");
  if (!base::replace_file(path, before, 0600)) throw std::runtime_error(path + " cannot be written");
  const std::string after = text_from_editor(path);
  if (after == before) return false;
  try {
    tools::take_editor_text(record, after);
  } catch (const tools::EditError& error) {
    folder.keep();
    throw UsageError(std::string(error.what()) + "; the cassette is unchanged and your text is kept in " + path);
  }
  return true;
}

/// A value for a place in the body of the response.
struct ValueChange {
  std::string pointer, json;
};

struct EditOptions {
  ResponseChangeOptions change;
  std::vector<ValueChange> values;
  std::vector<std::string> headers;
  std::string body, rename;
  int status = 0;

  [[nodiscard]] bool names_changes() const {
    return !body.empty() || !values.empty() || !headers.empty() || status != 0;
  }
};

/// Splits POINTER=JSON at the first equals sign that JSON follows, because a pointer may contain the sign.
std::optional<ValueChange> value_change(const std::string& text) {
  for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
    if (api::is_json(std::string_view(text).substr(at + 1)))
      return ValueChange{text.substr(0, at), text.substr(at + 1)};
  }
  return std::nullopt;
}

std::string read_input(const std::string& path) {
  if (path != "-") refuse_folder("--body", path);
  auto text = path == "-" ? base::read_all(STDIN_FILENO) : base::read_file(path);
  if (!text) throw UsageError("--body: cannot read " + path);
  return *std::move(text);
}

/// Makes the change that an option requests. Throws UsageError that names the option if that is impossible.
void change(const std::string& option, const std::function<void()>& make) {
  try {
    make();
  } catch (const tools::EditError& error) {
    throw UsageError(option + ": " + error.what());
  }
}

void apply(const EditOptions& options, scrubbers::InteractionRecord& record) {
  if (!options.body.empty()) {
    const auto rows = tools::rows_of(record.redactions, scrubbers::Part::response_body);
    const std::string text = tools::with_marks_for_placeholders(read_input(options.body), record.response.body, rows);
    change("--body " + options.body, [&] { tools::set_body(record, text); });
  }
  for (const ValueChange& value : options.values) {
    change("--set " + value.pointer, [&] { tools::set_value(record, value.pointer, value.json); });
  }
  if (options.status != 0) change("--status", [&] { tools::set_status(record, options.status); });
  for (const std::string& line : options.headers) {
    change("--header '" + line + "'", [&] { tools::set_header(record, line); });
  }
}

int edit(const EditOptions& options) {
  const std::string& id = options.change.id;
  if (!options.rename.empty()) {
    if (!id.empty() || options.names_changes()) throw UsageError("--rename takes no ID and no other change");
    return rename_scopes(options.change.cassette, options.rename);
  }
  if (id.empty())
    throw UsageError("missing argument ID",
                     "`tapedeck ls " + base::shell_word(options.change.cassette) + "` lists the IDs");
  return change_response(options.change, [&](scrubbers::InteractionRecord& record) {
    if (!options.names_changes()) return edit_in_editor(record);
    apply(options, record);
    return true;
  });
}

}  // namespace

void add_edit(Command& program) {
  auto [command, options] =
      program.command("edit", "Change a response, in an editor or with options, or rename scopes", edit);
  command.argument("CASSETTE", into(options.change.cassette), "Cassette to change").required();
  command.argument("ID", into(options.change.id), "ID from `tapedeck ls`, or a prefix of 4 or more digits");
  command.option("--set", "POINTER=JSON",
                 parsed(options.values, value_change,
                        "must be a JSON pointer and a JSON value such as /data/count=3 or '/data/status=\"degraded\"'"),
                 "Set the value at this JSON pointer (RFC 6901) in the body");
  command.option("--body", "FILE", into(options.body), "Replace the body with this file (- for standard input)");
  command.option("--status", "N", whole_number(options.status, 200, 599), "HTTP status");
  command.option("--header", "LINE", into(options.headers), "Set a header to 'Name: value', or remove it with 'Name:'");
  command.option("--rename", "OLD=NEW", into(options.rename),
                 "Rename a scope; with 'old/*=new/*', all scopes with that beginning");
  add_rule_options(command, options.change.rules);
  command.flag("--json", options.change.json, "Print JSON");
  command.details =
      "Without options, the response opens in $VISUAL or $EDITOR. Redactions appear as marks such as {{session.id}} "
      "(see "
      "docs/cassettes.md). New text is scrubbed. Requests cannot be changed. After tests were renamed, --rename "
      "follows "
      "them; interactions keep their IDs.";
  command.examples = {
      {"Edit a response", "tapedeck edit nas.cassette 3f9a"},
      {"Change a value", "tapedeck edit nas.cassette 3f9a --set '/data/status=\"degraded\"'"},
      {"Follow a renamed folder of tests", "tapedeck edit nas.cassette --rename 'tests/old/*=tests/new/*'"}};
}

}  // namespace tapedeck::cli
