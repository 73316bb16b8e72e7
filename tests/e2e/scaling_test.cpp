// Tests two replay servers behind a real nginx, as in docs/scaling.md.

#include <catch2/catch.hpp>
#include <functional>
#include <optional>
#include <thread>

#include "tests/e2e/harness.h"
#include "tests/support/fault_device.h"
#include "tests/support/needs.h"
#include "tests/support/test_paths.h"

namespace tapedeck::tests::scaling_cases {

namespace {

const std::string load = "api=SYNO.Core.System.Utilization&version=1&method=get";

/// Returns the configuration of docs/scaling.md with the ports of this run, and with all files in `folder`.
std::string configuration(const std::string& folder, unsigned port, const std::vector<std::string>& servers) {
  std::string document = read_file(std::string(source_folder) + "/docs/scaling.md");
  const std::size_t begin = document.find('\n', document.find("```nginx")) + 1;
  std::string text = document.substr(begin, document.find("```", begin) - begin);
  const auto put = [&text](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
  };
  put("127.0.0.1:8081", servers.at(0));
  put("127.0.0.1:8082", servers.at(1));
  put("127.0.0.1:8080", "127.0.0.1:" + std::to_string(port));
  std::string paths;
  for (const std::string name : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"}) {
    paths += name + "_temp_path " + folder + "/" + name + ";\n";
  }
  return "daemon off;\nworker_processes 1;\npid " + folder + "/nginx.pid;\nerror_log " + folder +
         "/error.log;\nevents {}\nhttp {\naccess_log off;\n" + paths + text + "}\n";
}

std::string address_of(const Server& server) { return server.url().substr(std::string("http://").size()); }

/// Returns the number of recorded responses in the final line of a stopped server.
std::size_t recorded_by(Server& server) {
  REQUIRE(server.stop() == 0);
  const std::string out = server.out();
  return std::stoul(out.substr(out.find("recorded ") + 9));
}

/// Two servers of one cassette behind nginx.
class Fleet {
 public:
  Fleet(const std::string& cassette, std::vector<std::string> options)
      : first_(one_.path(), replaying(options, cassette)), second_(two_.path(), replaying(options, cassette)) {
    write_file(folder_ / "nginx.conf",
               configuration(folder_.path().string(), port_, {address_of(first_), address_of(second_)}));
    nginx_.emplace(Spawn{
        {"nginx", "-p", folder_.path().string(), "-c", folder_ / "nginx.conf"}, {}, {}, {}, folder_ / "nginx.err"});
    CHECK(curl({"--retry", "50", "--retry-connrefused", "--retry-delay", "0", "--retry-max-time", "15",
                base() + "/webapi/query.cgi?api=SYNO.API.Info&version=1&method=query"})
              .status == 200);
  }

  [[nodiscard]] std::string base() const { return "http://127.0.0.1:" + std::to_string(port_); }

  /// Checks that both servers sent a part of the responses.
  void check_shared(std::size_t answers) {
    nginx_->signal(SIGTERM);
    CHECK(nginx_->wait().has_value());
    const std::size_t by_first = recorded_by(first_), by_second = recorded_by(second_);
    CHECK(by_first > 0);
    CHECK(by_second > 0);
    CHECK(by_first + by_second >= answers);
  }

 private:
  static std::vector<std::string> replaying(std::vector<std::string> options, const std::string& cassette) {
    options.insert(options.begin(), "replay");
    options.push_back(cassette);
    return options;
  }

  const TempDir folder_, one_, two_;
  const unsigned port_ = closed_port();
  Server first_, second_;
  std::optional<Child> nginx_;
};

const std::vector<Step> steps = {login_step(), call("1", load), call("2", load), call("3", load), call("4", load)};

/// Records one session into a cassette and returns it.
Transcript record_session(const TempDir& folder, const std::string& cassette) {
  const Device device;
  Transcript recorded;
  record(folder.path(), device, cassette, [&](const std::string& url) { recorded = play(url, steps); });
  return recorded;
}

/// Plays `count` sessions with `play_one`, eight at a time, and compares them with the recorded one.
void check_sessions(const Transcript& recorded, std::size_t count,
                    const std::function<Transcript(std::size_t)>& play_one) {
  constexpr std::size_t clients = 8;
  std::vector<Transcript> seen(count);
  std::vector<std::thread> threads;
  for (std::size_t client = 0; client < clients; ++client) {
    threads.emplace_back([&, client] {
      for (std::size_t i = client; i < count; i += clients) seen[i] = play_one(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Transcript& transcript : seen) CHECK(differences(recorded, transcript) == std::vector<std::string>());
}

/// It is extremely unlikely that all of them hash to one server.
constexpr std::size_t sessions = 24;

}  // namespace

TEST_CASE("scaling: two servers behind nginx keep the sessions of eight clients intact", "[long]") {
  if (is_missing("nginx", has_program("nginx"))) return;
  const TempDir folder;
  const std::string cassette = folder / "fleet.cassette";
  const Transcript recorded = record_session(folder, cassette);
  Fleet fleet(cassette, {});
  check_sessions(recorded, sessions, [&](std::size_t i) {
    return play(fleet.base(), steps, {"account-" + std::to_string(i), "x"});
  });
  fleet.check_shared(sessions * steps.size());
}

TEST_CASE("scaling: a login below a scope's base path reaches the server of that scope, also with --auth strict",
          "[long]") {
  if (is_missing("nginx", has_program("nginx"))) return;
  const TempDir folder;
  const std::string cassette = folder / "fleet.cassette";
  const Transcript recorded = record_session(folder, cassette);
  // A server refuses an ID that it has not created, and all clients log in with one account.
  Fleet fleet(cassette, {"--auth", "strict"});
  check_sessions(recorded, sessions, [&](std::size_t i) {
    return play(fleet.base() + "/~scope/test%20" + std::to_string(i) + (i % 2 == 0 ? "" : ";2"), steps);
  });
  fleet.check_shared(sessions * steps.size());
}

}  // namespace tapedeck::tests::scaling_cases
