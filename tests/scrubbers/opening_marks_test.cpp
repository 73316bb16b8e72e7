#include "scrubbers/search/opening_marks.h"

#include <catch2/catch.hpp>

#include <string>

using namespace tapedeck::scrubbers;

TEST_CASE("opening marks: each of them is seen wherever it stands, and nothing else is taken for one") {
  const std::string_view marks = "%+\\&=<$";
  const std::size_t size = GENERATE(256u, 257u, 1000u, 65'551u);
  for (int c = 0; c < 256; ++c) {
    const bool is_mark = c != 0 && marks.find(static_cast<char>(c)) != std::string_view::npos;
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      std::string text(size, 'a');
      text[at] = static_cast<char>(c);
      CAPTURE(size, c, at);
      CHECK(may_open_something(text) == is_mark);
    }
  }
}

TEST_CASE("opening marks: of a short text it is not looked whether it has one") {
  CHECK(may_open_something("short"));
  CHECK(may_open_something({}));
}
