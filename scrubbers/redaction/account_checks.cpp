#include "scrubbers/redaction/account_checks.h"

#include <cstring>
#include <set>

#include "api/call.h"
#include "base/digest.h"
#include "base/text.h"

namespace tapedeck::scrubbers {
std::uint64_t random_account_key() {
  std::uint64_t key = 0;
  const std::string bytes = base::random_bytes(sizeof key);
  std::memcpy(&key, bytes.data(), sizeof key);
  return key & largest_account_key;
}

std::uint8_t account_check(std::uint64_t key, std::string_view name) {
  return base::sha256({"account ", std::to_string(key), " ", api::canonical_value(name)}).front();
}

std::string AccountChecks::to_text() const {
  std::string text = std::to_string(key);
  for (const auto& [number, value] : values) {
    text.append(" ").append(std::to_string(number)).append("=").append(std::to_string(value));
  }
  return text;
}

std::optional<AccountChecks> AccountChecks::parse(std::string_view text) {
  AccountChecks checks;
  const auto key = base::whole_number<std::uint64_t>(base::take_until(text, ' '));
  if (!key) return std::nullopt;
  checks.key = *key;
  while (!text.empty()) {
    std::string_view one = base::take_until(text, ' ');
    const auto number = base::whole_number<std::uint32_t>(base::take_until(one, '='));
    const auto value = base::whole_number<std::uint8_t>(one);
    if (!number || !value) return std::nullopt;
    checks.values[*number] = *value;
  }
  return checks;
}

bool AccountNames::add(std::uint32_t number, std::string_view name) {
  constexpr int most_keys = 200;
  if (!names_.try_emplace(number, name).second) return false;
  for (int i = 0; i < most_keys && !are_different(); ++i) key_ = random_account_key();
  return true;
}

bool AccountNames::are_different() const {
  std::set<std::uint8_t> values;
  for (const auto& [number, name] : names_) {
    if (!values.insert(account_check(key_, name)).second) return false;
  }
  return true;
}

AccountChecks AccountNames::checks() const {
  AccountChecks checks{key_, {}};
  for (const auto& [number, name] : names_) checks.values[number] = account_check(key_, name);
  return checks;
}

}  // namespace tapedeck::scrubbers
