// What docs/scrubbing.md says that the scan can and cannot find.

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/scan/scan_support.h"

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

TEST_CASE("the scan finds a value in the forms that the documentation promises") {
  std::string mixed = hex(value);
  for (std::size_t i = 0; i < mixed.size(); i += 3) mixed[i] = static_cast<char>(toupper(mixed[i]));
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"as it is", value},
      {"three times percent", percent_all(percent_all(percent_all(value)))},
      {"five times base64", base64_times(value, 5)},
      {"hex in mixed case", mixed},
      {"hex with colons", hex_with("", ":")},
      {"hex with dashes", hex_with("", "-")},
      {"UTF-16LE", wide(value, 2, false)},
      {"UTF-16BE", wide(value, 2, true)},
      {"hex of base64 of hex", hex(base64(hex(value)))},
  };
  for (const auto& [name, bytes] : rows) {
    INFO(name);
    CHECK(finds(bytes) > 0);
    CHECK(finds("before " + bytes) > 0);
  }
}

TEST_CASE("the scan does not find a value in the forms that the documentation excepts") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"reversed", {value.rbegin(), value.rend()}},
      {"split over two lines", value.substr(0, 12) + "\n" + value.substr(12)},
      {"base64 in lines", in_lines(base64("0123456789" + value + std::string(60, 'y')), 20)},
      {"hex with 0x and commas", hex_with("0x", ", ")},
      {"UTF-32", wide(value, 4, false)},
      {"six times base64", base64_times(value, 6)},
  };
  for (const auto& [name, bytes] : rows) {
    INFO(name);
    CHECK(finds(bytes) == 0);
  }
}
