#include "cassettes/finish/lanes.h"

#include <catch2/catch.hpp>

#include <sstream>

using namespace std::string_literals;
using tapedeck::api::Completeness;
using tapedeck::api::Effect;
using tapedeck::cassettes::assign_lanes;
using tapedeck::cassettes::Lanes;
using tapedeck::cassettes::Step;

namespace {

/// One interaction as a word: session, key, start-end, then w for a write, eN for error N, b for broken. "1a 0-5 w".
Step step_of(const std::string& text) {
  std::istringstream in(text);
  Step step;
  char key = 0, dash = 0;
  in >> step.session >> key >> step.started_us >> dash >> step.ended_us;
  step.key = static_cast<std::uint32_t>(key);
  step.error_code = 0;
  for (std::string flag; in >> flag;) {
    if (flag == "w") step.effect = Effect::write;
    if (flag == "b") step.completeness = Completeness::broken;
    if (flag[0] == 'e') step.error_code = std::stoi(flag.substr(1));
  }
  return step;
}

std::vector<Step> steps_of(const std::vector<std::string>& texts) {
  std::vector<Step> steps;
  for (const std::string& text : texts) steps.push_back(step_of(text));
  return steps;
}

struct Case {
  std::string what;
  std::vector<std::string> steps;
  std::vector<int> expected;
};

}  // namespace

TEST_CASE("lanes: sessions that overlap are apart and sessions that follow one another continue") {
  const std::vector<Case> cases = {
      {"calls without a session are lane 0", {"0a 0-1", "0b 1-2"}, {0, 0}},
      {"one session is lane 1", {"1a 0-1", "1b 2-3"}, {1, 1}},
      {"a login before every call", {"1a 0-1", "2a 2-3", "3a 4-5"}, {1, 1, 1}},
      {"two at the same time", {"1a 0-5", "2a 3-9", "1b 6-7"}, {1, 2, 1}},
      {"an idle session still spans its calls", {"1a 0-1", "2a 3-4", "1a 8-9"}, {1, 2, 1}},
      {"the first free lane is taken", {"1a 0-10", "2a 1-3", "3a 4-6", "1b 20-21", "4a 22-23"}, {1, 2, 2, 1, 1}},
      {"an end and a start in one moment do not overlap", {"1a 0-5", "2a 5-9"}, {1, 1}},
      {"without a session beside sessions", {"1a 0-5", "0a 1-2", "2a 3-9"}, {1, 0, 2}},
  };
  for (const Case& row : cases) {
    INFO(row.what);
    std::vector<Step> steps = steps_of(row.steps);
    const Lanes lanes = assign_lanes(steps);
    std::vector<int> found;
    for (const Step& step : steps) found.push_back(static_cast<int>(step.lane));
    CHECK(found == row.expected);
    CHECK(static_cast<int>(lanes.count) == *std::max_element(row.expected.begin(), row.expected.end()));
  }
}

TEST_CASE("lanes: a state-changing call divides its lane and no other") {
  const std::vector<Case> cases = {
      {"get set get", {"1a 0-1", "1s 2-3 w", "1a 4-5"}, {0, 0, 1}},
      {"two writes", {"1s 0-1 w", "1s 2-3 w", "1a 4-5"}, {0, 1, 2}},
      {"a write of another lane", {"1a 0-9", "2s 1-2 w", "1a 10-11"}, {0, 0, 0}},
      {"a broken write", {"1s 0-1 w b", "1a 2-3"}, {0, 0}},
      {"a write that failed for good", {"1s 0-1 w e400", "1a 2-3"}, {0, 1}},
      {"a write that is asked again divides once", {"1s 0-1 w e119", "1s 2-3 w", "1a 4-5"}, {0, 0, 1}},
  };
  for (const Case& row : cases) {
    INFO(row.what);
    std::vector<Step> steps = steps_of(row.steps);
    static_cast<void>(assign_lanes(steps));
    std::vector<int> found;
    for (const Step& step : steps) found.push_back(static_cast<int>(step.segment));
    CHECK(found == row.expected);
  }
}

TEST_CASE("lanes: session errors are passed over when the same key succeeds later in the lane") {
  const std::vector<Case> cases = {
      {"119 then success", {"1a 0-1 e119", "2a 2-3"}, {1, 0}},
      {"105 106 107 then success", {"1a 0-1 e105", "1a 2-3 e106", "1a 4-5 e107", "1a 6-7"}, {1, 1, 1, 0}},
      {"never succeeds", {"1a 0-1 e119", "1a 2-3 e119"}, {0, 0}},
      {"succeeds only before", {"1a 0-1", "1a 2-3 e106"}, {0, 0}},
      {"another key succeeds", {"1a 0-1 e119", "1b 2-3"}, {0, 0}},
      {"another lane succeeds", {"1a 0-9 e119", "2a 1-2"}, {0, 0}},
      {"other errors are answers", {"1a 0-1 e117", "1a 2-3 e400", "1a 4-5"}, {0, 0, 0}},
      {"a broken success does not count", {"1a 0-1 e119", "1a 2-3 b"}, {0, 0}},
  };
  for (const Case& row : cases) {
    INFO(row.what);
    std::vector<Step> steps = steps_of(row.steps);
    static_cast<void>(assign_lanes(steps));
    std::vector<int> found;
    for (const Step& step : steps) found.push_back(step.passed_over ? 1 : 0);
    CHECK(found == row.expected);
  }
}
