#include "base/linux.h"

#include <catch2/catch.hpp>
#include <cstdlib>

namespace tapedeck::base {
namespace {

TEST_CASE("large block: blocks of every size and place keep their bytes") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, (std::size_t{4} << 20) - 1, std::size_t{4} << 20,
                                 (std::size_t{9} << 20) + 4097}) {
    CAPTURE(size);
    const std::string bytes(size, 'b');
    use_huge_pages(bytes.data(), size);
    CHECK(bytes.find_first_not_of('b') == std::string::npos);
  }
  use_huge_pages(nullptr, std::size_t{8} << 20);
}

TEST_CASE("large block: reserve makes room and keeps the text") {
  std::string text = "kept";
  reserve(text, std::size_t{5} << 20);
  CHECK(text.capacity() >= std::size_t{5} << 20);
  CHECK(text == "kept");
  const std::size_t before = text.capacity();
  reserve(text, 10);
  CHECK(text.capacity() == before);
}

}  // namespace
}  // namespace tapedeck::base
