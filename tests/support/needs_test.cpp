#include "tests/support/needs.h"

using tapedeck::tests::is_missing;

// Run by tests/needs_selftest.sh with other environment variables.
TEST_CASE("needs: a missing program skips the test", "[.needs]") {
  if (is_missing("wings", false)) return;
  FAIL("it went on");
}

TEST_CASE("needs: an available program is not missing") { CHECK_FALSE(is_missing("a compiler", true)); }
