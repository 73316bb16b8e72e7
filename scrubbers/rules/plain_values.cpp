#include "scrubbers/rules/plain_values.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace tapedeck::scrubbers {
namespace {

using base::fold;
using base::is_digit;
using base::is_letter;
using base::is_lower;
using base::is_upper;

constexpr ValueException exceptions[] = {
    {"flag", "true, false, yes, no, on, off, null, none: a setting"},
    {"mask", "one repeated character (********): a placeholder"},
    {"enumeration", "required, optional, unchanged, sha256 …: a word of an interface"},
    {"short", "less than six bytes (for generated keys and tokens)"},
    {"small number", "less than four digits: a number or a duration"},
    {"label", "the word itself or a sentence with it (Enter your password): a label"},
    {"template", "${NAME}, {{name}}, <NAME>, %s: a placeholder"},
    {"public key", "a public key or a certificate, which is not secret"},
    {"path", "/etc/ssl/server.key: the path of a key or token (for keys and tokens)"},
    {"time", "a date or a time (for keys and tokens)"},
    {"number", "only digits (for keys and tokens): a time, an ID, or a number"},
    {"address", "https://…: an address (for communities, keys, and tokens)"},
};

// Lower case, letters and digits only. Sorted.
constexpr std::string_view enumeration[] = {
    "accept",      "accepted",  "active",      "aes",         "aes128",     "aes256",    "all",         "allow",
    "allowed",     "always",    "and",         "anonymous",   "any",        "apikey",    "app",         "argon2",
    "ask",         "auto",      "automatic",   "basic",       "bcrypt",     "bearer",    "blank",       "both",
    "button",      "changed",   "chap",        "cleartext",   "configured", "cookie",    "correct",     "credential",
    "credentials", "custom",    "default",     "defined",     "denied",     "deny",      "device",      "digest",
    "disable",     "disabled",  "ed25519",     "email",       "empty",      "enable",    "enabled",     "encrypted",
    "error",       "exists",    "expired",     "expires",     "external",   "fail",      "failed",      "failure",
    "false",       "field",     "file",        "generated",   "global",     "good",      "google",      "hash",
    "header",      "hidden",    "high",        "hmac",        "hotp",       "idle",      "inactive",    "incorrect",
    "inherit",     "input",     "internal",    "invalid",     "jwt",        "kerberos",  "key",         "ldap",
    "local",       "locked",    "low",         "mail",        "manual",     "masked",    "md5",         "medium",
    "missing",     "mschapv2",  "must",        "na",          "needed",     "never",     "new",         "no",
    "none",        "normal",    "notset",      "ntlm",        "null",       "nullptr",   "number",      "oauth",
    "oauth2",      "object",    "off",         "ok",          "old",        "on",        "once",        "optional",
    "otp",         "pap",       "pass",        "passed",      "passphrase", "passwd",    "password",    "pending",
    "pin",         "plain",     "plaintext",   "present",     "prohibited", "prompt",    "protected",   "provided",
    "psk",         "query",     "random",      "recommended", "redacted",   "reject",    "rejected",    "removed",
    "require",     "required",  "reset",       "revoked",     "rsa",        "saved",     "secret",      "secure",
    "select",      "self",      "session",     "set",         "sha1",       "sha256",    "sha512",      "shown",
    "sms",         "static",    "string",      "strong",      "success",    "suspended", "system",      "temporary",
    "text",        "token",     "too",         "toolong",     "tooshort",   "totp",      "true",        "type",
    "unchanged",   "undefined", "unencrypted", "unknown",     "unlocked",   "unset",     "unsupported", "updated",
    "user",        "valid",     "verified",    "visible",     "weak",       "wep",       "wpa",         "wpa2",
    "wpa2psk",     "wpa3",      "wpapsk",      "wrong",       "yes"};

// Returns the letters and digits of a text of up to 64 bytes, in lower case.
std::string bare(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 65)) {
    if (base::is_alnum(c)) out += fold(c);
  }
  return out;
}

