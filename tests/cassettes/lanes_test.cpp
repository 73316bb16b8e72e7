#include "cassettes/finish/lanes.h"

#include <catch2/catch.hpp>

#include <sstream>

using namespace std::string_literals;
using tapedeck::api::Completeness;
using tapedeck::api::Effect;
using tapedeck::cassettes::Aside;
using tapedeck::cassettes::assign_lanes;
using tapedeck::cassettes::Lanes;
using tapedeck::cassettes::Step;

namespace {

struct TakeOf {
  std::vector<Step> steps;
  std::vector<Aside> asides;

  /// Adds an interaction that is written as a word: session, key, start-end, then w for a write, eN for error N, b for
  /// broken, aN for account N, kN for a poll or message of the connection N, h for a login with a handshake, c for a
  /// response to a condition. Example: "1a 0-5 w". A compound has each part as [key flags]: "1x 0-5 w [a] [s,w]
  /// [a,e119]".
  void add(const std::string& text);
};

template <typename Any>
void set_flag(Any& of, const std::string& flag) {
  if (flag == "w") of.effect = Effect::write;
  if constexpr (std::is_same_v<Any, Step>) {
    if (flag[0] == 'a') of.account = static_cast<std::uint32_t>(std::stoi(flag.substr(1)));
    if (flag == "h") of.has_handshake = true;
    if (flag[0] == 'k') of.connection = static_cast<std::uint32_t>(std::stoi(flag.substr(1)));
  }
  if (flag[0] == 'e') of.error_code = std::stoi(flag.substr(1));
}

Aside part_of(const std::string& word) {
  Aside aside;
  aside.key = static_cast<std::uint32_t>(word[1]);
  aside.error_code = 0;
  std::istringstream flags(word.substr(2, word.size() - 3));
  for (std::string flag; std::getline(flags, flag, ',');) {
    if (!flag.empty()) set_flag(aside, flag);
  }
  return aside;
}

void TakeOf::add(const std::string& text) {
  std::istringstream in(text);
  Step step;
  char key = 0, dash = 0;
  in >> step.session >> key >> step.started_us >> dash >> step.ended_us;
  step.key = static_cast<std::uint32_t>(key);
  step.error_code = 0;
  step.first_aside = static_cast<std::uint32_t>(asides.size());
  for (std::string flag; in >> flag;) {
    if (flag == "b") step.completeness = Completeness::broken;
    if (flag[0] == '[') {
      asides.push_back(part_of(flag));
      asides.back().place = static_cast<std::uint32_t>(asides.size()) - step.first_aside;
    } else {
      set_flag(step, flag);
    }
  }
  step.asides = static_cast<std::uint32_t>(asides.size()) - step.first_aside;
  steps.push_back(step);
}

/// A call and a part with the same letter are the same call.
TakeOf take_of(const std::vector<std::string>& texts) {
  TakeOf take;
  for (const std::string& text : texts) take.add(text);
  for (Step& step : take.steps) {
    const bool is_part =
        std::any_of(take.asides.begin(), take.asides.end(), [&](const Aside& one) { return one.key == step.key; });
    step.part = is_part ? step.key + 1 : 0;
  }
  return take;
}

struct Case {
  std::string what;
  std::vector<std::string> steps;
  std::vector<int> expected;
};

}  // namespace

TEST_CASE("lanes: overlapping sessions have separate lanes, and consecutive ones continue a lane") {
  const std::vector<Case> cases = {
      {"calls without a session are lane 0", {"0a 0-1", "0b 1-2"}, {0, 0}},
      {"one session is lane 1", {"1a 0-1", "1b 2-3"}, {1, 1}},
      {"a login before every call", {"1a 0-1", "2a 2-3", "3a 4-5"}, {1, 1, 1}},
      {"two at the same time", {"1a 0-5", "2a 3-9", "1b 6-7"}, {1, 2, 1}},
      {"an idle session still spans its calls", {"1a 0-1", "2a 3-4", "1a 8-9"}, {1, 2, 1}},
      {"the first free lane is taken", {"1a 0-10", "2a 1-3", "3a 4-6", "1b 20-21", "4a 22-23"}, {1, 2, 2, 1, 1}},
      {"an end and a start in one moment do not overlap", {"1a 0-5", "2a 5-9"}, {1, 1}},
      {"an account's sessions with and without a handshake",
       {"1l 0-1 a1", "1x 1-2 a1", "2l 2-3 a1 h", "2x 3-4 a1", "3l 4-5 a1", "4l 6-7 a1 h"},
       {1, 1, 2, 2, 1, 2}},
      {"the same beside another account",
       {"1l 0-1 a1 h", "2l 2-3 a2", "3l 4-5 a1", "4l 6-7 a1 h", "5l 8-9 a2 h"},
       {1, 1, 2, 1, 2}},
      {"without a session beside sessions", {"1a 0-5", "0a 1-2", "2a 3-9"}, {1, 0, 2}},
  };
  for (const Case& row : cases) {
    INFO(row.what);
    auto [steps, asides] = take_of(row.steps);
    const Lanes lanes = assign_lanes(steps, asides);
    std::vector<int> found;
    for (const Step& step : steps) found.push_back(static_cast<int>(step.lane));
    CHECK(found == row.expected);
    CHECK(static_cast<int>(lanes.count) == *std::max_element(row.expected.begin(), row.expected.end()));
  }
}

