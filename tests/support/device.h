#pragma once
// A storage device for tests, on cpp-httplib: a second HTTP implementation that shares no code with the program under
// test. All data is invented. It logs its requests, so that a test can check what reached it.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tapedeck::tests {

/// Additional accounts of every device, with the same password: one that needs a one-time code, and one whose sessions
/// end with error 106 at their second call.
inline constexpr const char* coded_account = "fixture-coded";
inline constexpr const char* coded_accounts_code = "424242";
inline constexpr const char* brief_account = "fixture-brief";

struct DeviceOptions {
  std::string host = "127.0.0.1";  ///< or "::1"; the port is always a free one
  std::string base_path;           ///< "" or "/dsm"
  std::string account = "fixture-admin";
  std::string password = "Corr3ct&Horse/Battery=9";
  std::string two_factor_code;  ///< not empty: logins get error 403 unless they have this code
  std::string certificate;      ///< PEM files; with both, the device uses https
  std::string private_key;
  std::string answers_folder;  ///< responses from `<API>.<method>[.<variant>].json` instead of built-in ones
  bool is_stranger = false;    ///< true: a web server without the device's interface
  bool old_firmware = false;   ///< API.Auth up to version 2
  std::string redirects_to;    ///< every response is a 302 to the same path at this origin
  std::int64_t clock_off = 0;  ///< seconds by which its Date header is ahead
  bool live_ids = true;        ///< with answers_folder: a new session ID replaces the published one
};

/// All secrets that the device sent or received.
struct DeviceSecrets {
  std::vector<std::string> session_ids, csrf_tokens, device_ids, cookies;
};

/// Serves from construction to destruction. Thread-safe.
class Device {
 public:
  /// Throws std::runtime_error if it cannot listen.
  explicit Device(DeviceOptions options = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Returns the URL with the base path: "http://127.0.0.1:40123/dsm".
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::string origin() const;
  [[nodiscard]] const DeviceOptions& options() const;

  [[nodiscard]] std::uint64_t requests() const;
  /// Returns the request targets in order of arrival.
  [[nodiscard]] std::vector<std::string> targets() const;
  /// Returns the number of requests by operation: "Core.Network/get", without the first label.
  [[nodiscard]] std::map<std::string, unsigned> operations() const;
  /// Returns the number of different client connections.
  [[nodiscard]] std::size_t connections() const;
  [[nodiscard]] DeviceSecrets secrets() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::tests