bool is_listed(std::string_view value) {
  constexpr std::size_t longest = 24;
  if (value.size() > longest) return false;
  const auto joins = [](char c) { return base::is_alnum(c) || c == '_' || c == '-' || c == ' ' || c == '/'; };
  if (!std::all_of(value.begin(), value.end(), joins)) return false;
  const std::string word = bare(value);
  if (std::binary_search(std::begin(enumeration), std::end(enumeration), std::string_view(word))) return true;
  // Two words that are used as a setting: not_required, read-only.
  const std::size_t cut = value.find_first_of("_- ");
  if (cut == std::string_view::npos) return false;
  constexpr std::string_view firsts[] = {"not", "read", "never", "no", "always", "use", "is", "must", "by"};
  const std::string first = bare(value.substr(0, cut));
  const std::string rest = bare(value.substr(cut));
  return std::find(std::begin(firsts), std::end(firsts), first) != std::end(firsts) &&
         (std::binary_search(std::begin(enumeration), std::end(enumeration), std::string_view(rest)) ||
          rest == "only" || rest == "expire" || rest == "change");
}

bool is_mask(std::string_view value) {
  constexpr std::string_view bullet = "\xE2\x80\xA2";
  constexpr std::string_view dot = "\xE2\x97\x8F";
  constexpr std::string_view wide_hash = "\xEF\xBC\x83";
  constexpr std::string_view wide_star = "\xEF\xBC\x8A";
  for (const std::string_view mark : {bullet, dot, wide_hash, wide_star}) {
    if (value.size() % mark.size() != 0 || !value.starts_with(mark)) continue;
    bool all = true;
    for (std::size_t at = 0; at < value.size(); at += mark.size()) all = all && value.substr(at, mark.size()) == mark;
    if (all) return true;
  }
  constexpr std::string_view marks = "*xX.-#?_ ";
  return marks.find(value.front()) != std::string_view::npos &&
         value.find_first_not_of(value.front()) == std::string_view::npos;
}

bool is_template(std::string_view value) {
  const auto wrapped = [&](std::string_view open, std::string_view close) {
    return value.size() > open.size() + close.size() && value.starts_with(open) && value.ends_with(close) &&
           value.substr(open.size(), value.size() - open.size() - close.size()).find(close.front()) ==
               std::string_view::npos;
  };
  return wrapped("${", "}") || wrapped("{{", "}}") || wrapped("{", "}") || wrapped("<", ">") || wrapped("%", "%") ||
         value == "%s" || value == "{0}" || value == "...";
}

bool is_public(std::string_view value) {
  static constexpr std::string_view heads[] = {"PUBLIC KEY", "BEGIN CERTIFICATE"};
  static constexpr std::string_view types[] = {"ssh-rsa ",       "ssh-dss ",      "ssh-ed25519 ", "ecdsa-sha2-",
                                               "sk-ssh-ed25519", "sk-ecdsa-sha2", "AAAAB3NzaC1"};
  return std::any_of(std::begin(heads), std::end(heads),
                     [value](auto head) { return value.find(head) != std::string_view::npos; }) ||
         std::any_of(std::begin(types), std::end(types), [value](auto type) { return value.starts_with(type); });
}

// Returns true for labels and messages that repeat the name: "Password", "Enter your password:",
// "the_passwords_do_not_match".
bool is_label(std::string_view stem, std::string_view value) {
  constexpr std::size_t longest = 400;
  if (value.size() > longest || std::any_of(value.begin(), value.end(), is_digit)) return false;
  const std::string word = bare(value);
  if (word == stem) return true;
  static constexpr std::string_view words[] = {"password", "passwd", "passphrase", "passwort",  "kennwort",
                                               "token",    "secret", "credential", "sharedkey", "community"};
  const bool names = (!stem.empty() && word.find(stem) != std::string::npos) ||
                     std::any_of(std::begin(words), std::end(words),
                                 [&](std::string_view w) { return word.find(w) != std::string::npos; });
  if (!names) return false;
  if (std::find(std::begin(words), std::end(words), word) != std::end(words)) return true;
  const bool sentence = value.find(' ') != std::string_view::npos;
  const auto snake = [](char c) { return is_lower(c) || c == '_'; };
  const bool message =
      std::count(value.begin(), value.end(), '_') >= 2 && std::all_of(value.begin(), value.end(), snake);
  std::size_t humps = 0;
  for (std::size_t i = 1; i < value.size(); ++i) humps += is_upper(value[i]) && is_lower(value[i - 1]) ? 1 : 0;
  const bool camel = humps >= 2 && std::all_of(value.begin(), value.end(), is_letter);
  return sentence || message || camel;
}

