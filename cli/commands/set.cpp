// tapedeck set: another answer for one interaction, from the command line.

#include <unistd.h>

#include <memory>

#include <CLI/CLI.hpp>

#include "base/descriptor.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/command.h"
#include "cli/options/replay_options.h"
#include "cli/options/whole_number.h"
#include "cli/running/answer_change.h"
#include "tools/edit.h"
#include "tools/marks.h"

namespace tapedeck::cli {
namespace {

struct SetOptions {
  AnswerChangeOptions change;
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

void require(const std::string& problem, const std::string& what) {
  if (!problem.empty()) throw UsageError(what + ": " + problem);
}

void apply(const SetOptions& options, scrubbers::InteractionRecord& record) {
  if (!options.body.empty()) {
    const auto rows = tools::rows_of(record.redactions, scrubbers::Part::response_body);
    const std::string text = tools::with_marks_for_placeholders(read_input(options.body), record.response.body, rows);
    require(tools::set_body(record, text), "--body " + options.body);
  }
  for (std::size_t i = 0; i < options.pointers.size(); ++i) {
    require(tools::set_value(record, options.pointers[i], options.values[i]), "--pointer " + options.pointers[i]);
  }
  if (options.status != 0) require(tools::set_status(record, options.status), "--status");
  for (const std::string& line : options.headers) require(tools::set_header(record, line), "--header '" + line + "'");
}

int set(const SetOptions& options) {
  if (options.pointers.size() != options.values.size()) {
    throw UsageError("each --pointer needs a --value, and the other way round");
  }
  if (options.body.empty() && options.pointers.empty() && options.headers.empty() && options.status == 0) {
    throw UsageError("say what is to change: --body, --pointer and --value, --status or --header");
  }
  return change_answer(options.change, [&](scrubbers::InteractionRecord& record) {
    apply(options, record);
    return true;
  });
}

}  // namespace

void add_set(CLI::App& app, Action& action) {
  auto options = std::make_shared<SetOptions>();
  CLI::App* command = app.add_subcommand("set", "Change one answer, in a copy that takes the cassette's place");
  add_answer_options(*command, options->change);
  command->add_option("--body", options->body, "The whole body, from this file; - is standard input")
      ->type_name("FILE");
  command->add_option("--pointer", options->pointers, "Where in a JSON body (RFC 6901), with a --value each")
      ->type_name("POINTER")
      ->allow_extra_args(false);
  command->add_option("--value", options->values, "The JSON that is put there")
      ->type_name("JSON")
      ->allow_extra_args(false);
  takes_whole_number(command->add_option("--status", options->status, "The HTTP status"))
      ->check(CLI::Range(100, 999).description(""))
      ->type_name("N");
  command->add_option("--header", options->headers, "'Name: value' instead of that header; 'Name:' takes it out")
      ->type_name("LINE")
      ->allow_extra_args(false);
  command->callback([options, &action] { action = [options] { return set(*options); }; });
}

}  // namespace tapedeck::cli
