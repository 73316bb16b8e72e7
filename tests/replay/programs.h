#pragma once
// Generated programs of several clients, and a model of the device that they use (programs_test.cpp).

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/cassette_fixture.h"

namespace tapedeck::replay {

inline constexpr std::array<std::string_view, 3> names = {"ann", "bob", "eve"};
inline constexpr std::size_t nobody = names.size();  ///< the account of a client that does not log in
/// That of a client with an ID from before the recording. There is at most one: nothing tells two of them apart.
inline constexpr std::size_t stranger = names.size() + 1;

/// What a client does in one step. `create` and `rename` are writes.
enum class Op { login, logout, shares, desktop, system, poll, create, theme };

struct Step {
  std::size_t client = 0;
  Op op = Op::login;
  std::size_t route = 0;  ///< value of the header; 0: without it
};

struct Program {
  /// The header that chooses one of two servers, if there is any, and how replay knows that it does.
  enum class Header { none, known, learned, option };
  Header header = Header::none;
  std::vector<std::size_t> accounts;  ///< of each client
  std::vector<Step> steps;
  std::uint32_t lifetimes = 0;  ///< seed of the number of calls after which sessions expire; 0: they do not
};

inline std::string header_name(Program::Header header) {
  return header == Program::Header::known ? "x-syno-tunnel-route" : "X-Route";
}

inline std::string call_of(Op op) {
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

/// The model. Its state is the number of shares of each server, which all accounts see, and a counter for each account
/// on each server.
class Device {
 public:
  /// Sessions expire only if one client logs in: replay leaves out the login that follows, so that the next login of
  /// another client could get its session.
  explicit Device(const Program& program) : random_(program.lifetimes) {
    const auto has_login = [](std::size_t account) { return account < names.size(); };
    expires_ =
        program.lifetimes != 0 && std::count_if(program.accounts.begin(), program.accounts.end(), has_login) == 1;
  }
  /// Returns the ID of a new session.
  std::string log_in(std::size_t account) {
    const std::string number = std::to_string(1000 + ++sessions_);
    const std::string sid = "Sid" + number + "-recorded-session-of-a-program-" + number;
    accounts_[sid] = {
        account, expires_ && account < names.size() && random_() % 3 == 0 ? 1 + static_cast<int>(random_() % 4) : many};
    return sid;
  }
  /// Returns an ID that works without a login, and does not expire.
  std::string old_session() { return log_in(stranger); }

  std::string respond(Op op, const std::string& sid, std::size_t route) {
    if (op == Op::theme) return std::string(testing::ok);
    if (op == Op::logout) {
      accounts_.erase(sid);
      return std::string(testing::ok);
    }
    const auto found = accounts_.find(sid);
    if (found == accounts_.end() || found->second.calls_left-- == 0) {
      accounts_.erase(sid);
      return testing::error(119);
    }
    const std::size_t account = found->second.account;
    const std::string whose = std::to_string(account) + " on " + std::to_string(route);
    switch (op) {
      case Op::shares:
        return envelope("shares of " + whose + " at " + std::to_string(shares_[route]));
      case Op::desktop:
        return envelope("desktop of " + std::to_string(account));
      case Op::poll:
        return envelope("poll " + std::to_string(++polls_[{account, route}]) + " of " + whose);
      case Op::create:
        return envelope("share " + std::to_string(++shares_[route]) + " on " + std::to_string(route));
      default:
        return envelope("system");
    }
  }

 private:
  static constexpr int many = 1'000;
  struct Session {
    std::size_t account = 0;
    int calls_left = 0;
  };
  static std::string envelope(const std::string& text) { return R"({"data":")" + text + R"(","success":true})"; }

  std::mt19937 random_;
  bool expires_;
  int sessions_ = 0;
  std::map<std::string, Session> accounts_;
  std::map<std::size_t, int> shares_;
  std::map<std::pair<std::size_t, std::size_t>, int> polls_;
};

class ProgramGenerator {
 public:
  explicit ProgramGenerator(std::uint32_t seed) : random_(seed) {}
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

  Program program() {
    Program made;
    made.header = static_cast<Program::Header>(below(4));
    made.lifetimes = below(3) == 0 ? random_() : 0;
    for (std::size_t n = 2 + below(3); n > 0; --n) {
      const std::size_t kind = below(10);
      const bool is_first = std::count(made.accounts.begin(), made.accounts.end(), stranger) == 0;
      made.accounts.push_back(kind == 0 ? nobody : kind == 1 && is_first ? stranger : below(names.size()));
    }
    std::vector<std::vector<Step>> of_client;
    for (std::size_t i = 0; i < made.accounts.size(); ++i) of_client.push_back(client(made, i));
    made.steps = below(3) == 0 ? after_each_other(of_client) : mixed(of_client);
    return made;
  }

  /// Mixes the steps of the clients, and keeps the order of each client's steps.
  std::vector<Step> mixed(const std::vector<std::vector<Step>>& of_client) {
    std::vector<Step> steps;
    std::vector<std::size_t> next(of_client.size());
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < of_client.size(); ++i) left.insert(left.end(), of_client[i].size(), i);
    std::shuffle(left.begin(), left.end(), random_);
    for (const std::size_t one : left) steps.push_back(of_client[one][next[one]++]);
    return steps;
  }

  /// Returns the steps of one client after those of another, in a random order of the clients.
  std::vector<Step> after_each_other(const std::vector<std::vector<Step>>& of_client) {
    std::vector<std::size_t> order(of_client.size());
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<Step> steps;
    for (const std::size_t one : order) steps.insert(steps.end(), of_client[one].begin(), of_client[one].end());
    return steps;
  }

 private:
  std::vector<Step> client(const Program& program, std::size_t number) {
    constexpr std::array<Op, 9> calls = {Op::shares, Op::shares, Op::desktop, Op::system, Op::poll,
                                         Op::poll,   Op::poll,   Op::create,  Op::theme};
    const bool logs_in = program.accounts[number] < names.size();
    const std::size_t usual_route = below(3);
    std::vector<Step> steps;
    for (std::size_t session = logs_in ? 1 + below(3) : 1; session > 0; --session) {
      if (logs_in) steps.push_back({number, Op::login, 0});
      for (std::size_t n = 1 + below(4); n > 0; --n) {
        const std::size_t route = below(3) == 0 ? below(3) : usual_route;
        steps.push_back({number, calls[below(calls.size())], program.header == Program::Header::none ? 0 : route});
      }
      if (logs_in && below(2) == 0) steps.push_back({number, Op::logout, 0});
    }
    return steps;
  }

  std::mt19937 random_;
};

inline std::vector<std::vector<Step>> by_client(const Program& program) {
  std::vector<std::vector<Step>> steps(program.accounts.size());
  for (const Step& step : program.steps) steps[step.client].push_back(step);
  return steps;
}

inline std::string text_of(const Program& program) {
  std::string text = "header " + std::to_string(static_cast<int>(program.header)) + ", lifetimes " +
                     std::to_string(program.lifetimes) + "\n";
  for (const auto& [client, op, route] : program.steps) {
    const std::size_t account = program.accounts[client];
    const std::string whose(account < names.size() ? names[account] : account == nobody ? "no login" : "old ID");
    text += "client " + std::to_string(client) + " (" + whose +
            "): " + (op == Op::login ? std::string("login") : call_of(op)) + " on " + std::to_string(route) + "\n";
  }
  return text;
}

}  // namespace tapedeck::replay