TEST_CASE("lanes: a write divides only its own lane") {
  const std::vector<Case> cases = {
      {"get set get", {"1a 0-1", "1s 2-3 w", "1a 4-5"}, {0, 0, 1}},
      {"two writes", {"1s 0-1 w", "1s 2-3 w", "1a 4-5"}, {0, 1, 2}},
      {"a write of another lane", {"1a 0-9", "2s 1-2 w", "1a 10-11"}, {0, 0, 0}},
      {"a broken write", {"1s 0-1 w b", "1a 2-3"}, {0, 0}},
      {"a write that failed for good", {"1s 0-1 w e400", "1a 2-3"}, {0, 1}},
      {"a write that is asked again divides once", {"1s 0-1 w e119", "1s 2-3 w", "1a 4-5"}, {0, 0, 1}},
      {"a write that is refused after the session's end", {"1s 0-1 w", "1s 2-3 w e119", "1a 4-5"}, {0, 1, 1}},
      {"a compound divides for each of its parts that write", {"1x 0-1 w [a] [s,w] [t,w]", "1a 2-3"}, {0, 2}},
      {"a compound that was stopped before its write", {"1x 0-1 w [a,e400]", "1a 2-3"}, {0, 0}},
      {"a compound whose parts cannot be told apart", {"1x 0-1 w", "1a 2-3"}, {0, 1}},
      {"messages of a connection divide its polls, by their ends",
       {"1p 0-1 k1", "1p 2-9 k1", "1m 5-6 k1 w", "1p 10-11 k1", "1a 12-13"},
       {0, 1, 0, 1, 0}},
      {"and those of no other one", {"1m 0-1 k1 w", "1p 2-3 k2", "1m 4-5 k1 w", "1p 6-7 k1"}, {0, 0, 1, 2}},
      {"and a write does not divide a connection", {"1s 0-1 w", "1p 2-3 k1", "1a 4-5"}, {0, 0, 1}},
  };
  for (const Case& row : cases) {
    INFO(row.what);
    auto [steps, asides] = take_of(row.steps);
    static_cast<void>(assign_lanes(steps, asides));
    std::vector<int> found;
    for (const Step& step : steps) found.push_back(static_cast<int>(step.segment));
    CHECK(found == row.expected);
  }
}

TEST_CASE("lanes: writing parts divide the parts of a compound") {
  const std::vector<Case> cases = {
      {"before and after", {"1x 0-1 w [a] [s,w] [a]"}, {0, 0, 1}},
      {"after a write", {"1s 0-1 w", "1x 2-3 [a] [b]"}, {1, 1}},
      {"two writes", {"1x 0-1 w [s,w] [a] [s,w] [a]", "1x 2-3 [a]"}, {0, 1, 1, 2, 2}},
      {"a refused write that is asked again", {"1x 0-1 w [s,w,e105] [a]", "1x 2-3 w [s,w] [a]"}, {0, 0, 0, 1}},
      {"another lane's", {"1x 0-9 w [s,w] [a]", "2x 1-2 [a]"}, {0, 1, 0}},
  };
  for (const Case& row : cases) {
    INFO(row.what);
    auto [steps, asides] = take_of(row.steps);
    static_cast<void>(assign_lanes(steps, asides));
    std::vector<int> found;
    for (const Aside& aside : asides) found.push_back(static_cast<int>(aside.segment));
    CHECK(found == row.expected);
  }
}

