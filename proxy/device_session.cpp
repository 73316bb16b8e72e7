#include "proxy/device_session.h"

#include <chrono>
#include <utility>

#include "api/envelope.h"
#include "base/wipe.h"

namespace tapedeck::proxy {
namespace {

using api::ErrorCode;
using scrubbers::SecretClass;

constexpr std::string_view usual_label = "SYNO", spec_label = "SVC";

bool is_code(const std::optional<int>& error, ErrorCode code) { return error == static_cast<int>(code); }

/// Describes a reply that is not in the format of the interface.
std::string not_understood(const DeviceReply& reply) {
  if (!reply.is_whole()) return reply.why;
  const std::string status = std::to_string(reply.answer.status);
  const auto location = reply.answer.headers.first("Location");
  return "it responds with status " + status + (location ? " and a redirect" : "") +
         " to a login query; `tapedeck doctor` may find the reason";
}

}  // namespace

DeviceSession::DeviceSession(http::BaseUrl device, DeviceAccount account, DeviceCalls& calls, Callbacks callbacks)
    : device_(std::move(device)), account_(std::move(account)), calls_(calls), callbacks_(std::move(callbacks)) {}

void DeviceSession::use(Use use) {
  if (state_ == State::open) return use(current_);
  if (state_ == State::refused) return use(failure_);
  waiting_.push_back(std::move(use));
  if (state_ == State::closed) open();
}

void DeviceSession::renew(std::uint64_t number, Use use) {
  if (state_ == State::open && current_.number == number) {
    state_ = State::closed;
    if (callbacks_.line) callbacks_.line("the device ended the session; logging in again");
  }
  this->use(std::move(use));
}

void DeviceSession::close(DeviceCalls& calls, const std::function<void()>& done) {
  if (std::exchange(state_, State::closed) != State::open) return done();
  calls.ask(logout_request(device_, *way_, current_.id, current_.csrf_token), [done](const DeviceReply&) { done(); });
}

void DeviceSession::close_apart(http::RelayOptions options) {
  constexpr std::chrono::seconds patience{2};
  options.limits.connect_time = options.limits.first_byte_time = options.limits.stall_time = patience;
  DirectCalls calls(std::move(options));
  close(calls, [] {});
}

void DeviceSession::open() {
  state_ = State::opening;
  if (way_) return log_in({});
  ask_info(std::string(usual_label));
}

void DeviceSession::ask_info(const std::string& label) {
  calls_.ask(info_request(device_, label), [this, label](const DeviceReply& reply) { took_info(label, reply); });
}

void DeviceSession::took_info(const std::string& label, const DeviceReply& reply) {
  if (reply.is_whole()) way_ = login_way(reply.answer.body, label);
  const bool is_envelope = reply.is_whole() && api::verdict(reply.answer.body).has_value();
  if (way_) return log_in({});
  if (is_envelope && label == usual_label) return ask_info(std::string(spec_label));
  fail(is_envelope ? "it has no API.Auth" : not_understood(reply), false);
}

/// From the second login on, a device token replaces the two-factor code.
LoginFields DeviceSession::fields(std::string_view code) const {
  return {account_.name(), account_.password(), code, current_.device_id};
}

void DeviceSession::log_in(std::string_view code) {
  learn(account_.password(), SecretClass::password);
  learn(code, SecretClass::otp_code);
  http::Request request = login_request(device_, *way_, fields(code));
  auto plain = std::make_shared<http::Request>(request);
  const bool has_code = !code.empty();
  calls_.ask(std::move(request), [this, plain, has_code](DeviceReply reply) {
    took_login(*plain, false, has_code, std::move(reply));
    base::wipe(plain->body);
  });
}

void DeviceSession::took_login(const http::Request& plain, bool is_sealed, bool has_code, DeviceReply reply) {
  const LoginAnswer answer = reply.is_whole() ? login_answer(reply.answer.body) : LoginAnswer();
  base::wipe(reply.answer.body);
  if (answer.is_success()) return opened(answer);
  if (!answer.error_code) return fail(not_understood(reply), false);
  if (!is_sealed && asks_for_another_form(*answer.error_code) && !way_->encryption_path.empty()) {
    return seal(plain, has_code);
  }
  if (is_code(answer.error_code, ErrorCode::auth_code_needed) && !has_code) return ask_code();
  fail(login_error(*answer.error_code), true);
}

void DeviceSession::seal(const http::Request& plain, bool has_code) {
  auto kept = std::make_shared<http::Request>(plain);
  calls_.ask(encryption_request(device_, *way_), [this, kept, has_code](const DeviceReply& reply) {
    const auto key = reply.is_whole() ? public_key(reply.answer.body) : std::nullopt;
    auto sealed = key ? sealed_request(*kept, *key) : std::nullopt;
    base::wipe(kept->body);
    if (!sealed) return fail("it requires an encrypted login but provides no usable key", true);
    calls_.ask(std::move(*sealed),
               [this, has_code](DeviceReply came) { took_login({}, true, has_code, std::move(came)); });
  });
}

void DeviceSession::ask_code() {
  const std::string lacking = login_error(static_cast<int>(ErrorCode::auth_code_needed)) +
                              "; set TAPEDECK_DEVICE_OTP, or run the command in a terminal";
  if (!account_.code().empty() && !std::exchange(is_code_used_, true)) return log_in(account_.code());
  if (!callbacks_.ask_code) return fail(lacking, true);
  callbacks_.ask_code([this, lacking](std::string code) {
    if (code.empty()) return fail(lacking, true);
    log_in(code);
    base::wipe(code);
  });
}

void DeviceSession::opened(const LoginAnswer& answer) {
  const std::string_view device_id = answer.device_id.empty() ? current_.device_id : memory_.keep(answer.device_id);
  current_ = {current_.number + 1, memory_.keep(answer.session_id), memory_.keep(answer.csrf_token), device_id};
  state_ = State::open;
  learn(current_.id, SecretClass::session_id);
  learn(current_.csrf_token, SecretClass::csrf_token);
  learn(current_.device_id, SecretClass::device_id);
  if (callbacks_.line) callbacks_.line("logged in at the device");
  tell(current_);
}

void DeviceSession::learn(std::string_view value, SecretClass secret_class) const {
  if (callbacks_.learn && !value.empty()) callbacks_.learn(value, secret_class);
}

void DeviceSession::fail(const std::string& why, bool is_refusal) {
  failure_ = {is_refusal ? "the device refused the login: " + why : "not logged in at the device: " + why, is_refusal};
  state_ = is_refusal ? State::refused : State::closed;
  if (callbacks_.line) callbacks_.line(failure_.why);
  tell(failure_);
}

/// A callback may call use() again.
void DeviceSession::tell(const Opened& opened) {
  const Opened kept = opened;
  for (const Use& use : std::exchange(waiting_, {})) use(kept);
}

}  // namespace tapedeck::proxy
