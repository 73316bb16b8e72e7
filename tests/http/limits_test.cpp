#include "http/io/limits.h"

#include <catch2/catch.hpp>

namespace tapedeck::http {
namespace {

using namespace std::chrono_literals;

TEST_CASE("limits: the defaults are consistent") { CHECK(fault_in(Limits()) == std::nullopt); }

TEST_CASE("limits: a value out of range is reported with its option") {
  const struct {
    void (*change)(Limits&);
    std::string fault;  ///< empty: no fault
  } rows[] = {
      {[](Limits& l) { l.head_bytes = 255; }, "--head-limit 255: the minimum is 256"},
      {[](Limits& l) { l.head_bytes = (16u << 20) + 1; }, "--head-limit 16777217: the maximum is 16777216"},
      {[](Limits& l) { l.head_bytes = 16u << 20; }, ""},
      {[](Limits& l) { l.header_lines = 0; }, "--header-lines 0: the minimum is 1"},
      {[](Limits& l) { l.target_bytes = 0; }, "--target-limit 0: the minimum is 1"},
      {[](Limits& l) { l.connections = 0; }, "--connections 0: the minimum is 1"},
      {[](Limits& l) { l.connections = 1'000'001; }, "--connections 1000001: the maximum is 1000000"},
      {[](Limits& l) { l.buffer_bytes = 1000; }, "--buffer 1000: the minimum is 1048576"},
      {[](Limits& l) { l.max_body = (256u << 20) + 1; }, "--max-body 268435457: the maximum is 268435456"},
      {[](Limits& l) { l.max_body = l.body_bytes = 0; }, ""},
      {[](Limits& l) { l.head_time = 0ms; }, "--head-time must be from 0.001 to 86400 seconds"},
      {[](Limits& l) { l.body_time = -1ms; }, "--body-time must be from 0.001 to 86400 seconds"},
      {[](Limits& l) { l.write_time = 25h; }, "--write-time must be from 0.001 to 86400 seconds"},
      {[](Limits& l) { l.idle_time = 0ms; }, "--idle-time must be from 0.001 to 86400 seconds"},
      {[](Limits& l) { l.connect_time = 0ms; }, "--connect-time must be from 0.001 to 86400 seconds"},
      {[](Limits& l) { l.first_byte_time = 0ms; }, "--first-byte-time must be from 0.001 to 86400 seconds"},
      {[](Limits& l) { l.stall_time = 0ms; }, "--stall-time must be from 0.001 to 86400 seconds"},
      {[](Limits& l) { l.answer_time = 0ms; }, "--answer-time must be from 0.001 to 86400 seconds"},
      {[](Limits& l) { l.answer_time = 24h; }, ""},
      // relations between limits
      {[](Limits& l) { l.head_bytes = 1024; }, ""},
      {[](Limits& l) { l.body_bytes = 300u << 20; }, "--body-limit 314572800 is more than --buffer 268435456"},
      {[](Limits& l) { l.buffer_bytes = l.body_bytes = 1u << 20; },
       "--max-body 67108864 is more than --buffer 1048576"},
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