bool is_path(std::string_view value) {
  if (value.find_first_of(" +=") != std::string_view::npos) return false;
  static constexpr std::string_view files[] = {".key", ".pem", ".crt", ".p12", ".pfx", ".txt", ".json", ".conf"};
  const bool file = std::any_of(std::begin(files), std::end(files), [&](auto end) { return value.ends_with(end); });
  if (file) return true;
  static constexpr std::string_view roots[] = {"/etc/", "/usr/", "/var/",  "/volume",
                                               "/run/", "/opt/", "/home/", "/tmp/"};
  return std::any_of(std::begin(roots), std::end(roots), [&](auto root) { return value.starts_with(root); });
}

bool is_time(std::string_view value) {
  // Recognizes a date, optionally with a time: 2026-11-22.
  if (value.size() < 10 || value.size() > 40 || value[4] != '-' || value[7] != '-') return false;
  return std::all_of(value.begin(), value.end(), [](char c) {
    return is_digit(c) || c == '-' || c == ':' || c == '.' || c == 'T' || c == 'Z' || c == ' ' || c == '+';
  });
}

bool is_address(std::string_view value) {
  const std::size_t mark = value.find("://");
  return mark != std::string_view::npos && mark < 12 && value.find('@') == std::string_view::npos;
}

bool has_digit(std::string_view value) { return std::any_of(value.begin(), value.end(), is_digit); }

// Returns true for the credentials of a header, with their scheme: "Bearer …", "Token …", "apikey …".
bool has_scheme(std::string_view value) {
  const std::string_view scheme = base::take_until(value, ' ');
  constexpr std::string_view schemes[] = {"bearer", "basic", "digest", "token", "apikey", "ntlm", "negotiate"};
  return std::find(std::begin(schemes), std::end(schemes), base::fold(scheme)) != std::end(schemes) &&
         value.find(' ') == base::npos;
}

bool is_plain_for_programs(std::string_view value) {
  constexpr std::size_t shortest = 6;
  if (value.size() < shortest) return true;
  if (value.find(' ') != base::npos && !value.starts_with("-----BEGIN") && !has_scheme(value)) return true;
  return is_path(value) || is_time(value) || is_address(value) || std::all_of(value.begin(), value.end(), is_digit);
}

}  // namespace

std::span<const ValueException> value_exceptions() { return exceptions; }

bool looks_random(std::string_view value) {
  constexpr std::size_t shortest = 16;
  if (value.size() < shortest || value.find(' ') != std::string_view::npos) return false;
  const auto digits = std::count_if(value.begin(), value.end(), is_digit);
  const auto letters = std::count_if(value.begin(), value.end(), is_letter);
  return digits >= 2 && letters >= 2;
}

bool looks_like_id(std::string_view value) {
  const auto may_stand = [](char c) {
    return base::is_alnum(c) || std::string_view("+/=_%.-~|:").find(c) != std::string_view::npos;
  };
  return std::all_of(value.begin(), value.end(), may_stand) && std::any_of(value.begin(), value.end(), is_digit) &&
         std::any_of(value.begin(), value.end(), is_letter);
}

bool is_plain_value(Values values, std::string_view stem, std::string_view value, bool is_set) {
  if (values == Values::any) return false;
  value = base::trim(value, " \t\r\n");
  if (value.empty() || is_mask(value) || is_public(value) || is_listed(value)) return true;
  const bool is_password = is_set && values == Values::phrase;
  if (!is_password && is_template(value)) return true;
  constexpr std::size_t few_digits = 4;
  const bool digits = std::all_of(value.begin(), value.end(), is_digit);
  if (digits && value.size() < few_digits) return true;
  if (!is_password && is_label(stem, value)) return true;
  switch (values) {
    case Values::any:
    case Values::phrase:
      if (stem.ends_with("pwd") && !is_set && is_path(value)) return true;  // a shell's directory
      return stem.ends_with("community") && (is_address(value) || value.find(' ') != std::string_view::npos);
    case Values::code:
      return !has_digit(value) && !(value.size() >= 8 && std::none_of(value.begin(), value.end(), is_lower));
    case Values::token:
      return is_plain_for_programs(value);
    case Values::id:
      return !looks_random(value);
  }
  return false;
}

}  // namespace tapedeck::scrubbers
