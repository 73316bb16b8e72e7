// tapedeck edit: another answer for one interaction, in an editor.

#include <memory>

#include "cli/commands/commands.h"
#include "cli/running/answer_change.h"
#include "cli/running/editor.h"
#include "cli/usage_error.h"
#include "tools/edit.h"

namespace tapedeck::cli {
namespace {

bool edit(scrubbers::InteractionRecord& record) {
  const tools::EditorText before = tools::editor_text(record);
  if (!before.problem.empty()) throw UsageError(before.problem);
  EditedFile file(before.text);
  const std::string after = file.run_editor();
  if (after == before.text) return false;
  if (const std::string problem = tools::take_editor_text(record, after); !problem.empty()) {
    throw UsageError(problem + "; the cassette is unchanged and your text is kept in " + file.keep());
  }
  return true;
}

}  // namespace

void add_edit(Command& program) {
  auto options = std::make_shared<AnswerChangeOptions>();
  Command& command = program.command("edit", "Edit a response in $VISUAL or $EDITOR");
  add_answer_options(command, *options);
  command.examples = {{"Edit a response", "tapedeck edit nas.cassette 3f9a"},
                      {"Use another editor once", "EDITOR=nano tapedeck edit nas.cassette 3f9a"}};
  command.action = [options] { return change_answer(*options, edit); };
}

}  // namespace tapedeck::cli
