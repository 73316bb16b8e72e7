#include <sstream>
// Tests every limit, deadline, and small option on a real command line, with its default. tests/options_test.sh checks
// that a test passes every option.

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/e2e/fault_client.h"
#include "tests/e2e/harness.h"
#include "tests/http/raw_socket.h"
#include "tests/support/fault_device.h"
#include "tests/support/needs.h"
#include "tests/support/proc.h"

namespace tapedeck::tests::options_cases {

namespace {

using namespace std::chrono_literals;
using http::testing::RawSocket;
using Arguments = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

const std::string target = target_with("none");
const std::string small_request = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// The program on a free port: `record` with a sound device, or `replay`.
struct Running {
  Running(const std::string& command, const Arguments& options) {
    Arguments arguments = {command};
    if (command == "record") arguments = {"record", "--device", device.url(), folder / "c.cassette"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    server = std::make_unique<Server>(folder.path(), arguments);
  }
  [[nodiscard]] RawSocket connect() const { return RawSocket::connect(port_of(server->url())); }
  /// Returns the status for the bytes on a separate connection, or 0 if it is closed without one.
  [[nodiscard]] int status_of(const std::string& bytes) const {
    RawSocket client = connect();
    client.send(bytes);
    const std::string answer = client.read_until("\r\n");
    return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3));
  }

