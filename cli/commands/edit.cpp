// tapedeck edit: changes the response of one interaction, or renames scopes.

#include <unistd.h>

#include "api/json_patch.h"
#include "base/descriptor.h"
#include "base/shell_word.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/usage_error.h"
#include "cli/options/replay_options.h"
#include "cli/running/editor.h"
#include "cli/running/response_change.h"
#include "cli/running/scope_rename.h"
#include "tools/content/edit.h"
#include "tools/content/marks.h"

namespace tapedeck::cli {
namespace {

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
