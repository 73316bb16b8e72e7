#include "base/linux.h"

#include <catch2/catch.hpp>
#include <cstdlib>

namespace tapedeck::base {
namespace {

TEST_CASE("large block: use_huge_pages keeps the bytes of blocks of all sizes") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, (std::size_t{4} << 20) - 1, std::size_t{4} << 20,
                                 (std::size_t{9} << 20) + 4097}) {
    CAPTURE(size);
    const std::string bytes(size, 'b');
    use_huge_pages(bytes.data(), size);
    CHECK(bytes.find_first_not_of('b') == std::string::npos);
  }
  use_huge_pages(nullptr, std::size_t{8} << 20);
}

}  // namespace
}  // namespace tapedeck::base
