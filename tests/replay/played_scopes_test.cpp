// Choosing the scopes to replay while others are recorded (docs/testing.md, "Tests as scopes").
#include "replay/recorded/recorded_scope.h"

#include <catch2/catch.hpp>

#include "tests/support/piecewise_take.h"

namespace tapedeck::replay {
namespace {

using cassettes::TakeEvent;

TEST_CASE("played scopes: only complete scopes without --rerecord are replayed") {
  const testing::TestCassette cassette;
  testing::PiecewiseTake take(cassette.path());
  for (const char* scope : {"first", "second", "third", "cut short"})
    take.add({testing::record("SVC.Core.Terminal/3/get", testing::ok).in_scope(scope)});
  for (const char* scope : {"first", "second", "third"}) take.tell({TakeEvent::Kind::scope_complete, 0, scope, 1});
  take.tell({TakeEvent::Kind::scope_failed, 0, "cut short", 1});
  take.finish();
  const cassettes::CassetteReader reader(cassette.path());
  const auto names = ScopeNames::of(reader);
  PlayedScopes played({{"third", 1}});
  played.add(reader, names.get());
  for (const auto& [name, is_played] :
       {std::pair("first", true), {"second", true}, {"third", false}, {"cut short", false}, {"none", false}}) {
    CAPTURE(name);
    CHECK(played.has(name) == is_played);
  }
}

}  // namespace
}  // namespace tapedeck::replay
