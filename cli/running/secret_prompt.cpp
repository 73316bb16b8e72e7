#include "cli/running/secret_prompt.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/wipe.h"

namespace tapedeck::cli {
namespace {

/// Byte by byte, without echo and without signals: a Ctrl-C that ended us would leave the terminal mute.
class MuteTerminal {
 public:
  explicit MuteTerminal(int terminal) : terminal_(terminal) {
    is_terminal_ = tcgetattr(terminal_, &before_) == 0;
    termios mute = before_;
    mute.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | ISIG);
    mute.c_cc[VMIN] = 1;
    mute.c_cc[VTIME] = 0;
    is_terminal_ = is_terminal_ && tcsetattr(terminal_, TCSAFLUSH, &mute) == 0;
  }
  ~MuteTerminal() {
    if (is_terminal_) tcsetattr(terminal_, TCSAFLUSH, &before_);
  }
  MuteTerminal(const MuteTerminal&) = delete;
  MuteTerminal& operator=(const MuteTerminal&) = delete;
  [[nodiscard]] bool is_terminal() const { return is_terminal_; }

 private:
  int terminal_;
  bool is_terminal_ = false;
  termios before_{};
};

}  // namespace

std::optional<std::string> prompt_secretly(const std::string& question) {
  constexpr std::size_t longest = 4096;
  constexpr char ctrl_c = 3, ctrl_d = 4, backspace = 8, erase = 127;
  const base::Descriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal.open()) return std::nullopt;
  const MuteTerminal mute(terminal.number());
  if (!mute.is_terminal() || !base::write_all(terminal.number(), question)) return std::nullopt;
  std::string typed;
  typed.reserve(longest);
  char c = 0;
  bool is_whole = false;
  while (!is_whole && typed.size() < longest && ::read(terminal.number(), &c, 1) == 1 && c != ctrl_c && c != ctrl_d) {
    is_whole = c == '\n' || c == '\r';
    if (is_whole) continue;
    if (c != backspace && c != erase) {
      typed.push_back(c);
    } else if (!typed.empty()) {
      typed.pop_back();
    }
  }
  static_cast<void>(base::write_all(terminal.number(), "\n"));
  if (is_whole) return typed;
  base::wipe(typed);
  return std::nullopt;
}

}  // namespace tapedeck::cli
