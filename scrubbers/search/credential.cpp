#include "scrubbers/search/credential.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <unordered_set>

#include "api/call.h"
#include "api/catalog.h"
#include "base/text.h"
#include "scrubbers/redaction/redaction.h"
#include "scrubbers/rules/plain_values.h"
#include "scrubbers/search/secret_search.h"

namespace tapedeck::scrubbers {
namespace {

struct Looks {
  std::size_t classes = 0;    ///< number of classes that occur: lower case, upper case, digits, others
  std::size_t different = 0;  ///< number of different bytes
  std::size_t digits = 0;
  bool has_letter = false;  ///< true for a letter or a byte of a non-ASCII character
};

Looks looks_of(std::string_view value) {
  std::bitset<256> bytes;
  std::array<bool, 4> classes{};
  Looks looks;
  for (const char c : value) {
    bytes.set(static_cast<std::uint8_t>(c));
    const std::size_t which = base::is_lower(c) ? 0 : base::is_upper(c) ? 1 : base::is_digit(c) ? 2 : 3;
    classes[which] = true;
    looks.digits += which == 2 ? 1 : 0;
    looks.has_letter = looks.has_letter || which < 2 || static_cast<std::uint8_t>(c) >= 0x80;
  }
  looks.classes = static_cast<std::size_t>(std::count(classes.begin(), classes.end(), true));
  looks.different = bytes.count();
  return looks;
}

bool is_in_word(char c) { return base::is_alnum(c) || static_cast<std::uint8_t>(c) >= 0x80; }

/// Returns true for letters as in words and names ("volume", "SYNO", "ImageId") with up to four digits after them, for
/// numbers, and for up to two digits and letters ("7z", "5d").
bool is_wordlike(std::string_view run) {
  constexpr std::size_t most_digits_behind = 4, most_digits_ahead = 2;
  std::size_t begin = 0, end = run.size();
  while (end > 0 && base::is_digit(run[end - 1])) --end;
  if (end == 0) return true;
  const std::size_t behind = run.size() - end;
  while (begin < end && base::is_digit(run[begin])) ++begin;
  if (behind > most_digits_behind || begin > most_digits_ahead || (begin > 0 && behind > 0)) return false;
  const std::string_view letters = run.substr(begin, end - begin);
  if (std::any_of(letters.begin(), letters.end(), base::is_digit)) return false;
  std::size_t humps = 0;
  for (std::size_t i = 1; i < letters.size(); ++i) {
    humps += base::is_upper(letters[i]) && base::is_lower(letters[i - 1]) ? 1 : 0;
  }
  return humps * 4 <= letters.size();
}

struct Runs {
  std::size_t words = 0;
  std::size_t random = 0;  ///< number of bytes in runs that are not words
};

Runs runs_of(std::string_view value) {
  constexpr std::size_t shortest_random = 4;
  Runs runs;
  for (std::size_t at = 0; at < value.size();) {
    std::size_t end = at;
    while (end < value.size() && is_in_word(value[end])) ++end;
    const std::string_view run = value.substr(at, end - at);
    if (!run.empty()) ++runs.words;
    if (run.size() >= shortest_random && !is_wordlike(run)) runs.random += run.size();
    at = end + 1;
  }
  return runs;
}

/// Returns true if a punctuation mark joins its neighbors as in common messages: `name=value`, `a/b`, `10:30`, `1.2`,
/// `user@host.tld`.
bool joins(std::string_view value, std::size_t at) {
  const char c = value[at];
  const char before = at > 0 ? value[at - 1] : '\0', next = at + 1 < value.size() ? value[at + 1] : '\0';
  switch (c) {
    case '=':
      return is_in_word(before) && next != '\0' && next != '=';
    case '/':
      return (at == 0 || is_in_word(before)) && is_in_word(next);
    case ':':
      return is_in_word(before) && (next == ' ' || next == '/' || is_in_word(next));
    case '.':
      return base::is_digit(before) && base::is_digit(next);
    case '@':
      return is_in_word(before) && value.substr(at + 1).find('.') != std::string_view::npos;
    default:
      return false;
  }
}

/// Returns true for pieces of JSON, of markup, of scripts, of SQL, and of HTTP.
bool has_message_text(std::string_view value) {
  static constexpr std::string_view joints[] = {"\":", "\",", "\"}",  "\"]",   "{\"", "[\"", "},", "],", "}}",
                                                ":{",  ":[",  "\r\n", "<\x2F", "/>",  "><",  "){", "()"};
  static constexpr std::string_view words[] = {"SELECT ",  "CREATE ",     "INSERT INTO ", "DELETE FROM ",  "UPDATE ",
                                               "NOT NULL", "PRIMARY KEY", "INTEGER",      "WITHOUT ROWID", "HTTP/1"};
  const auto has = [value](std::string_view text) { return value.find(text) != std::string_view::npos; };
  return std::any_of(std::begin(joints), std::end(joints), has) || std::any_of(std::begin(words), std::end(words), has);
}

bool has_joint(std::string_view value) {
  if (has_message_text(value)) return true;
  for (std::size_t at = 0; at < value.size(); ++at) {
    if (joins(value, at)) return true;
  }
  return false;
}

/// Returns true for a label of up to three words, such as "Storage Manager".
bool is_short_phrase(std::string_view value, const Runs& runs) {
  constexpr std::size_t most_words = 3;
  const bool plain = std::all_of(value.begin(), value.end(), [](char c) {
    return base::is_letter(c) || c == ' ' || static_cast<std::uint8_t>(c) >= 0x80;
  });
  return plain && value.find(' ') != std::string_view::npos && runs.words <= most_words && runs.random == 0;
}

/// The names of tables, columns, and indexes of cassettes that are long enough to be searched for. Sorted.
constexpr std::string_view own_names[] = {
    "ended_by_client", "first_byte_us", "interaction_by_name", "many_sessions",  "minor_version",  "request_body",
    "request_headers", "response_body", "response_headers",    "scope_by_name",  "scrub_policy",   "sequence_by_key",
    "sequence_entry",  "sqlite_schema", "sqlite_sequence",     "withheld_bytes", "withheld_digest"};

bool holds_placeholder(std::string_view value) {
  static constexpr std::pair<std::string_view, std::string_view> brackets[] = {
      {"<", ">"}, {"%3C", "%3E"}, {"%3c", "%3e"}, {"&lt;", "&gt;"}, {"\1", "\2"}};
  for (int one = 0; one <= static_cast<int>(last_secret_class); ++one) {
    const std::string_view word = to_string(static_cast<SecretClass>(one));
    const std::size_t at = value.find(word);
    if (at == std::string_view::npos) continue;
    const std::string_view before = value.substr(0, at), behind = value.substr(at + word.size());
    if (before.empty() && behind.empty()) return true;
    for (const auto& [open, close] : brackets) {
      if (before.ends_with(open) && behind.starts_with(close)) return true;
    }
  }
  return value.find("<WITHHELD>") != std::string_view::npos;
}

/// Words of 8 letters or more that are both ordinary text and likely passwords or names. Shorter values are only
/// searched for if they have three classes of characters.
constexpr std::string_view common_words[] = {"access_token",
                                             "administrator",
                                             "administrators",
                                             "anonymous",
                                             "application",
                                             "authenticated",
                                             "authentication",
                                             "authorization",
                                             "certificate",
                                             "changeme123",
                                             "configuration",
                                             "connected",
                                             "default_setting",
                                             "defaultgateway",
                                             "description",
                                             "development",
                                             "device_id",
                                             "device_name",
                                             "disconnected",
                                             "diskstation",
                                             "display_name",
                                             "documentation",
                                             "entry.cgi",
                                             "enterprise",
                                             "environment",
                                             "everybody",
                                             "filestation",
                                             "information",
                                             "installation",
                                             "international",
                                             "localhost.localdomain",
                                             "localdomain",
                                             "maintenance",
                                             "management",
                                             "manufacturer",
                                             "notification",
                                             "notifications",
                                             "not_available",
                                             "organization",
                                             "passphrase",
                                             "password",
                                             "password123",
                                             "permission",
                                             "permissions",
                                             "photostation",
                                             "preferences",
                                             "production",
                                             "public_key",
                                             "qwertyuiop",
                                             "registration",
                                             "rememberme",
                                             "repository",
                                             "securitysetting",
                                             "server_name",
                                             "session_id",
                                             "sessionid",
                                             "subscription",
                                             "superuser",
                                             "surveillance",
                                             "surveillancestation",
                                             "synchronization",
                                             "synology",
                                             "system_status",
                                             "temperature",
                                             "transmission",
                                             "undefined",
                                             "unauthorized",
                                             "unavailable",
                                             "utilization",
                                             "verification",
                                             "videostation",
                                             "welcome123",
                                             "workgroup",
                                             "workstation"};

std::unordered_set<std::string> make_words() {
  std::unordered_set<std::string> words;
  for (const std::string_view word : common_words) words.emplace(word);
  for (const api::CatalogOperation& operation : api::catalog()) {
    words.insert(base::fold(operation.api));
    words.insert(base::fold(operation.method));
  }
  return words;
}

}  // namespace

bool is_plain_word(std::string_view text) {
  constexpr std::size_t longest = 200;  // longer than any word; a value may have megabytes
  if (text.size() > longest) return false;
  static const std::unordered_set<std::string> words = make_words();
  const std::string folded = base::fold(text);
  return words.contains(folded) || words.contains(base::fold(api::ApiName::split(text).rest));
}

bool is_distinctive(std::string_view value) {
  constexpr std::size_t few_digits = 16, few_different = 5, long_value = 12, mixed = 3;
  const Looks looks = looks_of(value);
  if (value.size() < SecretSearch::shortest || (value.size() < long_value && looks.classes < mixed)) return false;
  if (!looks.has_letter && looks.digits > 0 && looks.digits < few_digits && looks.digits * 2 > value.size())
    return false;
  return looks.different >= few_different && !is_plain_word(value);
}

bool has_random_part(std::string_view value) {
  constexpr std::size_t enough = 4;
  return runs_of(value).random >= enough;
}

bool is_structure(std::string_view value) {
  return is_short_phrase(value, runs_of(value)) || (!has_random_part(value) && has_joint(value));
}

bool is_whole_secret(std::string_view value) {
  constexpr std::size_t shortest = 4, shortest_number = 6, longest = 256;
  if (value.size() < shortest || value.size() > longest) return false;
  const bool digits = std::all_of(value.begin(), value.end(), base::is_digit);
  if (digits && value.size() < shortest_number) return false;
  // Names that every device has.
  static constexpr std::string_view common[] = {"admin",  "public", "private", "guest",   "root",  "user",  "users",
                                                "group",  "groups", "home",    "homes",   "share", "local", "everyone",
                                                "system", "volume", "volume1", "network", "web",   "test",  "nobody"};
  const std::string folded = base::fold(value);
  if (std::find(std::begin(common), std::end(common), folded) != std::end(common)) return false;
  return !is_plain_word(value) && !is_plain_value(Values::phrase, {}, value);
}

bool is_own_text(std::string_view value) {
  constexpr std::size_t longest = 256;  // longer than any text that Tapedeck writes
  if (value.size() > longest) return false;
  const std::string folded = base::fold(value);
  return folded.starts_with("x-tapedeck-") ||
         std::binary_search(std::begin(own_names), std::end(own_names), std::string_view(folded)) ||
         holds_placeholder(value);
}

bool looks_like_credential(std::string_view value) {
  return is_distinctive(value) && !is_structure(value) && !is_own_text(value);
}

}  // namespace tapedeck::scrubbers