  TempDir folder;
  FaultDevice device;
  std::unique_ptr<Server> server;
};

std::string with_head_of(std::size_t bytes) {
  const std::string begin = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nX: ";
  return begin + std::string(bytes - begin.size() - 4, 'x') + "\r\n\r\n";
}
std::string with_lines(std::size_t count) {
  std::string text = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n";
  for (std::size_t i = 1; i < count; ++i) text += "X-" + std::to_string(i) + ": a\r\n";
  return text + "\r\n";
}
std::string with_target_of(std::size_t bytes) {
  const std::string begin = target + "&x=";
  return "GET " + begin + std::string(bytes - begin.size(), 'x') + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}
/// The body is only sent if it is small, because a length that is too large is refused without it.
std::string with_body_of(std::size_t bytes) {
  const std::string head =
      "POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(bytes);
  return head + "\r\n\r\n" + std::string(std::min<std::size_t>(bytes, 100'000), 'b');
}

struct SizeLimit {
  Arguments options;
  std::string fits, exceeds;
  int refusal;
};

std::size_t threads_of(Child& child) {
  const std::filesystem::directory_iterator tasks("/proc/" + std::to_string(child.pid()) + "/task");
  return static_cast<std::size_t>(std::distance(tasks, {}));
}

/// Returns the text of `--help-all` for an option, including continuation lines.
std::string help_of(const std::string& command, const std::string& option) {
  static std::map<std::string, std::string> helps;
  std::string& help = helps[command];
  if (help.empty()) help = run_tapedeck({command, "--help-all"}).out;
  const std::size_t at = help.find("  " + option + " ");
  if (at == std::string::npos) return "";
  std::istringstream words(help.substr(at, help.find("\n  -", at) - at));  // without line breaks
  std::string text;
  for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

TEST_CASE("options: each limit of a request applies in record and replay") {
  const SizeLimit rows[] = {
      {{}, with_head_of(65'000), with_head_of(66'000), 431},
      {{}, with_lines(100), with_lines(101), 431},
      {{}, with_target_of(32'768), with_target_of(32'769), 414},
      {{"--max-request-body", "10kb"}, with_body_of(10'240), with_body_of(10'241), 413},
  };
  for (const std::string command : {"record", "replay"}) {
    for (const SizeLimit& row : rows) {
      CAPTURE(command, row.options, row.fits.size());
      const Running running(command, row.options);
      const int fitting = running.status_of(row.fits);
      CHECK(fitting != 0);
      CHECK(fitting != row.refusal);
      // A recorder passes on a longer body and withholds it.
      if (command == "record" && row.refusal == 413) continue;
      CHECK(running.status_of(row.exceeds) == row.refusal);
    }
  }
}

TEST_CASE("options: --connections N serves N clients, and one more gets 503") {
  for (const std::string command : {"record", "replay"}) {
    CAPTURE(command);
    const Running running(command, {"--connections", "3"});
    std::vector<RawSocket> clients;
    for (int i = 0; i < 3; ++i) {
      clients.push_back(running.connect());
      clients.back().send(small_request);
      REQUIRE(clients.back().read_message().starts_with("HTTP/1.1 200 "));
    }
    CHECK(running.status_of(small_request) == 503);
    clients.pop_back();
    const auto until = Clock::now() + 10s;  // the server has not noticed the disconnect yet
    int status = 503;
    while (status == 503 && Clock::now() < until) status = running.status_of(small_request);
    CHECK(status == 200);
  }
}

TEST_CASE("options: the help shows every default") {
  const std::pair<std::string, std::string> rows[] = {{"--listen", "127.0.0.1:8080"},
                                                      {"--max-request-body", "64 MiB"},
                                                      {"--buffer", "256 MiB"},
                                                      {"--connections", "10000"}};
  for (const std::string command : {"record", "replay"}) {
    for (const auto& [option, value] : rows) {
      CAPTURE(command, option);
      CHECK(help_of(command, option).find("[default: " + value + "]") != std::string::npos);
    }
  }
  const std::pair<std::string, std::string> device_rows[] = {{"--max-response-body", "64 MiB"}, {"--mode", "all"}};
  for (const auto& [option, value] : device_rows) {
    CAPTURE(option);
    CHECK(help_of("record", option).find("[default: " + value + "]") != std::string::npos);
  }
  const std::pair<std::string, std::string> replay_rows[] = {{"--threads", "1"},
                                                             {"--auth", "lenient"},
                                                             {"--position", "auto"},
                                                             {"--at-end", "stick"},
                                                             {"--miss-status", "200"}};
  for (const std::string command : {"replay", "exec"}) {
    CHECK(run_tapedeck({command, "--help-all"}).out.find(" in [") == std::string::npos);  // text of the parser library
    for (const auto& [option, value] : replay_rows) {
      CAPTURE(command, option);
      CHECK(help_of(command, option).find("[default: " + value + "]") != std::string::npos);
    }
  }
}

TEST_CASE("options: an invalid size or time is a usage error") {
  for (const Arguments& wrong : std::vector<Arguments>{{"--buffer", "much"},
                                                       {"--max-request-body", "-1"},
                                                       {"--threads", "0"},
                                                       {"--threads", "65"},
                                                       {"--connections", "x"}}) {
    CAPTURE(wrong);
    Arguments line = {"replay", "--listen", "127.0.0.1:0"};
    line.insert(line.end(), wrong.begin(), wrong.end());
    CHECK(run_tapedeck(line).status == 2);
  }
  for (const std::string time : {"0", "soon", "-1", "90000"}) {
    CAPTURE(time);
    CHECK(run_tapedeck({"record", "--device", "http://127.0.0.1:9", "--device-time", time, "a.cassette"}).status == 2);
  }
}

TEST_CASE("options: --threads N serves on N threads, and on one by default") {
  if (is_missing("plain-build", memory_counts)) return;
  std::size_t least = 0;
  for (const unsigned threads : {0U, 1U, 2U, 4U}) {
    CAPTURE(threads);
    const Running running("replay", threads == 0 ? Arguments{} : Arguments{"--threads", std::to_string(threads)});
    CHECK(running.status_of(small_request) == 200);
    const std::size_t found = threads_of(running.server->child());
    if (threads == 0) least = found;
    CHECK(found == least + std::max(threads, 1U) - 1);
  }
}

TEST_CASE("options: --allow-host and --cors allow only the named hosts and origins") {
  const auto asked = [](const Running& running, const std::string& lines) {
    return running.status_of("GET " + target + " HTTP/1.1\r\n" + lines + "\r\n");
  };
  for (const std::string command : {"record", "replay"}) {
    CAPTURE(command);
    const Running closed(command, {});
    CHECK(asked(closed, "Host: localhost\r\n") == 200);
    CHECK(asked(closed, "Host: nas.example\r\n") == 403);
    CHECK(asked(closed, "Host: localhost\r\nOrigin: http://app.example\r\n") == 403);
    const Running open(command, {"--allow-host", "nas.example", "--cors", "http://app.example"});
    CHECK(asked(open, "Host: nas.example\r\n") == 200);
    CHECK(asked(open, "Host: other.example\r\n") == 403);
    CHECK(asked(open, "Host: localhost\r\nOrigin: http://app.example\r\n") == 200);
    CHECK(asked(open, "Host: localhost\r\nOrigin: http://other.example\r\n") == 403);
    const Running any(command, {"--allow-host", "*", "--cors", "*"});
    CHECK(asked(any, "Host: other.example\r\nOrigin: http://app.example\r\n") == 200);
  }
}

TEST_CASE("options: --tls-cert and --tls-key serve that certificate and require each other") {
  const TempDir folder;
  const Certificate certificate = make_certificate(folder, "own");
  for (const std::string command : {"record", "replay"}) {
    CAPTURE(command);
    const Running running(command, {"--tls-cert", certificate.file, "--tls-key", certificate.key});
    CHECK(running.server->url().starts_with("https://127.0.0.1:"));
    CHECK(curl({"--cacert", certificate.file, running.server->url() + target}).status == 200);
    CHECK(curl({running.server->url() + target}).exit == 60);  // curl does not trust its issuer
  }
  for (const Arguments& half : {Arguments{"--tls-cert", certificate.file}, Arguments{"--tls-key", certificate.key},
                                Arguments{"--tls", "--tls-cert", certificate.file, "--tls-key", certificate.key}}) {
    CAPTURE(half);
    Arguments line = {"replay", "--listen", "127.0.0.1:0"};
    line.insert(line.end(), half.begin(), half.end());
    CHECK(run_tapedeck(line).status == 2);
  }
}

TEST_CASE("options: --tls creates a certificate once and keeps it") {
  const TempDir folder;
  const auto fingerprint = [&folder] {
    const Server server(folder.path(), {"replay", "--tls"}, "127.0.0.1:0",
                        {"env", "XDG_STATE_HOME=" + folder.path().string()});
    const std::string kept = folder / "tapedeck/tls/tapedeck-cert.pem";
    CHECK(curl({"--cacert", kept, server.url() + "/webapi/query.cgi?api=SVC.API.Info&version=1&method=query"}).status ==
          200);
    return read_file(kept);
  };
  const std::string first = fingerprint();
  CHECK_FALSE(first.empty());
  CHECK(fingerprint() == first);
}

TEST_CASE("options: explain --form and a key define the request") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "e.cassette";
  record(folder.path(), device, cassette, [](const std::string& url) {
    (void)play(url, {login_step(),
                     call("network", "api=SYNO.Core.Network&version=1&method=get"),
                     {"page", {"{base}/static/app.js"}}});
  });
  const std::string form = "api=SYNO.Core.Network&version=1&method=get";
  const Ran posted = run_tapedeck({"explain", cassette, "/webapi/entry.cgi", "--form", form});
  CHECK(posted.status == 0);
  CHECK(posted.out.find("SYNO.Core.Network/1/get") != std::string::npos);
  CHECK(run_tapedeck({"explain", cassette, "/webapi/entry.cgi"}).out.find("\"code\":101") != std::string::npos);
  CHECK(run_tapedeck({"explain", cassette, "/static/app.js"}).status == 0);
  CHECK(run_tapedeck({"explain", cassette, "DELETE /static/app.js"}).status == 3);
}

TEST_CASE("options: ls shows the note of record --note, and ls --scopes lists all scopes") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "n.cassette";
  record(folder.path().string(), device, cassette,
         [](const std::string& url) {
           (void)play(url, {login_step(), logout_step()});
         },
         {"--note", "before the update"});
  CHECK(run_tapedeck({"ls", cassette}).out.find("before the update") != std::string::npos);
  CHECK(run_tapedeck({"ls", "--scopes", cassette}).status == 0);
}

TEST_CASE("options: scan --values searches for the given values") {
  const TempDir folder;
  const std::string file = folder / "some.log", values = folder / "values";
  write_file(file, "a word: Quite-0rdinary-Text\nAuthorization: Bearer nB4kW8sYp2LmQx7RvT3cZd\n");
  write_file(values, "Quite-0rdinary-Text\nAnother-0rdinary-Text\n");
  const auto found = [](const Ran& ran) {
    const auto report = nlohmann::json::parse(ran.out);
    return std::pair(report.at("given_found").get<int>(), report.at("suspects").get<int>());
  };
  const Ran plain = run_tapedeck({"scan", "--json", file});
  CHECK(found(plain) == std::pair(0, 1));
  CHECK(plain.status == 3);
  CHECK(found(run_tapedeck({"scan", "--json", "--values", values, file})) == std::pair(1, 1));
  const Ran piped =
      run({"sh", "-c", "printf 'Quite-0rdinary-Text\\n' | " + binary() + " scan --json --values - " + file});
  CHECK(found(piped) == std::pair(1, 1));
  CHECK(run_tapedeck({"scan", "--values", folder / "absent", file}).status == 2);
}

TEST_CASE("options: scan --values finds short values as whole words and reports those that are too short") {
  const TempDir folder;
  const std::string file = folder / "some.log", values = folder / "values";
  write_file(file, "pin 4711, and 12 more\n");
  const auto status_with = [&](const char* list) {
    write_file(values, list);
    return run_tapedeck({"scan", "--values", values, file});
  };
  CHECK(status_with("4711\n").status == 3);
  CHECK(status_with("4711\r\n").status == 3);
  CHECK(status_with("471\nmor\n").status == 0);
  const Ran too_short = status_with("12\n999\n");
  CHECK(too_short.status == 1);
  CHECK(too_short.out.find("1 of the given values is shorter than 3 bytes and was skipped") != std::string::npos);
}

TEST_CASE("options: --values accepts any line ending, and an empty list is a usage error") {
  const TempDir folder;
  const std::string file = folder / "some.log", values = folder / "values", cassette = folder / "a.cassette";
  write_file(file, "two words: Quite-0rdinary-Text, Another-0rdinary-Text\n");
  const Device device;
  record(folder.path(), device, cassette, [](const std::string& url) { (void)play(url, {login_step()}); });
  const std::string before = read_file(cassette);
  for (const std::string list :
       {"Quite-0rdinary-Text\nAnother-0rdinary-Text", "Quite-0rdinary-Text\r\nAnother-0rdinary-Text\r\n",
        "Quite-0rdinary-Text\rAnother-0rdinary-Text\r", "\n \t\n\xef\xbb\xbfQuite",
        "\xef\xbb\xbfQuite-0rdinary-Text\n\n\nAnother-0rdinary-Text\n"}) {
    CAPTURE(list);
    write_file(values, list);
    const Ran ran = run_tapedeck({"scan", "--json", "--values", values, file});
    const bool is_two = list.find("Another") != std::string::npos;
    CHECK(nlohmann::json::parse(ran.out).at("given_found") == (is_two ? 2 : 0));
  }
  const std::string empty = folder / "empty", blank = folder / "blank", wide = folder / "wide";
  write_file(empty, "");
  write_file(blank, "\xef\xbb\xbf\r\n \r\n\t\n");
  write_file(wide, std::string("\xff\xfeQ\0u\0", 6));
  for (const std::string& none :
       {folder.path().string(), empty, blank, wide, std::string("/dev/null"), std::string("-")}) {
    CAPTURE(none);
    for (const Arguments& command :
         {Arguments{"scan", "--values", none, file}, {"scrub", "--values", none, cassette}}) {
      const Ran ran = run_tapedeck(command);  // its standard input is empty
      CHECK(ran.status == 2);
      CHECK(ran.err.find("--values " + none + ": ") != std::string::npos);
    }
  }
  CHECK(run({"sh", "-c", binary() + " scan --values - " + file + " <&-"}).status == 2);
  CHECK(read_file(cassette) == before);
}

TEST_CASE("options: numbers must be decimal digits within their range") {
  for (const std::string option : {"--connections", "--threads"}) {
    for (const std::string value :
         {"-1", "-3", "+5", "0x10", "1e3", "18446744073709551616", "99999999999999999999", ""}) {
      CAPTURE(option, value);
      const Ran ran = run_tapedeck({"replay", "--listen", "127.0.0.1:0", option + "=" + value});
      CHECK(ran.status == 2);
      CHECK(ran.err.find("18446744073709551613") == std::string::npos);
      CHECK(ran.err.find(option) != std::string::npos);
    }
  }
  for (const std::string option : {"--max-request-body", "--buffer"}) {
    CAPTURE(option);
    CHECK(run_tapedeck({"replay", "--listen", "127.0.0.1:0", option, "-1"}).status == 2);
  }
  CHECK(run_tapedeck({"ls", "--take=-1", "a.cassette"})
            .err.find("invalid value `-1` for --take: must be a whole number") != std::string::npos);
}

TEST_CASE("options: an option that requires another one is refused without it") {
  const TempDir folder;
  write_file(folder / "t.toml", "");
  const std::string device = "http://127.0.0.1:9";
  const std::pair<Arguments, std::string> rows[] = {
      {{"record", "--device", device, "--allow-writes", folder / "a.cassette"}, "--allow-writes requires --mode new"},
      {{"record", "--device", device, "--mode", "once", "--allow-writes", folder / "a.cassette"}, "--mode new"},
      {{"scan", "--config", folder / "t.toml", folder / "t.toml"}, "--config requires --private"},
  };
  for (const auto& [line, says] : rows) {
    CAPTURE(line);
    const Ran ran = run_tapedeck(line);
    CHECK(ran.status == 2);
    CHECK(ran.err.find(says) != std::string::npos);
  }
  CHECK_FALSE(std::filesystem::exists(folder / "a.cassette"));
}

}  // namespace tapedeck::tests::options_cases
