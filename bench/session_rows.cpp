// Measures replay with sessions: inserted IDs, advancing positions, logins, and logouts.

#include <fmt/format.h>

#include "bench/list_row.h"
#include "bench/session_load.h"
#include "bench/tape_maker.h"

namespace tapedeck::bench {
namespace {

constexpr std::uint64_t calls = 288;
const std::string mark(1, id_mark);

std::string make_cassette(const Setup& setup, const std::string& name,
                          const std::vector<SessionLoad::Recorded>& session) {
  const std::string path = (setup.work / (name + ".cassette")).string();
  TapeMaker tape(path);
  for (const api::Interaction& interaction : SessionLoad::recording(session)) tape.add(interaction);
  tape.finish();
  return path;
}

/// A session that logs in, sends four of the calls, and logs out. Its file numbers are those of the calls, and two
/// more.
constexpr std::uint64_t calls_of_session = 4, login_file = calls, logout_file = calls + 1;

Step call_of_session(const SessionLoad& load, std::uint64_t session, std::uint64_t k, const std::string& id) {
  const std::uint64_t n = (session * calls_of_session + k) % calls;
  return {load.target(n, id), {}, "recorded", load.linked_body(n, id), {}, n};
}

/// Groups of sessions alternate, so that a login gets its response long before the first call with its ID is sent, and
/// the last call long before the logout.
Steps sessions_in_groups(const std::string& accounts, std::uint64_t groups) {
  constexpr std::uint64_t group = 256;
  const SessionLoad load;
  Steps steps;
  for (std::uint64_t first = 0; first < groups * group; first += group) {
    std::vector<std::string> ids;
    for (std::uint64_t i = first; i < first + group; ++i) {
      const std::string account = fmt::format("{}{:06}", accounts, i);
      ids.push_back(SessionLoad::minted_id(account));
      steps.push_back({SessionLoad::login_target(account), {}, "recorded", {}, {ids.back()}, login_file});
    }
    for (std::uint64_t k = 0; k < calls_of_session; ++k) {
      for (std::uint64_t i = 0; i < group; ++i) steps.push_back(call_of_session(load, first + i, k, ids[i]));
    }
    for (const std::string& id : ids)
      steps.push_back({SessionLoad::logout_target(id), {}, "recorded", "{\"success\":true}", {}, logout_file});
  }
  return steps;
}

}  // namespace

void measure_ids(const Setup& setup, Report& report) {
  const SessionLoad load;
  std::vector<SessionLoad::Recorded> session;
  ListRow row{"ids", "replay, 997 sessions, their ids in the answers", {}, {}, ListRow::Ids::logged_in};
  for (std::uint64_t n = 0; n < calls; ++n) {
    session.push_back({load.target(n, SessionLoad::recorded_id()), load.linked_body(n, SessionLoad::recorded_id())});
    row.steps.push_back({load.target(n, mark), {}, "recorded", load.linked_body(n, mark), {}, n});
  }
  row.cassettes = {make_cassette(setup, row.name, session)};
  row.requests_at_least = 0.95;
  row.cpu_at_most = 1.1;
  measure_list(setup, row, report);
}

void measure_sequences(const Setup& setup, Report& report) {
  const SessionLoad load;
  const Load bodies({});
  std::vector<SessionLoad::Recorded> session;
  ListRow row{"sequences", "replay, sequences of three that advance", {}, {}, ListRow::Ids::fresh};
  for (std::uint64_t n = 0; n < 3 * calls; ++n) {
    session.push_back({load.target(n % calls, SessionLoad::recorded_id()), bodies.body(n)});
    row.steps.push_back({load.target(n % calls, mark), {}, "recorded", bodies.body(n), {}, n});
  }
  row.cassettes = {make_cassette(setup, row.name, session)};
  row.requests_at_least = 0.9;
  row.cpu_at_most = 1.2;
  measure_list(setup, row, report);
}

void measure_logins(const Setup& setup, Report& report) {
  const SessionLoad load;
  std::vector<SessionLoad::Recorded> session;
  for (std::uint64_t n = 0; n < calls; ++n)
    session.push_back({load.target(n, SessionLoad::recorded_id()), load.linked_body(n, SessionLoad::recorded_id())});
  ListRow row{"logins", "replay, login, four calls, logout", {}, sessions_in_groups("checked", 1)};
  row.cassettes = {make_cassette(setup, row.name, session)};
  // More than a round can send, so that no account logs in twice.
  const auto groups = static_cast<std::uint64_t>(setup.seconds() * 60);
  row.steps_of_round = [groups](int run) { return sessions_in_groups(fmt::format("run{}n", run), groups); };
  measure_list(setup, row, report);
}

}  // namespace tapedeck::bench
