#pragma once
// The one session at the device behind many sessions of clients (toolkit §3): opened when it is first needed, opened
// again when the device has ended it, closed at the end of the run.

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

/// Who logs in. The password and the code are wiped when it goes.
class DeviceAccount {
 public:
  /// `code`: a one-time code that is there already; empty: there is none.
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

/// What the device gave with one login. Views that live as long as the DeviceSession.
struct OpenSession {
  std::uint64_t number = 0;  ///< of the login, from 1
  std::string_view id, csrf_token, device_id;
};

/// Why there is no session.
struct NoSession {
  std::string why;          ///< in words, without anything secret
  bool is_refusal = false;  ///< the device has refused the login: it is not asked again
};

class DeviceSession {
 public:
  using Opened = std::variant<OpenSession, NoSession>;
  using Use = std::function<void(const Opened&)>;

  struct Told {
    /// A value that is secret from now on, before any message that could tell it is sent, or passed on.
    std::function<void(std::string_view value, scrubbers::SecretClass secret_class)> learn;
    /// Asks people for a one-time code, and calls back on the loop's thread; with an empty text if there is none.
    std::function<void(std::function<void(std::string code)> answer)> ask_code;
    /// A line for the log, without anything secret.
    std::function<void(const std::string& line)> line;
  };

  /// `calls` must outlive it, and so must everything that calls back.
  DeviceSession(http::BaseUrl device, DeviceAccount account, DeviceCalls& calls, Told told);

  /// Calls back with the session, once it is open: at once, or after the one login that all who come meanwhile wait
  /// for. A refusal is final: who comes later gets it without another attempt. For the loop's thread.
  void use(Use use);
  /// The device has answered 106, 107 or 119 to a call with the session of that number: as use(), with a newer one. The
  /// first of several calls that were refused opens it again, the others find it open.
  void renew(std::uint64_t number, Use use);
  /// Logs out, if it is open, over `calls`, and calls back. It must not be used any more.
  void close(DeviceCalls& calls, const std::function<void()>& done);
  /// The same on a connection of its own, with little patience, for whoever has closed those of the run. Returns when
  /// it is done; for a thread whose loop has ended.
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
  base::SecretArena memory_;  ///< of what the device gave
  OpenSession current_;
  NoSession failure_;
  std::vector<Use> waiting_;
};

}  // namespace tapedeck::proxy
