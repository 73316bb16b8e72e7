#include "cli/running/editor.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/private_folder.h"
#include "cli/console/usage_error.h"
#include "cli/running/spawn.h"
#include "tools/content/edit.h"

namespace tapedeck::cli {
namespace {

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

}  // namespace

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

}  // namespace tapedeck::cli
