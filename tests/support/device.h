#pragma once
// A storage device for tests, on cpp-httplib: a second HTTP implementation that shares no code with the program under
// test. All its data is made up. It logs how it was used, so that a test can prove who reached it and with what.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tapedeck::tests {

/// Accounts that every device has, with its password: one that needs a code, and one whose sessions end with 106 at
/// their second call.
inline constexpr const char* coded_account = "fixture-coded";
inline constexpr const char* coded_accounts_code = "424242";
inline constexpr const char* brief_account = "fixture-brief";

struct DeviceOptions {
  std::string host = "127.0.0.1";  ///< "::1" too; the port is any free one
  std::string base_path;           ///< "" or "/dsm"
  std::string account = "fixture-admin";
  std::string password = "Corr3ct&Horse/Battery=9";
  std::string two_factor_code;  ///< not empty: the first login gets 403, and only this code logs in
  std::string certificate;      ///< PEM files: both given makes it an https device
  std::string private_key;
  std::string answers_folder;  ///< serve the bodies of `<API>.<method>[.<variant>].json` instead of its own answers
  bool is_stranger = false;    ///< no device: a web server that knows none of the interface
  bool old_firmware = false;   ///< API.Auth up to version 2, as long ago
  std::string redirects_to;    ///< everything is answered 302 with this origin and the path that was asked for
  unsigned session_calls = 0;  ///< not 0: a session ends with 119 after so many calls
  std::int64_t clock_off = 0;  ///< seconds that its Date is ahead
  bool live_ids = true;        ///< with answers_folder: the published session id is replaced by a fresh one
};

/// Every value that must not outlive a recording, as the device gave or took it.
struct DeviceSecrets {
  std::vector<std::string> session_ids, csrf_tokens, device_ids, cookies;
};

/// Serves from construction to destruction. All calls are safe from any thread.
class Device {
 public:
  /// Throws std::runtime_error when it cannot listen.
  explicit Device(DeviceOptions options = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// With the base path: "http://127.0.0.1:40123/dsm".
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::string origin() const;
  [[nodiscard]] const DeviceOptions& options() const;

  [[nodiscard]] std::uint64_t requests() const;
  /// Request targets as they came, in order of arrival.
  [[nodiscard]] std::vector<std::string> targets() const;
  /// "Core.Network/get" (first label left out) -> how often it was asked for.
  [[nodiscard]] std::map<std::string, unsigned> operations() const;
  /// Distinct client connections by (address, port).
  [[nodiscard]] std::size_t connections() const;
  [[nodiscard]] DeviceSecrets secrets() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::tests
