#include "http/io/buffer_charge.h"

#include <catch2/catch.hpp>

namespace tapedeck::http {
namespace {

TEST_CASE("buffer charge: moves with its object and is subtracted once") {
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

}  // namespace
}  // namespace tapedeck::http
