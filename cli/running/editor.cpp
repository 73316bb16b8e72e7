#include "cli/running/editor.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/descriptor.h"

extern char** environ;

namespace tapedeck::cli {
namespace {

std::string editor() {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return "vi";
}

/// What the terminal sends to all of its foreground group is for the editor.
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

/// The exit status, or -1.
int run_shell(const std::string& command, const std::string& argument) {
  const std::string line = command + " \"$1\"";
  std::array<char*, 6> arguments = {const_cast<char*>("sh"),
                                    const_cast<char*>("-c"),
                                    const_cast<char*>(line.c_str()),
                                    const_cast<char*>("sh"),
                                    const_cast<char*>(argument.c_str()),
                                    nullptr};
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int signal : Ignoring::signals) sigaddset(&defaults, signal);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/bin/sh", nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

EditedFile::EditedFile(std::string_view text)
    : folder_((std::filesystem::temp_directory_path() / "tapedeck-edit-XXXXXX").string()) {
  if (mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("cannot create a temporary folder in $TMPDIR");
  path_ = folder_ + "/answer.http";
  const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  std::ofstream out(path_, std::ios::binary);
  out << text << std::flush;
  if (!out) throw std::runtime_error(path_ + " cannot be written");
}

EditedFile::~EditedFile() {
  std::error_code ignored;
  if (!kept_) std::filesystem::remove_all(folder_, ignored);
}

std::string EditedFile::run_editor() {
  const std::string command = editor();
  const Ignoring ignoring;
  const int status = run_shell(command, path_);
  if (status != 0) throw std::runtime_error("the editor (" + command + ") failed; the cassette is unchanged");
  auto text = base::read_file(path_);
  if (!text) throw std::runtime_error("the editor deleted the file; the cassette is unchanged");
  return *std::move(text);
}

std::string EditedFile::keep() {
  kept_ = true;
  return path_;
}

}  // namespace tapedeck::cli
