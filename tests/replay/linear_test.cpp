// Tests that the time to read overlays grows with their number, and not with its square.

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>

#include "replay/overlays/overlay_file.h"
#include "replay/overlays/overlay_set.h"
#include "tests/support/growth.h"

namespace tapedeck::replay {

TEST_CASE("linear: four times as many overlays take about four times as long") {
  struct Row {
    std::string name;
    std::function<std::string(std::size_t)> block;
  };
  const std::vector<Row> rows{
      {"of one call", [](std::size_t) { return std::string(R"({"call":"Core.Network/1/get","error":105})"); }},
      {"behind a call each",
       [](std::size_t i) {
         return R"({"call":"Core.Network/1/get","error":105,"after":"Core.A)" + std::to_string(i) + R"(/1/set"})";
       }},
      {"on a line each",
       [](std::size_t) { return std::string("\n{\"call\":\"Core.Network/1/get\",\n\"error\":105}"); }},
  };
  constexpr double most = 8;  // 16 if time grows with the square
  constexpr std::size_t count = 2000;
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto seconds = [&](std::size_t size) {
      std::string list = "[";
      for (std::size_t i = 0; i < size; ++i) list += (i == 0 ? "" : ",") + row.block(i);
      list += "]";
      return tests::seconds_of([&] {
        std::vector<OverlaySet::Rule> rules;
        for (const OverlayPtr& one : number_overlays(read_posted_overlays(list).overlays, "")) {
          rules.push_back({one, std::make_shared<std::atomic<std::uint64_t>>(0)});
        }
        const OverlaySet set(std::move(rules));
      });
    };
    CHECK(tests::growth(count, most, seconds) < most);
  }
}

}  // namespace tapedeck::replay
