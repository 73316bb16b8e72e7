// Generated programs of several clients (docs/matching.md, "What identifies a request"). They are recorded from a model
// of a device, and replayed in the same order, one client after the other, one client alone, and in another order. With
// TAPEDECK_LONG there are 20,000 programs.

#include "tests/replay/programs.h"

#include <catch2/catch.hpp>

#include "cassettes/read/request_identity.h"
#include "tests/replay/asking.h"
#include "tests/support/needs.h"

namespace tapedeck::replay {
namespace {

using testing::Recorded;

/// What identifies a response: account, call, and route.
using Asked = std::tuple<std::size_t, Op, std::size_t>;

/// A recording of a program, and what the device has responded.
struct Recording {
  testing::TestCassette cassette;
  std::vector<std::string> responses;  ///< to each step, after a repetition in a new session
  std::map<Asked, std::set<std::string>> given;
  std::vector<std::string> first_sids;  ///< the ID of each client that has one from the start
  bool divides_routes = true;           ///< false if nothing shows that the header matters
};

bool has_ended(std::string_view body) { return body == testing::error(119); }

Recording recorded(const Program& program, bool in_scope) {
  Recording made;
  Device device(program);
  std::vector<Recorded> rows;
  std::vector<std::string> sids(program.accounts.size());
  for (std::size_t i = 0; i < sids.size(); ++i) {
    if (program.accounts[i] == stranger) sids[i] = device.old_session();
  }
  made.first_sids = sids;
  const auto add = [&](Recorded row, std::size_t route) {
    if (route > 0)
      row = std::move(row).with_request_header(header_name(program.header), "server-" + std::to_string(route));
    rows.push_back(in_scope ? std::move(row).in_scope("program") : std::move(row));
  };
  const auto log_in = [&](std::size_t client) {
    const std::size_t account = program.accounts[client];
    sids[client] = device.log_in(account);
    add(testing::login(names.at(account), sids[client]), 0);
  };
  for (const auto& [client, op, route] : program.steps) {
    const std::size_t account = program.accounts[client];
    std::string response;
    if (op == Op::login) {
      log_in(client);
    } else {
      const auto send = [&] {
        response = device.respond(op, sids[client], route);
        made.given[{account, op, route}].insert(response);
        add(testing::record(call_of(op), response, sids[client]), route);
      };
      send();
      if (has_ended(response) && account < names.size()) {
        log_in(client);
        send();
      }
    }
    made.responses.push_back(response);
  }
  testing::record_take(made.cassette.path(), std::move(rows));
  const cassettes::CassetteReader reader(made.cassette.path());
  made.divides_routes =
      program.header != Program::Header::learned || !cassettes::learned_identity_headers({&reader}).empty();
  return made;
}

/// Sends steps to a replay server.
class Clients {
 public:
  Clients(const Program& program, const Recording& recording, bool in_scope)
      : program_(program),
        recording_(recording),
        in_scope_(in_scope),
        handler_(options(program, recording), 1),
        sids_(recording.first_sids) {}

  /// Like a client of the device, logs in and repeats the call if the session has ended.
  http::Response send(const Step& step) {
    if (step.op == Op::login) return log_in(step.client);
    http::Response response = send_once(step);
    if (!has_ended(response.body) || program_.accounts[step.client] >= names.size()) return response;
    static_cast<void>(log_in(step.client));
    return send_once(step);
  }

  /// Requires that each response is one that the device gave this account for this call, a miss, or marked.
  void send_all(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      const http::Response response = send(step);
      if (step.op == Op::login || step.op == Op::logout) continue;
      const std::string mark(response.headers.first("X-Tapedeck-Match").value_or(""));
      CAPTURE(step.client, program_.accounts[step.client], call_of(step.op), step.route, response.body, mark);
      if (outcome(response) != "recorded" || mark.find("account=") != std::string::npos) continue;
      REQUIRE(was_given(step, response.body));
    }
  }

  [[nodiscard]] ReplayStats stats() const { return handler_.stats(); }

 private:
  static ReplayOptions options(const Program& program, const Recording& recording) {
    ReplayOptions options = playing(recording.cassette);
    if (program.header == Program::Header::option) options.match_headers = {header_name(program.header)};
    return options;
  }

  [[nodiscard]] http::Headers headers(std::size_t route) const {
    http::Headers headers;
    if (in_scope_) headers.add("X-Tapedeck-Scope", "program");
    if (route > 0) headers.add(header_name(program_.header), "server-" + std::to_string(route));
    return headers;
  }

  http::Response log_in(std::size_t client) {
    http::Response response = call(handler_,
                                   "SVC.API.Auth/6/login?account=" + std::string(names.at(program_.accounts[client])) +
                                       "&passwd=made-up&format=sid",
                                   headers(0));
    sids_[client] = string_in(response.body, "sid");
    return response;
  }

  http::Response send_once(const Step& step) {
    std::string text = call_of(step.op);
    const std::string& sid = sids_[step.client];
    if (!sid.empty()) text += (text.find('?') == std::string::npos ? "?_sid=" : "&_sid=") + sid;
    return call(handler_, text, headers(step.route));
  }

  [[nodiscard]] bool was_given(const Step& step, const std::string& body) const {
    constexpr std::size_t routes = 3;
    for (std::size_t route = 0; route < routes; ++route) {
      if (route != step.route && recording_.divides_routes) continue;
      const auto known = recording_.given.find({program_.accounts[step.client], step.op, route});
      if (known != recording_.given.end() && known->second.contains(body)) return true;
    }
    return false;
  }

  const Program& program_;
  const Recording& recording_;
  const bool in_scope_;
  ReplayHandler handler_;
  std::vector<std::string> sids_;
};

void check_recorded_order(const Program& program, const Recording& recording, bool in_scope) {
  INFO("in the recorded order");
  Clients clients(program, recording, in_scope);
  for (std::size_t n = 0; n < program.steps.size(); ++n) {
    const Step& step = program.steps[n];
    const http::Response response = clients.send(step);
    CAPTURE(n, step.client, call_of(step.op), step.route);
    REQUIRE(response.headers.first("X-Tapedeck-Match").value_or("") == "");
    if (step.op != Op::login) REQUIRE(response.body == recording.responses[n]);
  }
  const ReplayStats stats = clients.stats();
  REQUIRE(stats.misses == 0);
  REQUIRE(stats.out_of_order == 0);
  REQUIRE(stats.account_guesses == 0);
}

void check_other_orders(const Program& program, const Recording& recording, bool in_scope,
                        ProgramGenerator& generator) {
  const std::vector<std::vector<Step>> steps = by_client(program);
  {
    INFO("one client after the other");
    Clients(program, recording, in_scope).send_all(generator.after_each_other(steps));
  }
  {
    INFO("one client alone");
    Clients(program, recording, in_scope).send_all(steps[generator.below(steps.size())]);
  }
  {
    INFO("in another order");
    Clients(program, recording, in_scope).send_all(generator.mixed(steps));
  }
}

TEST_CASE("replay: generated programs of several accounts get their own responses") {
  const std::size_t programs = tests::is_long() ? 20'000 : 300;
  ProgramGenerator generator(20261128);
  for (std::size_t i = 0; i < programs; ++i) {
    const Program program = generator.program();
    const bool in_scope = generator.below(4) == 0;
    const Recording recording = recorded(program, in_scope);
    CAPTURE(i, in_scope, text_of(program));
    check_recorded_order(program, recording, in_scope);
    check_other_orders(program, recording, in_scope, generator);
  }
}

}  // namespace
}  // namespace tapedeck::replay
