// Tests the complete types of recorded responses.

#include <catch2/catch.hpp>
#include <sstream>

#include "tests/support/cassette_fixture.h"
#include "tools/shapes/typescript_export.h"

using namespace tapedeck;
using namespace tapedeck::testing;

namespace {

/// Returns the output for the first operation.
std::string types_of(const std::vector<Recorded>& rows) {
  const auto cassette = cassette_with(rows);
  tools::Operations operations;
  operations.add(cassettes::CassetteReader(cassette.path()), {});
  operations.settle();
  std::ostringstream out;
  tools::export_typescript(operations, out);
  const std::string text = out.str();
  const std::size_t begin = text.find("/** SVC.A ");
  return text.substr(begin, text.find("export interface Operations", begin) - begin);
}

}  // namespace

TEST_CASE("typescript: writes the types of one operation") {
  const std::string answer =
      R"({"data":{"list":[{"id":1,"more":null},{"id":2.5,"on":true}],"empty":[],"none":{},"a-b":"x"},"success":true})";
  const std::string other = R"({"data":{"list":[],"empty":[],"none":{},"a-b":"y","2nd":["z"]},"success":true})";
  CHECK(types_of({record("SVC.A/1/get?limit=5&name=x", answer), record("SVC.A/1/get?limit=6", other),
                  record("SVC.A/1/get", R"({"error":{"code":105},"success":false})")}) ==
        R"(/** SVC.A get, version 1 */
export interface AGetV1Params {
  limit?: number;
  name?: string;
}

export type AGetV1 = {
  data: {
    "2nd"?: Array<string>;
    "a-b": string;
    empty: unknown[];
    list: Array<{
      id: number;
      more?: null;
      on?: boolean;
    }>;
    none: Record<string, unknown>;
  };
  success: true;
};

)");
}

TEST_CASE("typescript: handles an operation without a success and a name that would end a comment") {
  CHECK(types_of({record("SVC.A/1/*%2Fget", R"({"error":{"code":105},"success":false})")}) ==
        R"(/** SVC.A ..get, version 1; changes the device */
export interface AGetV1Params {
}

export type AGetV1 = { success: true };

)");
}
