// Generated programs of several clients (docs/matching.md, "What identifies a request"). They are recorded from a model
// of a device, and replayed in the same order, one client after the other, one client alone, and in another order. With
// TAPEDECK_LONG there are 20,000 programs.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/replay/asking.h"
#include "tests/support/needs.h"

namespace tapedeck::replay {
namespace {

using testing::Recorded;

constexpr std::array<std::string_view, 3> names = {"ann", "bob", "eve"};
constexpr std::size_t nobody = names.size();  ///< the account of a client that does not log in

/// What a client does in one step.
enum class Op { login, logout, shares, desktop, system, poll, create, theme };

struct Step {
  std::size_t client = 0;
  Op op = Op::login;
};

struct Program {
  std::vector<std::size_t> accounts;  ///< of each client
  std::vector<Step> steps;
};

std::string call_of(Op op) {
  switch (op) {
    case Op::login:
    case Op::logout:
      return "SVC.API.Auth/6/logout";
    case Op::shares:
      return "SVC.Core.Share/1/list";
    case Op::desktop:
      return "SVC.Core.Desktop.Defs/1/get";
    case Op::system:
      return "SVC.Core.System/1/info";
    case Op::poll:
      return "SVC.Core.System.Utilization/1/get";
    case Op::create:
      return "SVC.Core.Share/1/create?name=x";
    case Op::theme:
      break;
  }
  return "SVC.Core.Theme.Login/1/get";
}

/// The model: its state is the number of shares, which all accounts see, and a counter for each account.
class Device {
 public:
  /// Returns the response to a call of an account.
  std::string respond(Op op, std::size_t account) {
    if (op == Op::theme || op == Op::logout) return std::string(testing::ok);
    if (account == nobody) return testing::error(119);
    const std::string whose = std::to_string(account);
    switch (op) {
      case Op::shares:
        return envelope("shares of " + whose + " at " + std::to_string(shares_));
      case Op::desktop:
        return envelope("desktop of " + whose);
      case Op::poll:
        return envelope("poll " + std::to_string(++polls_[account]) + " of " + whose);
      case Op::create:
        return envelope("share " + std::to_string(++shares_));
      default:
        return envelope("system");
    }
  }

 private:
  static std::string envelope(const std::string& text) { return R"({"data":")" + text + R"(","success":true})"; }
  int shares_ = 0;
  std::map<std::size_t, int> polls_;
};

class ProgramGenerator {
 public:
  explicit ProgramGenerator(std::uint32_t seed) : random_(seed) {}
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

  Program program() {
    Program made;
    for (std::size_t n = 2 + below(3); n > 0; --n)
      made.accounts.push_back(below(8) == 0 ? nobody : below(names.size()));
    std::vector<std::vector<Op>> of_client;
    for (const std::size_t account : made.accounts) of_client.push_back(client(account));
    made.steps = below(3) == 0 ? after_each_other(of_client) : mixed(of_client);
    return made;
  }

  /// Mixes the steps of the clients, and keeps the order of each client's steps.
  std::vector<Step> mixed(const std::vector<std::vector<Op>>& of_client) {
    std::vector<Step> steps;
    std::vector<std::size_t> next(of_client.size());
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < of_client.size(); ++i) left.insert(left.end(), of_client[i].size(), i);
    std::shuffle(left.begin(), left.end(), random_);
    for (const std::size_t one : left) steps.push_back({one, of_client[one][next[one]++]});
    return steps;
  }

  /// Returns the steps of one client after those of another, in a random order of the clients.
  std::vector<Step> after_each_other(const std::vector<std::vector<Op>>& of_client) {
    std::vector<std::size_t> order(of_client.size());
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<Step> steps;
    for (const std::size_t one : order) {
      for (const Op op : of_client[one]) steps.push_back({one, op});
    }
    return steps;
  }

 private:
  std::vector<Op> client(std::size_t account) {
    constexpr std::array<Op, 9> calls = {Op::shares, Op::shares, Op::desktop, Op::system, Op::poll,
                                         Op::poll,   Op::poll,   Op::create,  Op::theme};
    std::vector<Op> ops;
    for (std::size_t session = 1 + below(3); session > 0; --session) {
      if (account != nobody) ops.push_back(Op::login);
      for (std::size_t n = 1 + below(4); n > 0; --n) ops.push_back(calls[below(calls.size())]);
      if (account != nobody && below(2) == 0) ops.push_back(Op::logout);
    }
    return ops;
  }

