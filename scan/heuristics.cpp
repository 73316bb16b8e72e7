#include "scan/heuristics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/text.h"
#include "scan/byte_tables.h"
#include "scan/token_formats.h"

namespace tapedeck::scan {

namespace {

constexpr std::size_t shortest_token = 16;
constexpr std::size_t longest_name = 48;
constexpr std::string_view named_value_rule = "learned-named";

constexpr std::array<bool, 256> separates = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view(":=,>")) table[byte_of(c)] = true;
  return table;
}();

using base::is_digit;
using base::is_lower;
using base::is_upper;

bool is_name(char c) { return base::is_alnum(c) || c == '_' || c == '-' || c == '.'; }
bool is_token(char c) { return base64_value(c) >= 0 && c != '+' && c != '/'; }

/// Skips white space, backslashes, and an opening quote after a separator.
std::size_t skip_opening(std::string_view view, std::size_t at) {
  const std::size_t limit = std::min(view.size(), at + 8);
  while (at < limit && (view[at] == ' ' || view[at] == '\t' || view[at] == '"' || view[at] == '\'' || view[at] == '\\'))
    ++at;
  return at;
}

std::size_t end_of_value(std::string_view view, std::size_t at) {
  while (at < view.size() && is_in_value(view[at])) ++at;
  return at;
}

/// Returns the name that ends before the separator at `at`, or an empty text.
std::string_view name_before(std::string_view view, std::size_t at) {
  std::size_t end = at;
  const std::size_t least = at > 6 ? at - 6 : 0;
  bool quoted = false;
  while (end > least &&
         (view[end - 1] == ' ' || view[end - 1] == '"' || view[end - 1] == '\'' || view[end - 1] == '\\')) {
    quoted = quoted || view[end - 1] == '"' || view[end - 1] == '\'';
    --end;
  }
  // A comma separates a name and its value only in ["name","value"].
  if (view[at] == ',' && !quoted) return {};
  std::size_t start = end;
  while (start > 0 && end - start < longest_name && is_name(view[start - 1])) --start;
  if (view[at] == '>' && (start == 0 || view[start - 1] != '<')) return {};
  return view.substr(start, end - start);
}

bool is_cookie_rule(std::string_view rule) { return rule == "named:cookie"; }

struct Telling {
  std::string_view word;
  std::string_view rule;
  bool whole;  ///< too short or too common to be matched as the end of a longer name
};

/// Names of secrets, without characters other than letters and digits.
constexpr Telling telling[] = {
    {"token", "named:token", false},
    {"passwd", "named:passwd", false},
    {"password", "named:password", false},
    {"passphrase", "named:passphrase", false},
    {"secret", "named:secret", false},
    {"apikey", "named:api_key", false},
    {"accesskey", "named:access_key", false},
    {"privatekey", "named:private_key", false},
    {"privkey", "named:private_key", false},
    {"secretkey", "named:secret", false},
    {"secretaccesskey", "named:secret", false},
    {"authkey", "named:auth_key", false},
    {"enckey", "named:encryption_key", false},
    {"encryptionkey", "named:encryption_key", false},
    {"sharedkey", "named:psk", false},
    {"recoverykey", "named:recovery_key", false},
    {"masterkey", "named:master_key", false},
    {"signingkey", "named:signing_key", false},
    {"appkey", "named:api_key", false},
    {"consumerkey", "named:api_key", false},
    {"accountkey", "named:api_key", false},
    {"storagekey", "named:api_key", false},
    {"streamkey", "named:stream_key", false},
    {"stmkey", "named:stream_key", false},
    {"wpapsk", "named:psk", false},
    {"smtppass", "named:password", false},
    {"dbpass", "named:password", false},
    {"otpseed", "named:otp", false},
    {"seed", "named:otp", true},
    {"sessionid", "named:session_id", false},
    {"sessid", "named:session_id", false},
    {"deviceid", "named:device_id", false},
    {"authorization", "named:authorization", false},
    {"cookie", "named:cookie", false},
    {"otpcode", "named:otp", false},
    {"otpkey", "named:otp", false},
    {"credential", "named:credential", false},
    {"credentials", "named:credential", false},
    {"ciphertext", "named:ciphertext", true},
    {"rocommunity", "named:community", true},
    {"xsynohash", "named:hash_header", true},
    {"ikmessage", "named:ik_message", true},
    {"otp", "named:otp", true},
    {"sid", "named:sid", true},
    {"did", "named:did", true},
    {"ssid", "named:sid", true},
    {"pwd", "named:password", true},
    {"psk", "named:psk", true},
    {"auth", "named:authorization", true},
    {"bearer", "named:token", true},
};
/// The last letters of these names, to reject most names quickly.
constexpr std::array<bool, 256> make_last_letters() {
  std::array<bool, 256> letters{};
  for (const auto& entry : telling) letters[static_cast<std::uint8_t>(entry.word.back())] = true;
  return letters;
}
constexpr std::array<bool, 256> last_letters = make_last_letters();

