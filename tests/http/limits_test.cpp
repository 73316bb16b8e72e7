#include "http/io/limits.h"

#include <catch2/catch.hpp>

namespace tapedeck::http {
namespace {

TEST_CASE("limits: the defaults are consistent") { CHECK(fault_in(Limits()) == std::nullopt); }

TEST_CASE("limits: a value out of range is reported with its option") {
  const struct {
    void (*change)(Limits&);
    std::string fault;  ///< empty: no fault
  } rows[] = {
      {[](Limits& l) { l.connections = 0; }, "--connections 0: the minimum is 1"},
      {[](Limits& l) { l.connections = 1'000'001; }, "--connections 1000001: the maximum is 1000000"},
      {[](Limits& l) { l.buffer_bytes = 1000; }, "--buffer 1000: the minimum is 1048576"},
      {[](Limits& l) { l.max_body = (256u << 20) + 1; }, "--max-response-body 268435457: the maximum is 268435456"},
      {[](Limits& l) { l.max_body = l.body_bytes = 0; }, ""},
      // relations between limits
      {[](Limits& l) { l.body_bytes = 300u << 20; }, "--max-request-body 314572800 is more than --buffer 268435456"},
      {[](Limits& l) { l.buffer_bytes = l.body_bytes = 1u << 20; },
       "--max-response-body 67108864 is more than --buffer 1048576"},
      {[](Limits& l) { l.buffer_bytes = l.body_bytes = l.max_body = 1u << 20; }, ""},
  };
  for (const auto& row : rows) {
    Limits limits;
    row.change(limits);
    CAPTURE(row.fault);
    CHECK(fault_in(limits).value_or("") == row.fault);
  }
}

}  // namespace
}  // namespace tapedeck::http
