#pragma once
// What `tapedeck doctor` finds out about a device before it is recorded (toolkit §3): each finding names what was seen
// and says what to do. Nothing at the device is changed; a session that is opened for it is closed.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "http/device/relay.h"
#include "proxy/device_session.h"

namespace tapedeck::proxy {

enum class Grade {
  good,  ///< as it should be
  note,  ///< a recording works, but somebody could stumble
  bad,   ///< a recording would not work
};
[[nodiscard]] std::string_view to_string(Grade grade);

struct Finding {
  Grade grade = Grade::good;
  std::string check;   ///< one word: "reach", "certificate", "redirect", …
  std::string what;    ///< in words; strangers' texts in it
  std::string remedy;  ///< what to do, never empty
};

struct Examination {
  std::vector<Finding> findings;  ///< in the order in which they were made
  /// The device's base URL as it is to be recorded: the one that was given, or with the base path that was found.
  std::string device;
  std::string pin;  ///< the fingerprint to pin, where the certificate is not trusted without
  [[nodiscard]] bool would_work() const;
};

struct ExaminationOptions {
  http::RelayOptions relay;
  std::optional<std::string> account;  ///< with it a login is tried
  /// Makes the account's credentials, asked for only when the device has been reached.
  std::function<DeviceAccount()> credentials;
  std::function<void(std::function<void(std::string)>)> ask_code;
  /// What the environment says, by name; nothing for a variable that is not set.
  std::function<std::optional<std::string>(const char* name)> environment;
  std::int64_t now = 0;  ///< seconds since the epoch
};

/// Blocks for as long as the deadlines of `relay` let it.
[[nodiscard]] Examination examine(const ExaminationOptions& options);

/// True when NO_PROXY's list covers the host: "*", the name, or a domain that it is in.
[[nodiscard]] bool is_without_proxy(std::string_view no_proxy, std::string_view host);
/// An HTTP date (RFC 9110 §5.6.7, its preferred form) in seconds since the epoch.
[[nodiscard]] std::optional<std::int64_t> http_date(std::string_view text);

}  // namespace tapedeck::proxy
