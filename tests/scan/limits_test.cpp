// Tests the statements of docs/secrets.md about what the scan can and cannot find.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "base/text.h"
#include "tests/scan/scan_support.h"

using namespace tapedeck;
using namespace tapedeck::scan;
using namespace tapedeck::scan::testing;

namespace {

const std::string value = "q8Zr2VtXw71/LmNb 0Kc5Dy9Pj";

std::string base64_times(std::string text, int times) {
  for (int i = 0; i < times; ++i) text = base64(text);
  return text;
}

std::string wide(std::string_view text, std::size_t width, bool big_endian) {
  std::string out;
  for (const char c : text) {
    std::string unit(width, '\0');
    unit[big_endian ? width - 1 : 0] = c;
    out += unit;
  }
  return out;
}

std::string hex_with(std::string_view before, std::string_view between) {
  std::string out;
  for (const char c : value) out += (out.empty() ? "" : std::string(between)) + std::string(before) + hex({&c, 1});
  return out;
}

std::string base32(std::string_view text) {
  std::string out;
  unsigned held = 0, count = 0;
  for (const char c : std::string(text) + std::string(1, 0)) {
    held = held << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 5; count -= 5) out += "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[held >> (count - 5) & 31];
  }
  return out;
}

/// Writes `\141` or `=61` for characters that are not letters, or for all.
std::string escaped(std::string_view text, const char* form, bool all) {
  std::string out;
  for (const char c : text) {
    std::array<char, 8> bytes{};
    std::snprintf(bytes.data(), bytes.size(), form, static_cast<unsigned char>(c));
    out += all || std::isalnum(static_cast<unsigned char>(c)) == 0 ? std::string(bytes.data()) : std::string(1, c);
  }
  return out;
}

std::string in_lines(const std::string& text, std::size_t width) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += width) out += text.substr(at, width) + "\n";
  return out;
}

std::uint64_t finds(const std::string& bytes) {
  LearnedValues learned;
  learned.add(value);
  ScanOptions options;
  options.learned = &learned;
  return scan_bytes(bytes, "item", options).learned;
}

}  // namespace

TEST_CASE("limits: the scan finds a value in the documented forms") {
  std::string mixed = hex(value);
  for (std::size_t i = 0; i < mixed.size(); i += 3) mixed[i] = static_cast<char>(toupper(mixed[i]));
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"as it is", value},
      {"three times percent", percent_all(percent_all(percent_all(value)))},
      {"five times base64", base64_times(value, 5)},
      {"hex in mixed case", mixed},
      {"hex with colons", hex_with("", ":")},
      {"hex with dashes", hex_with("", "-")},
      {"hex of base64 of hex", hex(base64(hex(value)))},
      {"hex with bars", hex_with("", "|")},
      {"percent, JSON and percent", percent_all(json(percent_all(value)))},
  };
  for (const auto& [name, bytes] : rows) {
    INFO(name);
    CHECK(finds(bytes) > 0);
    CHECK(finds("before " + bytes) > 0);
  }
}

TEST_CASE("limits: the scan does not find a value in the forms that are documented as limits") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"UTF-16LE", wide(value, 2, false)},
      {"UTF-16BE", wide(value, 2, true)},
      {"hex with 0x and commas", hex_with("0x", ", ")},
      {"hex with 0x and nothing between", hex_with("0x", ",")},
      {"hex with 0x in a form", hex_with("0x", ",+")},
      {"hex with 0x in a list", "[\"" + hex_with("0x", "\",\"") + "\"]"},
      {"UTF-32LE", wide(value, 4, false)},
      {"UTF-32BE", wide(value, 4, true)},
      {"base32", base32(value)},
      {"base32 behind two bytes, lower case", base::fold(base32("ab" + value))},
      {"base32 in base64", base64(base32(value))},
      {"octal", escaped(value, "\\%03o", true)},
      {"octal where needed", escaped(value, "\\%03o", false)},
      {"backslash x", escaped(value, "\\x%02x", true)},
      {"quoted-printable", escaped(value, "=%02X", false)},
      {"quoted-printable, every byte", escaped(value, "=%02X", true)},
      {"quoted-printable over a line's end", value.substr(0, 9) + "=\r\n" + value.substr(9)},
      {"base64 of UTF-16", base64(wide(value, 2, false))},
      {"reversed", {value.rbegin(), value.rend()}},
      {"split over two lines", value.substr(0, 12) + "\n" + value.substr(12)},
      {"base64 in lines", in_lines(base64("0123456789" + value + std::string(60, 'y')), 20)},
      {"six times base64", base64_times(value, 6)},
  };
  for (const auto& [name, bytes] : rows) {
    INFO(name);
    CHECK(finds(bytes) == 0);
  }
}
