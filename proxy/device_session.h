#pragma once
// Shares one session at the device among many client sessions (docs/recording.md, "Complete a recording"). The session
// is opened at its first use, opened again if the device ends it, and closed at the end of the run.

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
#include "scrubbers/redaction/redaction.h"

namespace tapedeck::proxy {

/// An account. The destructor wipes password and code.
class DeviceAccount {
 public:
  /// `code` is a one-time code, or empty.
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
  std::uint64_t number = 0;  ///< number of the login, from 1
  std::string_view id, csrf_token, device_id;
};

/// The reason why there is no session.
struct NoSession {
  std::string why;          ///< contains no secrets
  bool is_refusal = false;  ///< true if the device has refused the login, which is then not repeated
};

class DeviceSession {
 public:
  using Opened = std::variant<OpenSession, NoSession>;
  using Use = std::function<void(const Opened&)>;

  struct Callbacks {
    /// Called with each new secret before a message that contains it is sent or passed on.
    std::function<void(std::string_view value, scrubbers::SecretClass secret_class)> learn;
    /// Asks the user for a one-time code, and calls back on the loop's thread, with an empty text if there is none.
    std::function<void(std::function<void(std::string code)> answer)> ask_code;
    /// Receives lines for the log, without secrets.
    std::function<void(const std::string& line)> line;
  };

  /// `calls` and all callbacks must outlive it.
  DeviceSession(http::BaseUrl device, DeviceAccount account, DeviceCalls& calls, Callbacks callbacks);

  /// Calls back with the session once it is open: immediately, or after one login for all waiting callers. A refusal is
  /// final: later callers get it without another attempt. Call it on the loop's thread.
  void use(Use use);
  /// Requests a newer session after the device has returned 106, 107, or 119 for the session with this number.
  /// Otherwise like use(). If several calls are refused, the first one opens a session, and the others use it.
  void renew(std::uint64_t number, Use use);
  /// Logs out over `calls` if it is open, and calls back. It cannot be used afterwards.
  void close(DeviceCalls& calls, const std::function<void()>& done);
  /// Does the same on a separate connection with short timeouts, after the others were closed. Blocks until it is done.
  /// Call it on a thread without a running loop.
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
  const Callbacks callbacks_;
  State state_ = State::closed;
  std::optional<LoginWay> way_;
  bool is_code_used_ = false;
  base::SecretArena memory_;  ///< memory for values that the device returned
  OpenSession current_;
  NoSession failure_;
  std::vector<Use> waiting_;
};

}  // namespace tapedeck::proxy
