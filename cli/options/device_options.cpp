#include "cli/options/device_options.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "base/descriptor.h"
#include "base/text.h"
#include "base/wipe.h"
#include "cli/arguments/values.h"
#include "cli/console/usage_error.h"
#include "cli/options/certificate_pins.h"

namespace tapedeck::cli {
namespace {

/// Reads a terminal byte by byte, without echo and without signals: a Ctrl-C that ended the process would leave echo
/// off.
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

/// Prompts on the controlling terminal, even if standard input is another file, without showing the input. Returns
/// nothing without a terminal, or after Ctrl-C or Ctrl-D. Restores the terminal settings. Waits for the user. Call it
/// from one thread at a time.
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

constexpr const char* password_variable = "TAPEDECK_DEVICE_PASSWORD";
constexpr const char* code_variable = "TAPEDECK_DEVICE_OTP";

std::optional<std::string> not_a_fingerprint(const std::string& hex) {
  std::string digits = hex;
  std::erase(digits, ':');
  if (digits.size() == 64 && base::is_hex(digits)) return std::nullopt;
  return "must be a SHA-256 fingerprint of 64 hex digits";
}

/// Returns a variable's text and removes it from the environment and from the memory that /proc shows.
std::string take_variable(const char* name) {
  char* const value = std::getenv(name);
  if (value == nullptr) return {};
  std::string text = value;
  explicit_bzero(value, text.size());
  ::unsetenv(name);
  return text;
}

/// Returns the first line of a file.
std::string read_password(const std::string& path) {
  constexpr std::size_t longest = 4096;
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(longest, '\0');
  const ssize_t size = file.open() ? ::read(file.number(), text.data(), text.size()) : -1;
  if (size < 0) throw UsageError("--device-password-file " + path + ": " + std::strerror(errno));
  text.resize(std::min(text.find_first_of("\r\n"), static_cast<std::size_t>(size)));
  if (text.empty()) throw UsageError("--device-password-file " + path + ": the first line is empty");
  return text;
}

std::string password_of(const DeviceOptions& options) {
  std::string from_environment = take_variable(password_variable);
  if (!options.password_file.empty()) {
    base::wipe(from_environment);
    return read_password(options.password_file);
  }
  if (!from_environment.empty()) return from_environment;
  auto typed = prompt_secretly("Password for the device account: ");
  if (!typed || typed->empty()) {
    throw UsageError("no password for the device account\nhint: use --device-password-file FILE, set " +
                     std::string(password_variable) + ", or run the command in a terminal");
  }
  return std::move(*typed);
}

}  // namespace

void add_certificate_options(Command& command, DeviceOptions& options) {
  command.flag("--insecure", options.insecure, "Accept any device certificate (unsafe)")
      .exclude({"--ca-file", "--pin-sha256"});
  command.option("--ca-file", "FILE", existing_file(options.ca_file), "Trust the CA certificates in this PEM file")
      .exclude({"--pin-sha256"});
  command.option("--pin-sha256", "HEX", checked(into(options.pin_sha256), not_a_fingerprint),
                 "Accept only the device certificate with this SHA-256 fingerprint");
}

void add_password_options(Command& command, DeviceOptions& options) {
  command.option("--device-password-file", "FILE", into(options.password_file),
                 "File with the password (otherwise TAPEDECK_DEVICE_PASSWORD or a prompt)");
}

void add_account_options(Command& command, DeviceOptions& options, const std::string& mode) {
  command.option("--device-account", "NAME", into(options.account),
                 "Log in at the device with this account for all clients (with " + mode + ")");
  add_password_options(command, options);
}

http::RelayOptions device_relay(const DeviceOptions& options, const std::string& url_name) {
  http::RelayOptions relay;
  try {
    relay.device = http::BaseUrl::parse(options.device);
  } catch (const std::invalid_argument& error) {
    // A URL with a user name may contain a password.
    const std::string shown = options.device.find('@') == std::string::npos ? " `" + options.device + "`" : "";
    throw UsageError(url_name + ": invalid device URL" + shown + ": " + error.what());
  }
  relay.tls.insecure = options.insecure;
  if (!options.ca_file.empty()) relay.tls.ca_file = options.ca_file;
  if (!options.pin_sha256.empty()) relay.tls.pin_sha256 = options.pin_sha256;
  const bool tls_options = options.insecure || !options.ca_file.empty() || !options.pin_sha256.empty();
  if (tls_options && !relay.device.tls)
    throw UsageError("--insecure, --ca-file, and --pin-sha256 require a device URL with https");
  if (options.insecure) {
    std::cerr << "tapedeck: warning: --insecure accepts any certificate, so another machine could pose as the device\n";
  }
  if (relay.device.tls && !tls_options) relay.tls.pin_sha256 = accepted_pin(relay.device);
  return relay;
}

bool needs_prompt(const DeviceOptions& options) {
  const char* const password = std::getenv(password_variable);
  return options.password_file.empty() && (password == nullptr || *password == '\0');
}

proxy::DeviceAccount device_account(const DeviceOptions& options) {
  std::string password = password_of(options);
  std::string code = take_variable(code_variable);
  proxy::DeviceAccount account(options.account, password, code);
  base::wipe(password);
  base::wipe(code);
  return account;
}

std::optional<proxy::DeviceAccount> device_account_if_any(const DeviceOptions& options) {
  if (!options.account.empty()) return device_account(options);
  if (!options.password_file.empty()) throw UsageError("--device-password-file requires --device-account NAME");
  return std::nullopt;
}

std::string prompt_for_code() { return prompt_secretly("One-time code for the device account: ").value_or(""); }

}  // namespace tapedeck::cli
