// Tests a cassette that replaces another one while it is played.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::watch_cases {

namespace {

const Step load = call("load", "api={label}.Core.System.Utilization&version=1&method=get");

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// A cassette with three responses to one call, and others that can replace it.
struct Tape {
  Tape() {
    const Device device;
    record(folder.path(), device, cassette, [](const std::string& url) {
      (void)play(url, {login_step(), load, load, load, logout_step()});
    });
  }
  /// Changes "15min_load" to `number` everywhere.
  void replace_with(int number) const {
    const std::string next = folder / "next.cassette";
    std::filesystem::copy_file(cassette, next, std::filesystem::copy_options::overwrite_existing);
    for (const std::string& id : ids_in(next)) {
      if (!says(run_tapedeck({"show", next, id}).out, "Utilization")) continue;
      const Ran set = run_tapedeck({"edit", next, id, "--set", "/data/cpu/15min_load=" + std::to_string(number)});
      INFO(set.err);
      REQUIRE(set.status == 0);
    }
    std::filesystem::rename(next, cassette);
  }

  TempDir folder;
  std::string cassette = folder / "c.cassette";
};

/// Returns what a client in a session, and optionally a scope, gets: "51/3" for 15min_load and user_load.
struct Client {
  Client(std::string server, std::string in_scope = {}) : url(std::move(server)), scope(std::move(in_scope)) {
    Reply reply =
        ask("api=SYNO.API.Auth&version=6&method=login&session=files&format=sid&account=fixture-admin"
            "&passwd=any&enable_syno_token=yes&enable_device_token=yes");
    sid = nlohmann::json::parse(reply.body).at("data").at("sid").get<std::string>();
  }
  [[nodiscard]] Reply ask(const std::string& query) const {
    std::vector<std::string> arguments = {url + "/webapi/entry.cgi?" + query + (sid.empty() ? "" : "&_sid=" + sid)};
    if (!scope.empty()) arguments.insert(arguments.end(), {"-H", "X-Tapedeck-Scope: " + scope});
    return curl(arguments);
  }
  [[nodiscard]] std::string next() const {
    const Reply reply = ask("api=SYNO.Core.System.Utilization&version=1&method=get");
    const auto cpu = nlohmann::json::parse(reply.body).at("data").at("cpu");
    return cpu.at("15min_load").dump() + "/" + cpu.at("user_load").dump();
  }
  std::string url, scope, sid;
};

void wait_for(const Server& server, const std::string& words, std::size_t count = 1) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (times(server.err(), words) < count && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  INFO(server.err());
  REQUIRE(times(server.err(), words) == count);
}

}  // namespace

TEST_CASE("watch: sessions and runs continue with a new cassette from its start") {
  const Tape tape;
  Server server(tape.folder.path(), {"replay", tape.cassette, "--threads", "2"});
  const Client session(server.url());
  const Client begun(server.url(), "a-test");
  CHECK(session.next() == "51/3");
  CHECK(session.next() == "51/10");
  CHECK(begun.next() == "51/3");

  tape.replace_with(77);
  wait_for(server, "was replaced; ");
  CHECK(session.next() == "77/3");
  CHECK(session.next() == "77/10");
  CHECK(begun.next() == "77/3");
  const Client later(server.url(), "another-test");
  CHECK(later.next() == "77/3");
  CHECK(begun.next() == "77/10");
  CHECK(session.next() == "77/17");
  CHECK(session.ask("api=SYNO.Core.Network&version=1&method=get").status == 200);

  for (int number = 1; number <= 5; ++number) {
    tape.replace_with(number);
    wait_for(server, "was replaced; ", static_cast<std::size_t>(number) + 1);
  }
  CHECK(begun.next() == "5/3");
  CHECK(server.stop() == 0);
}

TEST_CASE("watch: a broken file in place of a cassette is reported once, and the old cassette stays in use") {
  const Tape tape;
  Server server(tape.folder.path(), {"replay", tape.cassette});
  const Client session(server.url());
  CHECK(session.next() == "51/3");
  const std::string good = tape.folder / "good.cassette", draft = tape.folder / "draft";
  std::filesystem::copy_file(tape.cassette, good);
  for (const char* content : {"no cassette", "", "SQLite format 3"}) {
    write_file(draft, content);
    std::filesystem::rename(draft, tape.cassette);
    wait_for(server, "its previous content stays in use");
  }
  std::filesystem::remove(tape.cassette);
  CHECK(session.next() == "51/10");
  std::filesystem::rename(good, tape.cassette);
  wait_for(server, "was replaced; ");
  CHECK(session.next() == "51/3");
  CHECK(server.stop() == 0);
  CHECK(times(server.err(), "its previous content stays in use") == 1);
}

TEST_CASE("watch: exec keeps its opened cassette whatever replaces it") {
  const Tape tape;
  const std::string other = tape.folder / "other.cassette", script = tape.folder / "client.sh";
  std::filesystem::copy_file(tape.cassette, other);
  {
    Tape next;
    next.replace_with(77);
    std::filesystem::copy_file(next.cassette, other, std::filesystem::copy_options::overwrite_existing);
  }
  // A watching server shows when the time has passed.
  TempDir elsewhere;
  Server watching(elsewhere.path(), {"replay", tape.cassette});
  write_file(script,
             "ask() { curl -s \"$1/webapi/entry.cgi?api=SYNO.Core.System.Utilization&version=1&method=get\"; }\n"
             "ask \"$TAPEDECK_URL\" && mv \"$2\" \"$3\"\n"
             "for i in $(seq 600); do ask \"$1\" | grep -q '\"15min_load\":77' && break; sleep 0.1; done\n"
             "ask \"$1\"; ask \"$TAPEDECK_URL\"\n");
  const Ran ran = run_tapedeck({"exec", tape.cassette, "--", "sh", script, watching.url(), other, tape.cassette});
  INFO(ran.out << ran.err);
  CHECK(ran.status == 0);
  CHECK(times(ran.out, "\"15min_load\":77") == 1);
  CHECK(times(ran.out, "\"15min_load\":51") == 2);
  CHECK(watching.stop() == 0);
}

}  // namespace tapedeck::tests::watch_cases
