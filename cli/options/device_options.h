#pragma once
// The options of every command that talks to a device, and who logs in there.

#include <optional>
#include <string>

#include "http/device/relay.h"
#include "proxy/device_session.h"

namespace tapedeck::cli {

class Command;

struct DeviceOptions {
  std::string device;  ///< its base URL
  bool insecure = false;
  std::string ca_file;
  std::string pin_sha256;
  std::string account;        ///< empty: nobody logs in for Tapedeck
  std::string password_file;  ///< empty: the environment's, or a prompt's
};

/// How its certificate is judged.
void add_certificate_options(Command& command, DeviceOptions& options);
/// --device-password-file.
void add_password_options(Command& command, DeviceOptions& options);
/// It and --device-account, for recorders that log in themselves; `mode` is the option with which they do.
void add_account_options(Command& command, DeviceOptions& options, const std::string& mode);
/// Device and certificate; without an option for the certificate, one that the user accepted earlier. Throws
/// UsageError, in which `url_name` is what the URL is called on the command line.
[[nodiscard]] http::RelayOptions device_relay(const DeviceOptions& options, const std::string& url_name);

/// True when nothing but a prompt can give the password.
[[nodiscard]] bool needs_prompt(const DeviceOptions& options);
/// The account with its password out of the file, or out of TAPEDECK_DEVICE_PASSWORD, or out of a prompt on the
/// terminal, and with the code of TAPEDECK_DEVICE_OTP if there is one. Both variables are gone from this process
/// afterwards, and their text from its memory. Throws UsageError when there is none to be had.
[[nodiscard]] proxy::DeviceAccount device_account(const DeviceOptions& options);
/// The same where an account may be named, and --device-password-file only with one.
[[nodiscard]] std::optional<proxy::DeviceAccount> device_account_if_any(const DeviceOptions& options);

/// Asks on the terminal for a one-time code; an empty text without one.
[[nodiscard]] std::string prompt_for_code();

}  // namespace tapedeck::cli