/// The first two bytes of all published token formats. They are rare at the beginning of words in other texts.
struct Beginnings {
  Beginnings() {
    for (const TokenFormat& format : token_formats()) {
      const std::size_t pair = pair_of(format.prefix);
      pairs[pair / 64] |= std::uint64_t{1} << pair % 64;
    }
    for (std::size_t byte = 0; byte < in_word.size(); ++byte) in_word[byte] = is_token(static_cast<char>(byte));
  }
  [[nodiscard]] static std::size_t pair_of(std::string_view text) {
    return std::size_t{byte_of(text[0])} << 8 | byte_of(text[1]);
  }
  std::array<std::uint64_t, 65536 / 64> pairs{};
  std::array<std::uint8_t, 256> in_word{};  ///< 1 if no token can begin after this byte
};

bool ends_value(std::string_view view, std::size_t at) { return at == view.size() || !is_in_value(view[at]); }

}  // namespace

/// The values of one view. In a run such as `a=b=c=…`, all values end at the same place. The end is cached, because a
/// search from each value would take minutes for a megabyte.
class Heuristics::Values {
 public:
  explicit Values(std::string_view view) : view_(view) {}
  [[nodiscard]] std::string_view at(std::size_t at) {
    if (at < begin_ || at >= end_) {
      begin_ = at;
      end_ = end_of_value(view_, at);
    }
    return view_.substr(at, end_ - at);
  }

 private:
  std::string_view view_;
  std::size_t begin_ = 0, end_ = 0;
};

std::string_view telling_rule(std::string_view name) {
  if (name.starts_with('<') && name.ends_with('>')) return {};  // a placeholder, because the name was a secret
  std::array<char, longest_name> folded{};
  std::size_t size = 0;
  for (const char c : name) {
    if (size == folded.size()) return {};
    if (is_upper(c)) folded[size++] = static_cast<char>(c | 0x20);
    if (is_lower(c) || is_digit(c)) folded[size++] = c;
  }
  const std::string_view word(folded.data(), size);
  if (word.empty() || !last_letters[static_cast<std::uint8_t>(word.back())]) return {};
  for (const Telling& entry : telling)
    if (entry.whole ? word == entry.word : word.ends_with(entry.word)) return entry.rule;
  return {};
}

bool looks_random(std::string_view value) {
  if (value.size() < shortest_token || value.size() > 16 * 1024) return false;
  value = value.substr(0, 1024);  // in a run such as `sid=sid=…`, each part is a value
  if (value.find('*') != std::string_view::npos || value.starts_with('$') || value.starts_with("%3C")) return false;
  std::array<std::uint16_t, 256> counts{};
  std::size_t digits = 0;
  std::size_t letters = 0;
  std::size_t rises = 0;
  std::size_t upper_pairs = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    ++counts[byte_of(value[i])];
    digits += is_digit(value[i]) ? 1 : 0;
    letters += base::is_letter(value[i]) ? 1 : 0;
    if (i == 0 || !is_upper(value[i])) continue;
    rises += is_lower(value[i - 1]) ? 1 : 0;
    upper_pairs += is_upper(value[i - 1]) ? 1 : 0;
  }
  // Without digits, a random value differs from camelCaseWords by consecutive capitals.
  const bool mixed = (digits >= 2 && letters >= 2) || (rises >= 3 && upper_pairs >= 2);
  if (!mixed || (digits + letters) * 4 < value.size() * 3) return false;
  double entropy = 0;
  const auto size = static_cast<double>(value.size());
  for (const std::uint16_t count : counts)
    if (count > 0) entropy -= count / size * std::log2(count / size);
  constexpr double enough = 2.9;  // sixteen random hex digits have 3.2 on average, and one value in fifty is below 2.9
  return entropy >= enough;
}

Heuristics::Heuristics(bool shapes, std::vector<Named> named) : shapes_(shapes), named_(std::move(named)) {
  std::sort(named_.begin(), named_.end(), [](const Named& a, const Named& b) { return a.value < b.value; });
  for (const Named& entry : named_) lengths_.push_back(entry.value.size());
  std::sort(lengths_.begin(), lengths_.end());
  lengths_.erase(std::unique(lengths_.begin(), lengths_.end()), lengths_.end());
}

void Heuristics::scan(std::string_view view, const Sink& sink) const {
  if (!shapes_ && named_.empty()) return;
  Values values(view);
  for (std::size_t at = 0; at < view.size(); ++at)
    if (separates[byte_of(view[at])]) at_separator(view, at, values, sink);
  if (!shapes_) return;
  find_tokens(view, sink);
  find_published(view, sink);
  find_private_keys(view, sink);
}

const Heuristics::Named* Heuristics::find_named(std::string_view value) const {
  const auto found = std::lower_bound(named_.begin(), named_.end(), value,
                                      [](const Named& entry, std::string_view text) { return entry.value < text; });
  return found != named_.end() && found->value == value ? &*found : nullptr;
}

