#pragma once
// Defines the session ID of the recordings in these tests.

#include <string_view>

#include "tests/support/cassette_fixture.h"

namespace tapedeck::testing {

inline constexpr std::string_view sid = "Kq3xV9-fixture_session-Lm2pQ7";

}  // namespace tapedeck::testing
