#include "tests/support/needs.h"

using tapedeck::tests::is_missing;

// Run by tests/needs_selftest.sh, in surroundings of its own.
TEST_CASE("needs: something that no machine has", "[.needs]") {
  if (is_missing("wings", false)) return;
  FAIL("it went on");
}

TEST_CASE("needs: what is there is not missing") { CHECK_FALSE(is_missing("a compiler", true)); }