TEST_CASE("lanes: the end of a session is skipped beside another response, and 105 before a success") {
  const std::vector<Case> cases = {
      {"119 then success", {"1a 0-1 e119", "2a 2-3"}, {1, 0}},
      {"105 106 107 then success", {"1a 0-1 e105", "1a 2-3 e106", "1a 4-5 e107", "1a 6-7"}, {1, 1, 1, 0}},
      {"never succeeds", {"1a 0-1 e119", "1a 2-3 e119"}, {0, 0}},
      {"106, 107 and 119 after the last answer", {"1a 0-1", "1a 2-3 e106", "1a 4-5 e107", "1a 6-7 e119"}, {0, 1, 1, 1}},
      {"119 beside another error", {"1a 0-1 e117", "1a 2-3 e119"}, {0, 1}},
      {"119 beside what is no envelope", {"1a 0-1 e0", "1a 2-3 e119"}, {0, 1}},
      {"105 beside 119 alone", {"1a 0-1 e105", "1a 2-3 e119"}, {0, 1}},
      {"105 after the success", {"1a 0-1", "1a 2-3 e105"}, {0, 0}},
      {"105 before another error", {"1a 0-1 e105", "1a 2-3 e117"}, {0, 0}},
      {"another key succeeds", {"1a 0-1 e119", "1b 2-3"}, {0, 0}},
      {"another lane succeeds", {"1a 0-9 e119", "2a 1-2"}, {0, 0}},
      {"other errors are answers", {"1a 0-1 e117", "1a 2-3 e400", "1a 4-5"}, {0, 0, 0}},
      {"a broken success does not count", {"1a 0-1 e119", "1a 2-3 b"}, {0, 0}},
  };
  for (const Case& row : cases) {
    INFO(row.what);
    auto [steps, asides] = take_of(row.steps);
    static_cast<void>(assign_lanes(steps, asides));
    std::vector<int> found;
    for (const Step& step : steps) found.push_back(step.passed_over ? 1 : 0);
    CHECK(found == row.expected);
  }
}

TEST_CASE("lanes: responses to a call alone and as a part of a compound count together") {
  struct Row {
    std::string what;
    std::vector<std::string> steps;
    std::vector<int> alone;  ///< skipped responses of each step
    std::vector<int> parts;  ///< skipped responses of each part
  };
  const std::vector<Row> rows = {
      {"parts among themselves", {"1x 0-1 [a,e105] [b]", "1y 2-3 [a] [b,e119]"}, {0, 0}, {1, 0, 0, 1}},
      {"119 alone, success as a part", {"1x 0-1 [a]", "1a 2-3 e119"}, {0, 1}, {0}},
      {"and before it", {"1a 0-1 e119", "1x 2-3 [a]"}, {1, 0}, {0}},
      {"119 as a part, success alone", {"1a 0-1", "1x 2-3 [a,e119] [b]"}, {0, 0}, {1, 0}},
      {"another error as a part is an answer", {"1x 0-1 [a,e402]", "1a 2-3 e107"}, {0, 1}, {0}},
      {"119 both", {"1x 0-1 [a,e119] [b]", "1a 2-3 e119"}, {0, 0}, {0, 0}},
      {"105 alone before success as a part", {"1a 0-1 e105", "1x 2-3 [a]"}, {1, 0}, {0}},
      {"and after it", {"1x 0-1 [a]", "1a 2-3 e105"}, {0, 0}, {0}},
      {"105 as a part before success alone", {"1x 0-1 [a,e105]", "1a 2-3"}, {0, 0}, {1}},
      {"another lane's part", {"1x 0-9 [a]", "2a 1-2 e119"}, {0, 0}, {0}},
      {"another call's part", {"1x 0-1 [b]", "1a 2-3 e119"}, {0, 0}, {0}},
      // Survey assigns the error code to a compound whose parts all report the end.
      {"a compound again after the end", {"1x 0-1 [a] [b]", "1x 2-3 e119 [a,e119] [b,e119]"}, {0, 1}, {0, 0, 1, 1}},
      {"a compound of ends, its parts told otherwise",
       {"1a 0-1", "1y 2-3 [b]", "1x 4-5 e119 [a,e119] [b,e119]"},
       {0, 0, 1},
       {0, 1, 1}},
      {"of one part nothing else is known", {"1a 0-1", "1x 2-3 e119 [a,e119] [b,e119]"}, {0, 0}, {1, 0}},
      {"of none", {"1x 0-1 e119 [a,e119]", "1x 2-3 e119 [a,e119]"}, {0, 0}, {0, 0}},
      {"a part of it was done", {"1x 0-1 [a] [b]", "1x 2-3 [a] [b,e119]"}, {0, 0}, {0, 0, 0, 1}},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    auto [steps, asides] = take_of(row.steps);
    static_cast<void>(assign_lanes(steps, asides));
    std::vector<int> alone, parts;
    for (const Step& step : steps) alone.push_back(step.passed_over ? 1 : 0);
    for (const Aside& aside : asides) parts.push_back(aside.passed_over ? 1 : 0);
    CHECK(alone == row.alone);
    CHECK(parts == row.parts);
  }
}
