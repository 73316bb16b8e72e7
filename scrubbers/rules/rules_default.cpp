// The shipped rules for names (docs/device-notes.md, "Where secrets and private data are"). Increase
// RuleSet::policy_number with every change here.

#include "scrubbers/rules/scrub_rule.h"
#include "scrubbers/rules/secret_names.h"
#include "scrubbers/rules/secret_patterns.h"

namespace tapedeck::scrubbers {
namespace {

using Class = SecretClass;

struct Row {
  const char* id;
  Scope scope;
  const char* match;
  SecretClass secret_class;
  bool learn;
  const char* api;
  const char* method;
  const char* reason;
  const char* beside = "";
  bool yields = false;
};

constexpr Row shipped_rows[] = {
    // Parameters of a login and of a session's requests.
    {"param-sid", Scope::parameter, "_sid", Class::session_id, true, "", "", "the session id of a request"},
    {"param-synotoken", Scope::parameter, "SynoToken", Class::csrf_token, true, "", "", "the CSRF token of a request"},
    {"param-account", Scope::parameter, "account", Class::account, false, "API.Auth", "", "the account in a login"},
    {"param-account-below", Scope::parameter, "account", Class::account, false, "API.Auth.*", "",
     "the account in a login"},
    {"param-username-below", Scope::parameter, "username", Class::account, false, "API.Auth.*", "",
     "the account in a login"},
    {"param-login-account", Scope::parameter, "account", Class::account, false, "", "login", "the account in a login"},
    {"param-login-username", Scope::parameter, "username", Class::account, false, "", "login",
     "the account in a login"},
    {"param-login-user", Scope::parameter, "user", Class::account, false, "", "login", "the account in a login"},
    {"param-plain-sid", Scope::parameter, "sid", Class::session_id, true, "", "", "the session id of a request"},
    {"param-sharing-sid", Scope::parameter, "sharing_sid", Class::session_id, true, "", "",
     "the session of a share's guest"},
    {"param-passwd", Scope::parameter, "passwd", Class::password, true, "", "", "the password in a login"},
    {"param-password", Scope::parameter, "password", Class::password, true, "", "",
     "a password that is set or confirmed"},
    {"param-old-password", Scope::parameter, "old_password", Class::password, true, "", "",
     "a password that is changed"},
    {"param-new-password", Scope::parameter, "new_password", Class::password, true, "", "", "a password that is set"},
    {"param-confirm-password", Scope::parameter, "confirm_password", Class::password, true, "", "",
     "a password that is set"},
    {"param-otp-code", Scope::parameter, "otp_code", Class::otp_code, true, "", "", "a two-factor code"},
    {"param-device-id", Scope::parameter, "device_id", Class::device_id, true, "API.Auth", "",
     "the id of a trusted device"},
    {"param-did", Scope::parameter, "did", Class::device_id, true, "API.Auth", "", "the id of a trusted device"},
    {"param-device-name", Scope::parameter, "device_name", Class::secret, false, "API.Auth", "",
     "the name of a trusted device"},
    {"param-ciphertext", Scope::parameter, "__cIpHeRtExT", Class::token, false, "", "", "an encrypted login"},
    {"param-ik-message", Scope::parameter, "ik_message", Class::token, false, "", "", "the key exchange of a login"},
    {"param-kk-message", Scope::parameter, "kk_message", Class::token, false, "", "", "the key exchange of a login"},
    {"param-auth-code", Scope::parameter, "code", Class::token, true, "API.Auth.Key.Code", "",
     "a code that is exchanged for a session"},
    {"param-otp-confirm", Scope::parameter, "code", Class::otp_code, true, "Core.OTP", "", "a two-factor code"},
    {"param-unzip-password", Scope::parameter, "unzip_password", Class::password, true, "", "",
     "the password of an archive"},
    {"param-rocommunity", Scope::parameter, "rocommunity", Class::secret, true, "", "",
     "an SNMP community works as a password"},
    {"param-rwcommunity", Scope::parameter, "rwcommunity", Class::secret, true, "", "",
     "an SNMP community works as a password"},
    {"param-privacy-key", Scope::parameter, "privacy_key", Class::secret, true, "", "", "an SNMP key"},
    {"param-cam-user", Scope::parameter, "camUserName", Class::secret, false, "", "", "the account of a camera"},
    {"param-cam-password", Scope::parameter, "camPassWord", Class::password, true, "", "", "the password of a camera"},
    {"param-certificate-key", Scope::parameter, "key", Class::secret, false, "Core.Certificate", "import",
     "a private key"},
    {"param-share-key", Scope::parameter, "key", Class::secret, true, "Core.Share.Crypto.*", "",
     "the key of an encrypted folder"},
    // Headers and cookies.
    {"header-synotoken", Scope::header, "X-SYNO-TOKEN", Class::csrf_token, true, "", "", "the CSRF token of a request"},
    {"header-synohash", Scope::header, "X-SYNO-HASH", Class::token, true, "", "", "a token of a request"},
    {"header-sharing", Scope::header, "X-SYNO-SHARING", Class::secret, true, "", "",
     "the ID of a share, which grants read access"},
    {"header-token", Scope::header, "*", Class::token, false, "", "",
     "a request header outside of the standards that looks like a token", "", true},
    {"header-authorization", Scope::header, "Authorization", Class::authorization, true, "", "", "credentials"},
    {"cookie-id", Scope::cookie, "id", Class::session_id, true, "", "", "the session id as a cookie"},
    {"cookie-phpsessid", Scope::cookie, "PHPSESSID", Class::session_id, true, "", "",
     "the session id of an application as a cookie"},
    {"cookie-sharing-sid", Scope::cookie, "sharing_sid", Class::session_id, true, "", "",
     "the session of a share's guest as a cookie"},
    {"cookie-did", Scope::cookie, "did", Class::device_id, true, "", "", "the id of a trusted device as a cookie"},
    {"cookie-ssid", Scope::cookie, "_SSID", Class::cookie, true, "", "", "a session of the device's desktop"},
    {"cookie-smid", Scope::cookie, "smid", Class::cookie, true, "", "", "a session of the device's desktop"},
    {"cookie-token", Scope::cookie, "*", Class::cookie, true, "", "", "any other cookie that looks like a token"},
    // Responses.
    {"json-sid", Scope::json_key, "sid", Class::session_id, true, "", "", "the session ID from a login"},
    {"json-underscore-sid", Scope::json_key, "_sid", Class::session_id, true, "", "", "a session id"},
    {"json-sharing-sid", Scope::json_key, "sharing_sid", Class::session_id, true, "", "",
     "the session of a share's guest"},
    {"json-grant-tid", Scope::json_key, "tid", Class::token, true, "API.Auth.Key", "",
     "a ticket, which grants access once"},
    {"json-synotoken", Scope::json_key, "SynoToken", Class::csrf_token, true, "", "", "the CSRF token from a login"},
    {"json-did", Scope::json_key, "did", Class::device_id, true, "API.Auth", "", "the ID of a trusted device"},
    {"json-device-id", Scope::json_key, "device_id", Class::device_id, true, "API.Auth", "",
     "the ID of a trusted device"},
    {"json-account", Scope::json_key, "account", Class::account, false, "API.Auth", "", "the logged-in account"},
    {"json-account-below", Scope::json_key, "account", Class::account, false, "API.Auth.*", "",
     "the logged-in account"},
    {"json-username-below", Scope::json_key, "username", Class::account, false, "API.Auth.*", "",
     "the logged-in account"},
    {"json-login-account", Scope::json_key, "account", Class::account, false, "", "login", "the logged-in account"},
    {"json-login-username", Scope::json_key, "username", Class::account, false, "", "login", "the logged-in account"},
    {"json-auth-token", Scope::json_key, "token", Class::token, true, "API.Auth", "",
     "a token between the steps of a login"},
    {"json-confirm-token", Scope::json_key, "**.data.SynoConfirmPWToken", Class::token, true, "", "",
     "the token for a confirmed password"},
    {"json-password-confirm", Scope::json_key, "token", Class::token, true, "Core.User.PasswordConfirm", "",
     "the token for a confirmed password"},
    {"json-ciphertoken", Scope::json_key, "ciphertoken", Class::token, true, "", "", "the token of an encrypted login"},
    {"json-password", Scope::json_key, "password", Class::password, true, "", "", "a password among settings"},
    {"json-passwd", Scope::json_key, "passwd", Class::password, true, "", "", "a password among settings"},
    {"json-unzip-password", Scope::json_key, "unzip_password", Class::password, true, "", "",
     "the password of an archive"},
    {"json-cam-password", Scope::json_key, "camPassWord", Class::password, true, "", "", "the password of a camera"},
    {"json-cam-user", Scope::json_key, "camUserName", Class::secret, false, "", "", "the account of a camera"},
    {"json-sharing-id", Scope::json_key, "id", Class::secret, true, "FileStation.Sharing", "",
     "the ID of a share, which grants read access"},
    {"param-sharing-id", Scope::parameter, "id", Class::secret, true, "FileStation.Sharing", "",
     "the ID of a share, which grants read access"},
    {"json-sharing-image", Scope::json_key, "qrcode", Class::secret, false, "FileStation.Sharing", "",
     "the address of a share as image"},
    {"json-otp-key", Scope::json_key, "key", Class::secret, true, "Core.OTP", "get_qrcode",
     "the seed of two-factor codes"},
    {"json-otp-image", Scope::json_key, "img", Class::secret, false, "Core.OTP", "get_qrcode",
     "the seed of two-factor codes as image"},
    {"json-rocommunity", Scope::json_key, "rocommunity", Class::secret, true, "", "",
     "an SNMP community works as a password"},
    {"json-rwcommunity", Scope::json_key, "rwcommunity", Class::secret, true, "", "",
     "an SNMP community works as a password"},
    {"json-privacy-key", Scope::json_key, "privacy_key", Class::secret, true, "", "", "an SNMP key"},
    {"json-ik-message", Scope::json_key, "ik_message", Class::token, false, "", "", "the key exchange of a login"},
    {"json-kk-message", Scope::json_key, "kk_message", Class::token, false, "", "", "the key exchange of a login"},
    {"json-auth-code", Scope::json_key, "code", Class::token, true, "API.Auth.Key.Code", "",
     "a code that is exchanged for a session"},
    {"json-share-key", Scope::json_key, "key", Class::secret, true, "Core.Share.Crypto.*", "",
     "the key of an encrypted folder"},
    {"json-license-key", Scope::json_key, "**.license.key", Class::secret, true, "", "", "a bought license"},
    {"json-licenses-key", Scope::json_key, "**.licenses.key", Class::secret, true, "", "", "a bought license"},
    {"json-docker-auth", Scope::json_key, "**.auths.*.auth", Class::secret, true, "", "",
     "the credentials of a container registry"},
    {"json-jwk-d", Scope::json_key, "d", Class::secret, true, "", "", "the private part of a JSON web key", "kty"},
    {"json-jwk-k", Scope::json_key, "k", Class::secret, true, "", "", "a symmetric JSON web key", "kty"},
    {"json-jwk-p", Scope::json_key, "p", Class::secret, true, "", "", "the private part of a JSON web key", "kty"},
    {"json-jwk-q", Scope::json_key, "q", Class::secret, true, "", "", "the private part of a JSON web key", "kty"},
    {"json-jwk-dp", Scope::json_key, "dp", Class::secret, true, "", "", "the private part of a JSON web key", "kty"},
    {"json-jwk-dq", Scope::json_key, "dq", Class::secret, true, "", "", "the private part of a JSON web key", "kty"},
    {"json-jwk-qi", Scope::json_key, "qi", Class::secret, true, "", "", "the private part of a JSON web key", "kty"},
    {"json-private-key", Scope::json_key, "private_key", Class::secret, false, "", "",
     "the private key of a certificate"},
    {"json-network-username", Scope::json_key, "username", Class::secret, false, "Core.Network.*", "",
     "an account at another service"},
    {"json-ddns-username", Scope::json_key, "username", Class::secret, false, "Core.DDNS.*", "",
     "an account at another service"},
    {"json-mail-username", Scope::json_key, "username", Class::secret, false, "Core.Notification.*", "",
     "an account at another service"},
};

// A member of settings that is called a password may be a flag or a mask.
Values values_of(const Row& row) {
  const std::string_view match = row.match;
  if (match == "private_key" || match == "key" || match.ends_with(".key")) return Values::token;
  if (match == "code") return Values::code;
  if (row.scope == Scope::parameter && (match == "sid" || match == "sharing_sid")) return Values::id;
  const bool is_setting = match.ends_with("password") || match.ends_with("passwd");
  return row.secret_class == Class::password && is_setting ? Values::phrase : Values::any;
}

}  // namespace

std::vector<ScrubRule> default_rules() {
  std::vector<ScrubRule> rules;
  rules.reserve(std::size(shipped_rows) + secret_patterns().size() + secret_names().size());
  for (const Row& row : shipped_rows) {
    rules.push_back({row.id, row.reason, row.scope, row.match, row.api, row.method, row.secret_class, row.learn, true,
                     values_of(row), false, row.beside, row.yields});
  }
  for (const PatternRow& row : secret_patterns()) {
    rules.push_back({std::string(row.id), std::string(row.reason), Scope::body_pattern, std::string(row.expression), "",
                     "", row.secret_class, row.learn, true, row.values, row.in_url});
  }
  for (const NameRow& row : secret_names()) {
    const std::size_t begin = row.ending.find_first_not_of("_=");
    rules.push_back({"name-" + std::string(row.ending.substr(begin)), std::string(row.reason), Scope::name,
                     std::string(row.ending), "", "", row.secret_class, true, true, row.values, false, "", row.yields});
  }
  return rules;
}

}  // namespace tapedeck::scrubbers
