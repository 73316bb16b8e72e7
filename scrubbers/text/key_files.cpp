#include "scrubbers/text/key_files.h"

#include <algorithm>

#include "base/base64.h"

namespace tapedeck::scrubbers {
namespace {

/// Returns the content of a DER sequence that is not longer than the bytes after its header; otherwise nothing.
std::string_view sequence(std::string_view bytes) {
  if (bytes.size() < 16 || bytes[0] != '\x30') return {};
  const auto length = static_cast<std::uint8_t>(bytes[1]);
  const std::size_t count = length < 0x80 ? 0 : length & 0x7Fu;
  return count > 4 ? std::string_view() : bytes.substr(2 + count);
}

}  // namespace

bool is_key_file(std::string_view bytes) {
  if (bytes.starts_with("\xFE\xED\xFE\xED")) return true;
  const std::string_view inside = sequence(bytes);
  constexpr std::string_view pfx("\x02\x01\x03\x30", 4);
  constexpr std::string_view sec1("\x02\x01\x01\x04\x20", 5);
  constexpr std::string_view pkcs1("\x02\x01\x00\x02\x82", 5);
  constexpr std::string_view pkcs8("\x02\x01\x00\x30", 4);
  constexpr std::string_view object("\x06", 1);
  if (inside.starts_with(pkcs8)) return inside.substr(5, 1) == object;
  return inside.starts_with(pfx) || inside.starts_with(sec1) || inside.starts_with(pkcs1);
}

bool mentions_private_key(std::string_view text) {
  static constexpr std::string_view marks[] = {"PRIVATE KEY-----", "PRIVATE KEY BLOCK-----",
                                               "Private-Lines: ", "BEGIN OpenVPN Static key V1-----",
                                               "AGE-SECRET-KEY-1"};
  if (std::any_of(std::begin(marks), std::end(marks),
                  [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; })) {
    return true;
  }
  // WireGuard writes "PrivateKey = " and 44 characters of base64.
  constexpr std::size_t length = 43;
  for (std::size_t at = text.find("PrivateKey"); at != std::string_view::npos; at = text.find("PrivateKey", at + 1)) {
    const std::size_t begin = text.find_first_not_of(" =", at + 10);
    if (begin == std::string_view::npos || begin > at + 14 || text.size() - begin < length) continue;
    const std::string_view key = text.substr(begin, length);
    if (std::all_of(key.begin(), key.end(), [](char c) { return base::base64_value(c) >= 0; })) return true;
  }
  return false;
}

}  // namespace tapedeck::scrubbers
