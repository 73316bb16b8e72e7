#include "cli/options/strict.h"

#include <catch2/catch.hpp>

#include "cli/console/usage_error.h"

namespace tapedeck::cli {

TEST_CASE("strict: fails on the listed events only") {
  struct Row {
    std::string list;
    std::set<std::string> kinds;
  };
  const std::vector<std::string> all = {"miss",    "fallback",   "withheld", "broken",         "unused",
                                        "order",   "unfinished", "scope",    "unverified",     "builtin-error",
                                        "refused", "derived",    "past-end", "builtin-effect", "ambiguous"};
  for (const Row& row : std::vector<Row>{{"", {}},
                                         {"true", {"miss", "fallback", "builtin-effect"}},
                                         {"miss", {"miss"}},
                                         {"order,miss,builtin-error", {"order", "miss", "builtin-error"}},
                                         {"scope,unused,unfinished", {"scope", "unused", "unfinished"}},
                                         {"unverified", {"unverified"}},
                                         {"miss,refused", {"miss", "refused"}},
                                         {"derived,past-end", {"derived", "past-end"}}}) {
    CAPTURE(row.list);
    const Strict strict(row.list, Strict::on_replay);
    CHECK(strict.any() == !row.kinds.empty());
    for (const std::string& kind : all) {
      CAPTURE(kind);
      CHECK(strict.is_broken({{"recorded", 7}, {kind, 1}}) == row.kinds.contains(kind));
      CHECK_FALSE(strict.is_broken({{"recorded", 7}, {kind, 0}}));
    }
  }
  CHECK(Strict("true", Strict::on_record).has("withheld"));
  CHECK(Strict("true", Strict::on_record).has("ambiguous"));
  CHECK_FALSE(Strict("true", Strict::on_record).has("miss"));
  for (const std::string list : {"orders", "Miss", "miss fallback", ",miss", "all", "builtin-effect"}) {
    CAPTURE(list);
    CHECK_THROWS_AS(Strict(list, Strict::on_replay), UsageError);
  }
}

}  // namespace tapedeck::cli
