#include "replay/stages/web_login.h"

#include <algorithm>
#include <array>

#include "api/json_spans.h"
#include "api/json_splice.h"
#include "base/text.h"
#include "http/message/urlencoded.h"
#include "replay/weblogin/base64url.h"
#include "replay/weblogin/server_keys.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::replay {
namespace {

using weblogin::Handshake;
using weblogin::Pattern;

constexpr std::string_view message_suffix = "_message";

/// Returns true for the name of a pattern, such as "xx" or "ik1" (Noise, sections 7.4, 7.5, and 18.1).
bool is_pattern(std::string_view name) {
  static constexpr std::string_view letters = "nkxi1";
  return !name.empty() && name.size() <= 4 && name.front() != '1' &&
         std::all_of(name.begin(), name.end(), [](char c) { return letters.find(c) != std::string_view::npos; });
}

/// Returns the pattern that the name of a parameter contains ("xx_message"), or an empty text. Every pattern is found,
/// not only those of the device.
std::string_view pattern_in(std::string_view param) {
  if (!param.ends_with(message_suffix)) return {};
  const std::string_view name = param.substr(0, param.size() - message_suffix.size());
  return is_pattern(name) ? name : std::string_view();
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), base::upper);
  return result;
}

void read_param(SignIn& sign_in, std::string_view name, std::string_view value, Pattern pattern) {
  if (name == "account") sign_in.account = value;
  if (name == "passwd") sign_in.password = api::without_quotes(value);
  const std::string_view sent = pattern_in(name), message = api::without_quotes(value);
  if (sent.empty() || message.empty()) return;
  if (name == message_name(pattern)) {
    sign_in.message = message;
  } else {
    sign_in.problem = "its handshake has the pattern " + upper(sent) + ", but replay only supports " +
                      std::string(protocol_of(pattern)) + " here";
  }
}

void read_form(SignIn& sign_in, const std::string& form, Pattern pattern) {
  for (const http::Pair& pair : http::parse_urlencoded(form)) read_param(sign_in, pair.name, pair.value, pattern);
}

std::optional<http::Span> message_in(std::string_view body, Pattern pattern) {
  const std::array<std::string, 2> path = {"data", std::string(message_name(pattern))};
  return api::is_json_text(body) ? api::value_at(body, path) : std::nullopt;
}

bool is_ssid(const http::Header& header) {
  return http::equal_no_case(header.name, "Set-Cookie") && header.value.starts_with("_SSID=");
}

bool has_ssid(const Reply& reply) {
  return reply.prepared && reply.prepared->head.find(": _SSID=") != std::string_view::npos;
}

/// Replaces `data.public_key`.
void write_public_key(const weblogin::RsaKey& key, Reply& reply) {
  static const std::array<std::string, 2> path = {"data", "public_key"};
  std::string body = reply.body();
  const auto place = api::is_json_text(body) ? api::value_at(body, path) : std::nullopt;
  if (!place || place->length < 2 || body[place->offset] != '"') return;
  const std::string_view inside = std::string_view(body).substr(place->offset + 1, place->length - 2);
  const std::string own = key.public_key(scrubbers::decode_text(scrubbers::Codec::json, inside));
  reply.set_body(body.replace(place->offset, place->length, api::json_quoted(own)));
}

}  // namespace

std::string_view message_name(Pattern pattern) { return pattern == Pattern::ik ? "ik_message" : "kk_message"; }

SignIn sign_in_of(const Services& services, const api::Call& call, Pattern pattern) {
  SignIn sign_in;
  for (const api::Param& param : call.params()) read_param(sign_in, param.name, param.value, pattern);
  const auto encrypted = call.value("__cIpHeRtExT");
  if (!encrypted || !weblogin::is_encrypted_form(*encrypted)) return sign_in;
  const auto form = weblogin::decrypted_form(*encrypted, services.web_keys.rsa_key());
  if (form) {
    read_form(sign_in, *form, pattern);
  } else {
    sign_in.problem = "its __cIpHeRtExT is damaged, or is for another key than that of this replay";
  }
  return sign_in;
}

