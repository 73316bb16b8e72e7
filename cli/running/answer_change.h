#pragma once
// One recorded answer changed by somebody: for `set` and for `edit`.

#include <functional>
#include <string>

#include "cli/options/rule_options.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cli {

class Command;

struct AnswerChangeOptions {
  std::string cassette, id;
  RuleOptions rules;
  bool json = false;
};

/// CASSETTE, ID, --config, --disable, --json.
void add_answer_options(Command& command, AnswerChangeOptions& options);

/// Gives the interaction to `change` and rewrites the cassette with what comes of its answer, scrubbed. When `change`
/// says false, or nothing differs, the cassette is left alone. Returns the exit status. What is thrown in `change`
/// leaves here, and nothing was changed.
[[nodiscard]] int change_answer(const AnswerChangeOptions& options,
                                const std::function<bool(scrubbers::InteractionRecord&)>& change);

}  // namespace tapedeck::cli
