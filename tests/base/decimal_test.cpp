#include "base/decimal.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

using tapedeck::base::decimal_at_start;

TEST_CASE("decimal: reads as much of a text as std::from_chars does") {
  struct Row {
    std::string text;
    std::size_t fixed, general;  ///< sizes without and with an exponent; 0 if there is no number
  };
  const Row rows[] = {{"", 0, 0},
                      {"-", 0, 0},
                      {".", 0, 0},
                      {"-.", 0, 0},
                      {"e5", 0, 0},
                      {"+5", 0, 0},
                      {" 5", 0, 0},
                      {"0", 1, 1},
                      {"5", 1, 1},
                      {"-5", 2, 2},
                      {"5.", 2, 2},
                      {".5", 2, 2},
                      {"-.5", 3, 3},
                      {"1.5.5", 3, 3},
                      {"1,5", 1, 1},
                      {"5 ", 1, 1},
                      {"007", 3, 3},
                      {"0x10", 1, 1},
                      {"1e3", 1, 3},
                      {"1E3", 1, 3},
                      {"1e+3", 1, 4},
                      {"1e-3", 1, 4},
                      {"1e", 1, 1},
                      {"1e+", 1, 1},
                      {"1.5e2x", 3, 5},
                      {"0.1", 3, 3},
                      {"-0", 2, 2},
                      {"5s", 1, 1},
                      {"1e3s", 1, 3},
                      {"1e400", 1, 0},
                      {"123456789012345678", 18, 18}};
  for (const auto& [text, fixed, general] : rows) {
    for (const bool may_have_exponent : {false, true}) {
      CAPTURE(text, may_have_exponent);
      const std::size_t size = may_have_exponent ? general : fixed;
      const auto read = decimal_at_start(text, may_have_exponent);
      REQUIRE(read.has_value() == (size > 0));
      if (!read) continue;
      CHECK(read->size == size);
      CHECK(read->number == std::strtod(text.substr(0, size).c_str(), nullptr));
    }
  }
}