std::optional<Handshake> shake_hands(const Services& services, SignIn& sign_in, Pattern pattern, std::string client_key,
                                     std::string_view session) {
  constexpr std::size_t longest = 65'535;  // of a Noise message
  const auto message = weblogin::from_base64url(sign_in.message);
  std::optional<Handshake> done;
  if (message && message->size() <= longest) {
    const weblogin::ServerKeys& keys = services.web_keys;
    done =
        respond(pattern, {keys.static_key(), keys.ephemeral_key(*message, session), std::move(client_key)}, *message);
  }
  if (!done) {
    sign_in.problem = "its " + std::string(message_name(pattern)) + " is not a message of " +
                      std::string(protocol_of(pattern)) + " for the key of this replay";
  }
  return done;
}

Reply refused_sign_in(const Services& services, const RequestContext& context, const SignIn& sign_in) {
  const api::Call& call = *context.parsed().call();
  MissReport report;
  report.code = static_cast<api::ErrorCode>(400);  // wrong account or password
  report.key = call.api() + "/" + call.version() + "/" + call.folded_method();
  report.reason = sign_in.problem;
  report.hint =
      "let the client read the keys from this replay: the cookie _SSID of API.Auth.UIConfig, and the public "
      "key of API.Encryption";
  return missed(services, context, report, services.options.miss_status);
}

bool write_message(Reply& reply, Pattern pattern, const std::optional<Handshake>& handshake) {
  constexpr std::size_t empty = 2;  // two quotes
  std::string body = reply.body();
  const auto place = message_in(body, pattern);
  if (!place || place->length <= empty) return false;
  const std::string message = handshake ? weblogin::to_base64url(handshake->message) : std::string();
  reply.set_body(body.replace(place->offset, place->length, api::json_quoted(message)));
  return true;
}

void present_own_keys(const Services& services, RequestContext& context, Reply& reply) {
  const api::RequestKey& key = context.key();
  if (services.options.end != nullptr && !context.scope_run()) {
    if (!has_ssid(reply)) return;
    reply.to_head();
    reply.response.headers.erase_if(is_ssid);
  } else if (key.is_call && key.api.rest == "API.Encryption") {
    write_public_key(services.web_keys.rsa_key(), reply);
  } else if (key.is_call && key.api.rest == "API.Auth.UIConfig") {
    if (!has_ssid(reply)) reply.add_header("Set-Cookie", own_ssid_cookie(services));
  }
}

std::optional<Reply> answer_with_keys(const Services& services, const RequestContext& context, ThreadState& thread) {
  const api::Call* const call = context.parsed().call();
  const bool is_config = call != nullptr && call->is("API.Auth.UIConfig", "get");
  const bool is_encryption = call != nullptr && call->is("API.Encryption", "getinfo");
  // A recording that cannot be replayed must not be replaced silently.
  if ((!is_config && !is_encryption) || !call->complete() || is_recorded(context.not_played)) return std::nullopt;
  const ExpectedError expected = services.knowledge.expected_error(*call, thread);
  if (expected.certain || expected.code == api::ErrorCode::version_not_supported) return std::nullopt;
  std::string data = "[]";
  if (is_encryption) {
    data = R"({"cipherkey":"__cIpHeRtExT","ciphertoken":"__cIpHeRtOkEn","public_key":")" +
           services.web_keys.rsa_key().public_key() + R"(","server_time":1704067200})";
  }
  Reply reply = Reply::json(Outcome::builtin, api::success_envelope(data));
  if (is_config) reply.add_header("Set-Cookie", own_ssid_cookie(services));
  return reply;
}

std::string own_ssid_cookie(const Services& services) {
  // A page reads it, so it is not HttpOnly.
  return "_SSID=" + services.web_keys.ssid() + (services.options.secure ? ";path=/;secure" : ";path=/");
}

}  // namespace tapedeck::replay
