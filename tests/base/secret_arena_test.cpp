#include "base/secret_arena.h"

#include <catch2/catch.hpp>
#include <string>

using tapedeck::base::SecretArena;

TEST_CASE("secret arena: kept values never move") {
  SecretArena arena;
  const std::string_view first = arena.keep("first");
  const char* const place = first.data();
  for (int i = 0; i < 100; ++i) static_cast<void>(arena.keep(std::string(5000, 'x')));
  const std::string large(200'000, 'L');
  CHECK(arena.keep(large) == large);
  CHECK(arena.keep("").empty());

  SecretArena other(std::move(arena));
  CHECK(first == "first");
  CHECK(first.data() == place);
  CHECK(other.keep("second") == "second");
  SecretArena third;
  static_cast<void>(third.keep("gone"));
  third = std::move(other);
  CHECK(first == "first");
  CHECK(arena.keep("anew") == "anew");  // NOLINT: a moved-from arena is empty and usable
}
