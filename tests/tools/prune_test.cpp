// Tests recordings that a newer take has replaced, so that they are never played (docs/cassettes.md).
#include "tools/prune.h"

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/cassette_fixture.h"
#include "tools/content/rewrite.h"

namespace tapedeck::tools {
namespace {

using testing::error;
using testing::ok;
using testing::record;
using testing::Recorded;

/// Returns the takes from which interactions are removed. Those with the numbers in `continuing` continue the ones
/// before.
std::vector<std::uint32_t> pruned_takes(const std::vector<std::vector<Recorded>>& takes,
                                        const std::set<std::size_t>& continuing) {
  const testing::TestCassette cassette;
  for (const auto& take : takes) {
    cassettes::Take info = testing::fixture_take();
    info.continues = continuing.contains(static_cast<std::size_t>(&take - takes.data()) + 1);
    testing::record_take(cassette.path(), take, info);
  }
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
    std::set<std::size_t> continuing = {};
  };
  const std::vector<Row> rows = {
      {"a newer success", {{record(get, ok)}, {record(get, ok)}}, {1}},
      {"a newer refusal", {{record(get, ok)}, {record(get, error(402))}}, {}},
      {"refusals", {{record(get, error(402))}, {record(get, error(105))}}, {1}},
      {"a newer end of a session", {{record(get, error(402))}, {record(get, error(119))}}, {}},
      {"of a compound", {{record(compound, done)}, {record(compound, ended)}}, {}},
      {"an extension", {{record(get, ok)}, {record(get, ok)}}, {}, {2}},
      {"an extension of a refusal", {{record(get, error(402))}, {record(get, ok)}}, {}, {2}},
      {"an extension of an end of a session", {{record(get, error(119))}, {record(get, ok)}}, {1}, {2}},
      {"an extension of the newest", {{record(get, ok)}, {record(get, ok)}, {record(get, ok)}}, {1}, {3}},
      {"a newer one than an extension", {{record(get, ok)}, {record(get, ok)}, {record(get, ok)}}, {1, 2}, {2}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    CHECK(pruned_takes(row.takes, row.continuing) == row.gone);
  }
}

}  // namespace
}  // namespace tapedeck::tools
