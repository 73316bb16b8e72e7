#pragma once
// One session at the device for many client sessions (docs/recording.md, "Complete a recording"): opened at its first
// use, opened again if the device ends it, and closed at the end of the run.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/secret_arena.h"
#include "http/message/url.h"
#include "proxy/device_calls.h"
#include "proxy/device_login.h"
#include "scrubbers/redaction.h"

namespace tapedeck::proxy {

/// An account. Password and code are wiped at the end.
class DeviceAccount {
 public:
  /// `code`: a one-time code; empty: there is none.
  DeviceAccount(std::string name, std::string_view password, std::string_view code = {})
      : name_(std::move(name)), password_(memory_.keep(password)), code_(memory_.keep(code)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view password() const { return password_; }
  [[nodiscard]] std::string_view code() const { return code_; }

 private:
  std::string name_;
  base::SecretArena memory_;
  std::string_view password_, code_;
};

/// The result of one login. Its views live as long as the DeviceSession.
struct OpenSession {
  std::uint64_t number = 0;  ///< of the login, from 1
  std::string_view id, csrf_token, device_id;
};

/// Why there is no session.
struct NoSession {
  std::string why;          ///< contains nothing secret
  bool is_refusal = false;  ///< the device has refused the login, which is not repeated
};

class DeviceSession {
 public:
  using Opened = std::variant<OpenSession, NoSession>;
  using Use = std::function<void(const Opened&)>;

  struct Told {
    /// Called with each new secret before a message that contains it is sent or passed on.
    std::function<void(std::string_view value, scrubbers::SecretClass secret_class)> learn;
    /// Asks the user for a one-time code, and calls back on the loop's thread, with an empty text if there is none.
    std::function<void(std::function<void(std::string code)> answer)> ask_code;
    /// A line for the log without secrets.
    std::function<void(const std::string& line)> line;
  };

  /// `calls` and all callbacks must outlive it.
  DeviceSession(http::BaseUrl device, DeviceAccount account, DeviceCalls& calls, Told told);

  /// Calls back with the session once it is open: immediately, or after one login for all waiting callers. A refusal is
  /// final: later callers get it without another attempt. For the loop's thread.
  void use(Use use);
  /// Call it if the device has returned 106, 107, or 119 for the session with this number. As use(), with a newer
  /// session: the first of several refused calls opens it, the others use it.
  void renew(std::uint64_t number, Use use);
  /// Logs out over `calls` if it is open, and calls back. It cannot be used afterwards.
  void close(DeviceCalls& calls, const std::function<void()>& done);
  /// Does the same on a separate connection with short timeouts, after the others were closed. Returns when it is done.
  /// For a thread without a running loop.
  void close_apart(http::RelayOptions options);

 private:
  enum class State { closed, opening, open, refused };

  void open();
  void ask_info(const std::string& label);
  void took_info(const std::string& label, const DeviceReply& reply);
  void log_in(std::string_view code);
  void took_login(const http::Request& plain, bool is_sealed, bool has_code, DeviceReply reply);
  void seal(const http::Request& plain, bool has_code);
  void ask_code();
  void opened(const LoginAnswer& answer);
  void learn(std::string_view value, scrubbers::SecretClass secret_class) const;
  void fail(const std::string& why, bool is_refusal);
  void tell(const Opened& opened);
  [[nodiscard]] LoginFields fields(std::string_view code) const;

  const http::BaseUrl device_;
  const DeviceAccount account_;
  DeviceCalls& calls_;
  const Told told_;
  State state_ = State::closed;
  std::optional<LoginWay> way_;
  bool is_code_used_ = false;
  base::SecretArena memory_;  ///< for what the device returned
  OpenSession current_;
  NoSession failure_;
  std::vector<Use> waiting_;
};

}  // namespace tapedeck::proxy
