// The filters of `ls` and of other commands.
#include "cli/options/selection_options.h"

#include <catch2/catch.hpp>

namespace tapedeck::cli {

TEST_CASE("--call: a call is named by API, method, or both, with or without label and version") {
  const std::pair<std::string, bool> rows[] = {{"Core.Share", true},
                                               {"SVC.Core.Share", true},
                                               {"SYNO.Core.Share", true},
                                               {"Core.*", true},
                                               {"SYNO.*", true},
                                               {"*", true},
                                               {"Core.Share/LIST", true},
                                               {"SYNO.Core.*/list", true},
                                               {"*/list", true},
                                               {"Core.Share/1/list", true},
                                               {"SVC.Core.Share/1/list", true},
                                               {"Core.Share/2/list", false},
                                               {"Core", false},
                                               {"Share", false},
                                               {"Core.Share.*", false},
                                               {"Core.Share/get", false},
                                               {"core.share", false},
                                               {"XYZ.Core.Share", false}};
  const api::Call call("SVC.Core.Share", "1", "list", {});
  for (const auto& [text, fits] : rows) {
    CAPTURE(text);
    const auto filter = calls_named(text);
    REQUIRE(filter.has_value());
    CHECK((*filter)(call) == fits);
  }
  for (const char* none : {"", "/", "/list", "Core.Sha*", "Core.Share/", "Core.Share/1/list/x", "a b"}) {
    CAPTURE(none);
    CHECK_FALSE(calls_named(none).has_value());
  }
}

}  // namespace tapedeck::cli
