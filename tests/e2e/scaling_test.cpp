// Two replay servers behind a real nginx, as docs/scaling.md has it.

#include <catch2/catch.hpp>
#include <thread>

#include "tests/e2e/harness.h"
#include "tests/support/fault_device.h"
#include "tests/support/needs.h"

namespace tapedeck::tests {

namespace {

const std::string load = "api=SYNO.Core.System.Utilization&version=1&method=get";

/// The configuration of docs/scaling.md, with the ports of this run and nothing outside of `folder`.
std::string configuration(const std::string& folder, unsigned port, const std::vector<std::string>& servers) {
  std::string document = read_file(std::string(TAPEDECK_SOURCE) + "/docs/scaling.md");
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

/// How many answers a stopped server gave, by the line that it ends with.
std::size_t recorded_by(Server& server) {
  REQUIRE(server.stop() == 0);
  const std::string out = server.out();
  return std::stoul(out.substr(out.find("recorded ") + 9));
}

}  // namespace

TEST_CASE("scaling: two servers behind nginx keep the sessions of eight clients whole") {
  if (is_missing("nginx", has_program("nginx"))) return;
  const TempDir folder, one, two;
  const Device device;
  const std::string cassette = folder / "fleet.cassette";
  const std::vector<Step> steps = {login_step(), call("1", load), call("2", load), call("3", load), call("4", load)};
  Transcript recorded;
  record(folder.path(), device, cassette, [&](const std::string& url) { recorded = play(url, steps); });

  Server first(one.path(), {"replay", cassette}), second(two.path(), {"replay", cassette});
  const unsigned port = closed_port();
  write_file(folder / "nginx.conf",
             configuration(folder.path().string(), port, {address_of(first), address_of(second)}));
  Child nginx({{"nginx", "-p", folder.path().string(), "-c", folder / "nginx.conf"}, {}, {}, {}, folder / "nginx.err"});
  const std::string base = "http://127.0.0.1:" + std::to_string(port);
  CHECK(curl({"--retry", "50", "--retry-connrefused", "--retry-delay", "0", "--retry-max-time", "15",
              base + "/webapi/query.cgi?api=SYNO.API.Info&version=1&method=query"})
            .status == 200);

  // Three sessions for each client: that all of them hash to one server is next to impossible.
  constexpr std::size_t sessions = 3;
  std::vector<Transcript> seen(8 * sessions);
  std::vector<std::thread> clients;
  for (std::size_t client = 0; client < 8; ++client) {
    clients.emplace_back([&, client] {
      for (std::size_t i = client * sessions; i < (client + 1) * sessions; ++i) {
        seen[i] = play(base, steps, {"account-" + std::to_string(i), "x"});
      }
    });
  }
  for (std::thread& client : clients) client.join();
  for (const Transcript& transcript : seen) CHECK(differences(recorded, transcript) == std::vector<std::string>());

  nginx.signal(SIGTERM);
  CHECK(nginx.wait().has_value());
  const std::size_t by_first = recorded_by(first), by_second = recorded_by(second);
  CHECK(by_first > 0);
  CHECK(by_second > 0);
  CHECK(by_first + by_second >= seen.size() * steps.size());
}

}  // namespace tapedeck::tests
