#include "base/base64.h"

#include <catch2/catch.hpp>

using namespace tapedeck::base;

TEST_CASE("base64: encodes and decodes the vectors of RFC 4648") {
  const std::pair<std::string_view, std::string_view> rows[] = {{"", ""},
                                                                {"f", "Zg=="},
                                                                {"fo", "Zm8="},
                                                                {"foo", "Zm9v"},
                                                                {"foob", "Zm9vYg=="},
                                                                {"fooba", "Zm9vYmE="},
                                                                {"foobar", "Zm9vYmFy"},
                                                                {"\xfb\xff", "+/8="}};
  for (const auto& [bytes, text] : rows) {
    CHECK(base64_form(bytes) == text);
    CHECK(from_base64(text) == bytes);
  }
}

TEST_CASE("base64: decodes either alphabet up to the first foreign character") {
  CHECK(from_base64("-_8") == "\xfb\xff");
  CHECK(from_base64("Zm9v Zm9v") == "foo");
  CHECK(base64_value('-') == base64_value('+'));
  CHECK(base64_value('=') == -1);
}