  std::mt19937 random_;
};

std::vector<std::vector<Op>> by_client(const Program& program) {
  std::vector<std::vector<Op>> ops(program.accounts.size());
  for (const Step& step : program.steps) ops[step.client].push_back(step.op);
  return ops;
}

/// A recording of a program, and what the device has responded.
struct Recording {
  testing::TestCassette cassette;
  std::vector<std::string> responses;                                      ///< to each step
  std::map<std::pair<std::size_t, Op>, std::set<std::string>> by_account;  ///< of each account to each call
};

Recording recorded(const Program& program, bool in_scope) {
  Recording made;
  Device device;
  std::vector<Recorded> rows;
  std::vector<std::string> sids(program.accounts.size());
  int session = 0;
  for (const auto& [client, op] : program.steps) {
    const std::size_t account = program.accounts[client];
    std::string response;
    if (op == Op::login) {
      const std::string number = std::to_string(1000 + ++session);
      sids[client] = "Sid" + number + "-recorded-session-of-a-program-" + number;
      rows.push_back(testing::login(names[account], sids[client]));
    } else {
      response = device.respond(op, account);
      made.by_account[{account, op}].insert(response);
      rows.push_back(testing::record(call_of(op), response, sids[client]));
    }
    if (in_scope) rows.back() = std::move(rows.back()).in_scope("program");
    made.responses.push_back(response);
  }
  testing::record_take(made.cassette.path(), std::move(rows));
  return made;
}

/// Sends steps to a replay server.
class Clients {
 public:
  Clients(const Program& program, const Recording& recording, bool in_scope)
      : program_(program), recording_(recording), in_scope_(in_scope), handler_(playing(recording.cassette), 1) {
    sids_.resize(program.accounts.size());
  }

  http::Response send(const Step& step) {
    http::Headers headers;
    if (in_scope_) headers.add("X-Tapedeck-Scope", "program");
    if (step.op == Op::login) {
      const http::Response response =
          call(handler_,
               "SVC.API.Auth/6/login?account=" + std::string(names[program_.accounts[step.client]]) +
                   "&passwd=made-up&format=sid",
               headers);
      sids_[step.client] = string_in(response.body, "sid");
      return response;
    }
    std::string text = call_of(step.op);
    const std::string& sid = sids_[step.client];
    if (!sid.empty()) text += (text.find('?') == std::string::npos ? "?_sid=" : "&_sid=") + sid;
    return call(handler_, text, headers);
  }

  /// Requires that each response is one that the device gave this account for this call, a miss, or marked.
  void send_all(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      const http::Response response = send(step);
      if (step.op == Op::login || step.op == Op::logout) continue;
      const std::string mark(response.headers.first("X-Tapedeck-Match").value_or(""));
      CAPTURE(step.client, program_.accounts[step.client], call_of(step.op), response.body, mark);
      if (outcome(response) != "recorded" || mark.find("account=") != std::string::npos) continue;
      const auto known = recording_.by_account.find({program_.accounts[step.client], step.op});
      REQUIRE(known != recording_.by_account.end());
      REQUIRE(known->second.contains(response.body));
    }
  }

  [[nodiscard]] ReplayStats stats() const { return handler_.stats(); }

 private:
  const Program& program_;
  const Recording& recording_;
  const bool in_scope_;
  ReplayHandler handler_;
  std::vector<std::string> sids_;
};

std::string text_of(const Program& program) {
  std::string text;
  for (const auto& [client, op] : program.steps) {
    const std::size_t account = program.accounts[client];
    text += "client " + std::to_string(client) + " (" +
            (account == nobody ? std::string("no login") : std::string(names[account])) +
            "): " + (op == Op::login ? std::string("login") : call_of(op)) + "\n";
  }
  return text;
}

TEST_CASE("replay: generated programs of several accounts get their own responses") {
  const std::size_t programs = tests::is_long() ? 20'000 : 300;
  ProgramGenerator generator(20261128);
  for (std::size_t i = 0; i < programs; ++i) {
    const Program program = generator.program();
    const bool in_scope = generator.below(4) == 0;
    const Recording recording = recorded(program, in_scope);
    CAPTURE(i, in_scope, text_of(program));
    {
      INFO("in the recorded order");
      Clients clients(program, recording, in_scope);
      for (std::size_t n = 0; n < program.steps.size(); ++n) {
        const Step& step = program.steps[n];
        const http::Response response = clients.send(step);
        CAPTURE(n, step.client, call_of(step.op));
        REQUIRE(response.headers.first("X-Tapedeck-Match").value_or("") == "");
        if (step.op != Op::login) REQUIRE(response.body == recording.responses[n]);
      }
      const ReplayStats stats = clients.stats();
      REQUIRE(stats.misses == 0);
      REQUIRE(stats.out_of_order == 0);
      REQUIRE(stats.account_guesses == 0);
    }
    const std::vector<std::vector<Op>> ops = by_client(program);
    {
      INFO("one client after the other");
      Clients(program, recording, in_scope).send_all(generator.after_each_other(ops));
    }
    {
      INFO("one client alone");
      const std::size_t one = generator.below(ops.size());
      std::vector<Step> steps;
      for (const Op op : ops[one]) steps.push_back({one, op});
      Clients(program, recording, in_scope).send_all(steps);
    }
    {
      INFO("in another order");
      Clients(program, recording, in_scope).send_all(generator.mixed(ops));
    }
  }
}

}  // namespace
}  // namespace tapedeck::replay
