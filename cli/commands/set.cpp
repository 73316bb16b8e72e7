// tapedeck set: changes the response of one interaction.

#include <unistd.h>

#include "base/descriptor.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/usage_error.h"
#include "cli/options/replay_options.h"
#include "cli/running/response_change.h"
#include "tools/content/edit.h"
#include "tools/content/marks.h"

namespace tapedeck::cli {
namespace {

struct SetOptions {
  ResponseChangeOptions change;
  std::string body;
  std::vector<std::string> pointers, values, headers;
  int status = 0;
};

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

void apply(const SetOptions& options, scrubbers::InteractionRecord& record) {
  if (!options.body.empty()) {
    const auto rows = tools::rows_of(record.redactions, scrubbers::Part::response_body);
    const std::string text = tools::with_marks_for_placeholders(read_input(options.body), record.response.body, rows);
    change("--body " + options.body, [&] { tools::set_body(record, text); });
  }
  for (std::size_t i = 0; i < options.pointers.size(); ++i) {
    change("--pointer " + options.pointers[i],
           [&] { tools::set_value(record, options.pointers[i], options.values[i]); });
  }
  if (options.status != 0) change("--status", [&] { tools::set_status(record, options.status); });
  for (const std::string& line : options.headers) {
    change("--header '" + line + "'", [&] { tools::set_header(record, line); });
  }
}

int set(const SetOptions& options) {
  if (options.pointers.size() != options.values.size()) {
    throw UsageError("the number of --pointer and --value options differs: each --pointer needs one --value");
  }
  if (options.body.empty() && options.pointers.empty() && options.headers.empty() && options.status == 0) {
    throw UsageError("nothing to change: give --body, --pointer and --value, --status, or --header");
  }
  return change_response(options.change, [&](scrubbers::InteractionRecord& record) {
    apply(options, record);
    return true;
  });
}

}  // namespace

void add_set(Command& program) {
  auto [command, options] = program.command("set", "Change a response from the command line", set);
  add_response_options(command, options.change);
  command.option("--body", "FILE", into(options.body), "Replace the body with this file (- for standard input)");
  command.option("--pointer", "POINTER", into(options.pointers),
                 "JSON pointer (RFC 6901) to a value in the body; requires --value");
  command.option("--value", "JSON", into(options.values), "New JSON value for --pointer");
  command.option("--status", "N", whole_number(options.status, 200, 599), "HTTP status");
  command.option("--header", "LINE", into(options.headers), "Set a header to 'Name: value', or remove it with 'Name:'");
  command.examples = {
      {"Change a value in a JSON response",
       "tapedeck set nas.cassette 3f9a --pointer /data/status --value '\"degraded\"'"},
      {"Replace the body and the status", "tapedeck set nas.cassette 3f9a --body error.json --status 500"}};
}

}  // namespace tapedeck::cli
