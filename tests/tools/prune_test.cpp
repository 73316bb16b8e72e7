// Tests recordings that a newer take has replaced, so that they are never played (docs/cassettes.md).
#include "tools/prune.h"

#include <catch2/catch.hpp>

#include "tests/support/cassette_fixture.h"
#include "tools/content/rewrite.h"

namespace tapedeck::tools {
namespace {

using testing::error;
using testing::ok;
using testing::record;
using testing::Recorded;

/// Returns the takes from which interactions are removed.
std::vector<std::uint32_t> pruned_takes(const std::vector<std::vector<Recorded>>& takes) {
  const testing::TestCassette cassette;
  for (const auto& take : takes) testing::record_take(cassette.path(), take);
  const cassettes::CassetteReader reader(cassette.path());
  PruneRules rules;
  rules.superseded = true;
  const auto gone = pruned(reader, rules);
  std::vector<std::uint32_t> found;
  reader.list([&](const cassettes::ListedInteraction& line) {
    if (gone.contains(id_number(line.id))) found.push_back(line.take);
    return true;
  });
  return found;
}

TEST_CASE("prune: superseded recordings are those that no session can play") {
  const std::string get = "SVC.Core.Terminal/1/get";
  const std::string compound =
      "SVC.Entry.Request/1/request?compound=[{\"api\":\"SVC.Core.Terminal\",\"version\":1,\"method\":\"get\"}]";
  const auto told = [](const std::string& answer) {
    return R"({"data":{"result":[{"api":"SVC.Core.Terminal","method":"get","version":1,)" + answer +
           R"(}]},"success":true})";
  };
  const std::string done = told(R"("success":true)"), ended = told(R"("error":{"code":119},"success":false)");
  struct Row {
    std::string what;
    std::vector<std::vector<Recorded>> takes;
    std::vector<std::uint32_t> gone;
  };
  const std::vector<Row> rows = {
      {"a newer success", {{record(get, ok)}, {record(get, ok)}}, {1}},
      {"a newer refusal", {{record(get, ok)}, {record(get, error(402))}}, {}},
      {"refusals", {{record(get, error(402))}, {record(get, error(105))}}, {1}},
      {"a newer end of a session", {{record(get, error(402))}, {record(get, error(119))}}, {}},
      {"of a compound", {{record(compound, done)}, {record(compound, ended)}}, {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    CHECK(pruned_takes(row.takes) == row.gone);
  }
}

}  // namespace
}  // namespace tapedeck::tools
