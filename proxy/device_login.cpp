#include "proxy/device_login.h"

#include <algorithm>
#include <utility>

#include "api/envelope.h"
#include "api/json_spans.h"
#include "base/sealed_text.h"
#include "base/text.h"
#include "base/wipe.h"
#include "http/message/urlencoded.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::proxy {
namespace {

constexpr std::string_view form_type = "application/x-www-form-urlencoded; charset=UTF-8";

/// A form that is wiped from memory unless it is moved out.
class Form {
 public:
  ~Form() { base::wipe(text_); }
  Form& add(std::string_view name, std::string_view value) {
    std::string encoded = http::percent_encode(value);
    text_.reserve(1024);  // a growing string would leave copies in memory
    text_.append(text_.empty() ? "" : "&").append(name).append("=").append(encoded);
    base::wipe(encoded);
    return *this;
  }
  [[nodiscard]] std::string take() { return std::exchange(text_, {}); }

 private:
  std::string text_;
};

http::Request post(const http::BaseUrl& device, std::string_view path, std::string form) {
  http::Request request{"POST", device.path + "/webapi/" + std::string(path), 1, {}, std::move(form)};
  request.headers.add("Accept", "application/json");
  request.headers.add("Content-Type", form_type);
  return request;
}

http::Request get(const http::BaseUrl& device, std::string_view path_and_query) {
  http::Request request{"GET", device.path + "/webapi/" + std::string(path_and_query), 1, {}, {}};
  request.headers.add("Accept", "application/json");
  return request;
}

/// Returns the text of a JSON string or number; empty for other values.
std::string plain(std::optional<std::string_view> json) {
  if (!json || json->empty()) return {};
  if (json->front() != '"') return json->find_first_of("{[") == std::string_view::npos ? std::string(*json) : "";
  if (json->size() < 2) return {};
  return scrubbers::decode_text(scrubbers::Codec::json, json->substr(1, json->size() - 2));
}

std::optional<std::string_view> data_of(std::string_view body) {
  const auto verdict = api::verdict(body);
  return verdict && verdict->success ? api::json_member(body, "data") : std::nullopt;
}

/// Devices report it relative to "/webapi/".
std::string path_of(std::string_view entry) {
  const std::string path = plain(api::json_member(entry, "path"));
  const bool is_safe = path.ends_with(".cgi") && path.find("..") == std::string::npos && path.front() != '/' &&
                       std::all_of(path.begin(), path.end(), [](char c) { return http::is_unreserved(c) || c == '/'; });
  return is_safe ? path : "entry.cgi";
}

}  // namespace

http::Request info_request(const http::BaseUrl& device, std::string_view label) {
  const std::string name(label);
  return get(device, "query.cgi?api=" + name + ".API.Info&version=1&method=query&query=" + name + ".API.Auth," + name +
                         ".API.Encryption");
}

std::optional<LoginWay> login_way(std::string_view body, std::string_view label) {
  const auto data = data_of(body);
  if (!data) return std::nullopt;
  const auto entry = api::json_member(*data, std::string(label) + ".API.Auth");
  if (!entry) return std::nullopt;
  constexpr unsigned newest = 7;
  LoginWay way;
  way.label = label;
  way.path = path_of(*entry);
  way.version = std::min(
      base::whole_number<unsigned>(plain(api::json_member(*entry, "maxVersion"))).value_or(way.version), newest);
  if (const auto encryption = api::json_member(*data, std::string(label) + ".API.Encryption")) {
    way.encryption_path = path_of(*encryption);
  }
  return way;
}

http::Request login_request(const http::BaseUrl& device, const LoginWay& way, const LoginFields& fields) {
  Form form;
  form.add("api", way.label + ".API.Auth").add("version", std::to_string(way.version)).add("method", "login");
  form.add("account", fields.account).add("passwd", fields.password).add("format", "sid");
  form.add("enable_syno_token", "yes").add("device_name", "tapedeck");
  if (!fields.code.empty()) form.add("otp_code", fields.code).add("enable_device_token", "yes");
  if (!fields.device_id.empty()) form.add("device_id", fields.device_id);
  return post(device, way.path, form.take());
}