void Heuristics::find_named_value(std::string_view view, std::size_t at, std::size_t value_start,
                                  const Sink& sink) const {
  for (const std::size_t length : lengths_) {
    if (value_start + length > view.size()) return;
    if (!ends_value(view, value_start + length)) continue;
    const std::string_view value = view.substr(value_start, length);
    const Named* const found = find_named(value);
    if (found == nullptr) continue;
    const std::string_view name = name_before(view, at);
    if (name == "id" || !telling_rule(name).empty()) sink({named_value_rule, value, found->index});
  }
}

void Heuristics::at_separator(std::string_view view, std::size_t at, Values& values, const Sink& sink) const {
  // Skips most commas and brackets quickly, because they do not separate a name and a value.
  if (at == 0 || (view[at] == ',' && view[at - 1] != '"' && view[at - 1] != '\'')) return;
  if (view[at] == '>' && !is_name(view[at - 1])) return;
  const std::size_t start = skip_opening(view, at + 1);
  if (!named_.empty()) find_named_value(view, at, start, sink);
  if (!shapes_ || view.size() - start < 4) return;
  if (view[at] == ':' && view.substr(at + 1, 2) == "//") {
    const std::string_view authority = values.at(at + 3);
    const std::string_view user_info = authority.substr(0, authority.find_first_of("/?#"));
    const std::size_t sign = user_info.rfind('@');
    const std::size_t colon = user_info.find(':');
    if (sign == std::string_view::npos || colon == std::string_view::npos || colon + 1 >= sign) return;
    const std::string_view password = user_info.substr(colon + 1, sign - colon - 1);
    const bool masked = password.find_first_not_of(password[0]) == std::string_view::npos ||
                        password.starts_with('$') || password.starts_with("%3C");
    if (!masked) sink({"url-userinfo", password, none});
    return;
  }
  std::string_view value = values.at(start);
  const bool scheme = value == "Bearer" || value == "Basic" || value == "bearer" || value == "basic";
  if (scheme) value = values.at(skip_opening(view, start + value.size()));
  if (value.size() < shortest_token) return;
  const std::string_view rule = telling_rule(name_before(view, at));
  if (rule.empty()) return;
  if (is_cookie_rule(rule)) value = value.substr(value.find('=') + 1);  // the whole value if it has no name
  if (looks_random(value)) sink({rule, value, none});
}

void Heuristics::check(std::string_view name, std::string_view value, const Sink& sink) const {
  const std::string_view rule = telling_rule(name);
  if (rule.empty() && name != "id") return;
  if (const Named* const found = find_named(value)) sink({named_value_rule, value, found->index});
  if (!shapes_ || rule.empty() || end_of_value(value, 0) != value.size()) return;
  if (looks_random(value)) sink({rule, value, none});
}

void Heuristics::find_tokens(std::string_view view, const Sink& sink) const {
  constexpr std::size_t shortest_part = 10;
  for (std::size_t at = view.find("eyJ"); at != std::string_view::npos; at = view.find("eyJ", at + 3)) {
    if (at > 0 && is_token(view[at - 1])) continue;
    std::size_t end = at;
    int parts = 0;
    while (parts < 3) {
      const std::size_t start = end;
      while (end < view.size() && is_token(view[end])) ++end;
      if (end - start < shortest_part) break;
      ++parts;
      if (parts == 3 || end == view.size() || view[end] != '.') break;
      ++end;
    }
    if (parts == 3) sink({"jwt", view.substr(at, end - at), none});
  }
}

void Heuristics::find_published(std::string_view view, const Sink& sink) const {
  static const Beginnings beginnings;
  constexpr std::size_t shortest = 16;
  if (view.size() < shortest) return;
  const std::size_t last = view.size() - shortest;
  std::uint64_t in_word = 0;
  for (std::size_t at = 0; at <= last; ++at) {
    // The only branch is rarely taken, because this loop runs for every byte.
    const std::size_t pair = Beginnings::pair_of(view.substr(at));
    const std::uint64_t begins = beginnings.pairs[pair / 64] >> pair % 64 & ~in_word & 1;
    in_word = beginnings.in_word[byte_of(view[at])];
    if (begins == 0) continue;
    for (const TokenFormat& format : token_formats()) {
      if (Beginnings::pair_of(format.prefix) != pair) continue;
      const std::string_view token = token_at(view, at, format);
      if (token.empty()) continue;
      sink({format.rule, token, none});
      at += token.size() - 1;
      in_word = beginnings.in_word[byte_of(view[at])];
      break;
    }
  }
}

void Heuristics::find_private_keys(std::string_view view, const Sink& sink) const {
  constexpr std::string_view head = "PRIVATE KEY-----";
  for (std::size_t at = view.find(head); at != std::string_view::npos; at = view.find(head, at + 1)) {
    const std::size_t before = at > 40 ? at - 40 : 0;
    if (view.substr(before, at - before).find("-----BEGIN ") == std::string_view::npos) continue;
    const std::string_view near = view.substr(at + head.size(), 4096);
    const std::string_view key = near.substr(0, near.find("-----"));
    const auto digits = std::count_if(key.begin(), key.end(), [](char c) { return base64_value(c) >= 0; });
    if (digits >= 40 && key.find('<') == std::string_view::npos) sink({"private-key", key, none});
  }
}

}  // namespace tapedeck::scan
