#include "cli/reports/progress_bar.h"

#include <catch2/catch.hpp>

using namespace tapedeck::cli;
using std::chrono::milliseconds;

TEST_CASE("progress bar: shows progress, rate, and remaining time, without guesses at the start") {
  struct Case {
    std::uint64_t done, total;
    int taken_ms;
    const char* line;
  };
  for (const Case& one :
       {Case{0, 0, 100, "writing"}, Case{0, 100, 0, "writing    [                    ]   0%"},
        Case{50, 100, 499, "writing    [##########          ]  50%"},
        Case{50, 100, 500, "writing    [##########          ]  50%  100 B/s  0:00 left"},
        Case{1'000'000, 100'000'000, 1000, "writing    [                    ]   1%  1.0 MB/s  1:39 left"},
        Case{99, 100, 0, "writing    [################### ]  99%"},
        Case{100, 100, 1000, "writing    [####################] 100%  100 B/s  0:00 left"},
        Case{300, 100, 0, "writing    [####################] 100%"},
        Case{1, UINT64_MAX, 3'600'000, "writing    [                    ]   0%"}}) {
    if (one.total == UINT64_MAX) {
      CHECK(progress_line("writing", one.done, one.total, milliseconds(one.taken_ms)).starts_with(one.line));
    } else {
      CHECK(progress_line("writing", one.done, one.total, milliseconds(one.taken_ms)) == one.line);
    }
  }
  CHECK(progress_line("asking", 50, 100, milliseconds(5000), "calls") ==
        "asking     [##########          ]  50%  10 calls/s  0:05 left");
}
