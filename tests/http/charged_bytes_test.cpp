#include "http/io/charged_bytes.h"

#include <catch2/catch.hpp>

namespace tapedeck::http {
namespace {

TEST_CASE("charged bytes: a charge goes along with its holder and is given back once") {
  const std::size_t before = BufferCharge::total();
  {
    BufferCharge first(1000);
    BufferCharge second(std::move(first));
    CHECK(second.held() == 1000);
    CHECK(BufferCharge::total() == before + 1000);
    BufferCharge third(50);
    third = std::move(second);
    CHECK(third.held() == 1000);
    third.set(10);
  }
  CHECK(BufferCharge::total() == before);
}

TEST_CASE("charged bytes: what a string takes of memory is charged until its bytes are given away") {
  const std::size_t before = BufferCharge::total();
  ChargedBytes bytes;
  for (int i = 0; i < 1000; ++i) bytes.append(std::string(1000, 'a'));
  CHECK(BufferCharge::total() >= before + 1'000'000);
  CHECK(BufferCharge::total() <= before + 1'600'000);
  const ChargedBytes moved(std::move(bytes));
  CHECK(moved.size() == 1'000'000);
  CHECK(BufferCharge::total() >= before + 1'000'000);
  ChargedBytes last(std::string(5000, 'b'));
  const std::size_t held = BufferCharge::total();
  CHECK(last.take().size() == 5000);
  CHECK(last.empty());
  CHECK(BufferCharge::total() <= held - 5000);
}

}  // namespace
}  // namespace tapedeck::http