http::Request encryption_request(const http::BaseUrl& device, const LoginWay& way) {
  return get(device,
             way.encryption_path + "?api=" + way.label + ".API.Encryption&version=1&method=getinfo&format=module");
}

std::optional<PublicKey> public_key(std::string_view body) {
  const auto data = data_of(body);
  if (!data) return std::nullopt;
  PublicKey key{plain(api::json_member(*data, "public_key")), plain(api::json_member(*data, "cipherkey")),
                plain(api::json_member(*data, "ciphertoken")), plain(api::json_member(*data, "server_time"))};
  const bool is_whole = !key.modulus.empty() && !key.cipher_key.empty();
  return is_whole ? std::optional(std::move(key)) : std::nullopt;
}

std::optional<http::Request> sealed_request(const http::Request& login, const PublicKey& key) {
  std::string text = login.body;
  if (!key.cipher_token.empty()) {
    text += "&" + http::percent_encode(key.cipher_token) + "=" + http::percent_encode(key.server_time);
  }
  const auto sealed = base::seal(text, key.modulus);
  base::wipe(text);
  if (!sealed) return std::nullopt;
  http::Request request = login;
  base::wipe(request.body);
  Form form;
  for (const http::Pair& pair : http::parse_urlencoded(login.body)) {
    if (pair.name == "api" || pair.name == "version" || pair.name == "method") form.add(pair.name, pair.value);
  }
  form.add("client_time", key.server_time);
  form.add(key.cipher_key, "{\"rsa\":\"" + sealed->rsa + "\",\"aes\":\"" + sealed->aes + "\"}");
  request.body = form.take();
  return request;
}

LoginAnswer login_answer(std::string_view body) {
  LoginAnswer answer;
  const auto verdict = api::verdict(body);
  if (!verdict) return answer;
  if (!verdict->success) {
    answer.error_code = verdict->error_code.value_or(static_cast<int>(api::ErrorCode::unknown));
    return answer;
  }
  const auto data = api::json_member(body, "data");
  if (!data) return answer;
  answer.session_id = plain(api::json_member(*data, "sid"));
  answer.csrf_token = plain(api::json_member(*data, "synotoken"));
  answer.device_id = plain(api::json_member(*data, "did"));
  if (answer.device_id.empty()) answer.device_id = plain(api::json_member(*data, "device_id"));
  return answer;
}

bool asks_for_another_form(int error_code) { return error_code == 101 || error_code == 114 || error_code == 120; }

std::string login_error(int error_code) {
  static constexpr struct {
    int code;
    std::string_view words;
  } known[] = {
      {101, "the device does not understand the login"},
      {102, "the device has no such login method"},
      {104, "the device does not support this version of the login"},
      {400, "unknown account or wrong password"},
      {401, "the account is disabled"},
      {402, "the account is not permitted to log in"},
      {403, "a two-factor code is required"},
      {404, "the two-factor code is wrong"},
      {406, "two-factor authentication must be set up first"},
      {407, "this address is blocked after too many failed logins"},
      {408, "the password has expired and cannot be changed"},
      {409, "the password has expired"},
      {410, "the password must be changed first"},
      {411, "the account is locked"},
  };
  const auto* const found =
      std::find_if(std::begin(known), std::end(known), [&](const auto& row) { return row.code == error_code; });
  const std::string code = "error " + std::to_string(error_code);
  return found == std::end(known) ? code : code + ": " + std::string(found->words);
}

http::Request logout_request(const http::BaseUrl& device, const LoginWay& way, std::string_view session_id,
                             std::string_view csrf_token) {
  Form form;
  form.add("api", way.label + ".API.Auth").add("version", std::to_string(way.version)).add("method", "logout");
  form.add("_sid", session_id);
  http::Request request = post(device, way.path, form.take());
  if (!csrf_token.empty()) request.headers.add("X-SYNO-TOKEN", csrf_token);
  return request;
}

}  // namespace tapedeck::proxy
