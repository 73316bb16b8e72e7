#pragma once
// Defines the options of every command that connects to a device, including those for its certificate and account.

#include <optional>
#include <string>

#include "http/device/relay.h"
#include "proxy/device_session.h"

namespace tapedeck::cli {

class Command;

struct DeviceOptions {
  std::string device;  ///< base URL of the device
  bool insecure = false;
  std::string ca_file;
  std::string pin_sha256;
  std::string account;        ///< empty if Tapedeck does not log in itself
  std::string password_file;  ///< empty for the environment variable or a prompt
};

/// Adds the options that decide whether the device's certificate is accepted.
void add_certificate_options(Command& command, DeviceOptions& options);
/// Adds --device-password-file.
void add_password_options(Command& command, DeviceOptions& options);
/// Adds --device-account and --device-password-file, for recorders that log in themselves. `mode` is the option that
/// makes them do so.
void add_account_options(Command& command, DeviceOptions& options, const std::string& mode);
/// Returns the options for connecting to the device. Without a certificate option, a certificate that the user accepted
/// earlier is pinned. Warns about --insecure on standard error. Throws UsageError, whose message calls the device's URL
/// `url_name`.
[[nodiscard]] http::RelayOptions device_relay(const DeviceOptions& options, const std::string& url_name);

/// Returns true if the password can only come from a prompt.
[[nodiscard]] bool needs_prompt(const DeviceOptions& options);
/// Returns the account with its password, which comes from the file, from TAPEDECK_DEVICE_PASSWORD, or from a prompt on
/// the terminal, and with the one-time code of TAPEDECK_DEVICE_OTP if it is set. Removes both variables from the
/// environment of this process and wipes their text from memory. Throws UsageError if there is no password.
[[nodiscard]] proxy::DeviceAccount device_account(const DeviceOptions& options);
/// Does the same if an account is named, and otherwise returns nothing. Throws UsageError for --device-password-file
/// without an account.
[[nodiscard]] std::optional<proxy::DeviceAccount> device_account_if_any(const DeviceOptions& options);

/// Prompts for a one-time code. Returns an empty text if there is no terminal.
[[nodiscard]] std::string prompt_for_code();

}  // namespace tapedeck::cli
