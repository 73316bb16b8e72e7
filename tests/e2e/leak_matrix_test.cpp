// Secrets in every place and in every form, through the real recorder: none may be left in any file of the run. The
// same recordings with scrubbing switched off, and without the logins that teach the secrets, show that the search
// would find them.

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "tests/e2e/harness.h"
#include "tests/http/raw_socket.h"
#include "tests/support/deep_search.h"
#include "tests/support/secret_forms.h"

namespace tapedeck::tests {

namespace {

using http::testing::RawServer;
using http::testing::RawSocket;

/// Answers each request with the bytes it was told, one connection for each.
class ScriptedDevice {
 public:
  ScriptedDevice() : thread_([this] { serve(); }) {}
  ~ScriptedDevice() {
    server_.stop();
    thread_.join();
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }
  void answer_with(std::string bytes) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(bytes);
  }

 private:
  void serve() {
    for (;;) {
      RawSocket client = server_.accept();
      if (client.fd() < 0) return;
      if (client.read_message().empty()) continue;
      const std::lock_guard lock(mutex_);
      client.send(answer_);
      client.end_output();
    }
  }

  RawServer server_;
  std::mutex mutex_;  ///< guards answer_
  std::string answer_;
  std::thread thread_;
};

std::string answer_of(const std::string& headers, const std::string& body) {
  return "HTTP/1.1 200 OK\r\nConnection: close\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

std::string chunked(const std::string& headers, const std::string& body) {
  std::string out = "HTTP/1.1 200 OK\r\nConnection: close\r\n" + headers + "Transfer-Encoding: chunked\r\n\r\n";
  for (const char c : body) out += std::string("1\r\n") + c + "\r\n";
  return out + "0\r\n\r\n";
}

const std::string fine_answer = answer_of("Content-Type: application/json\r\n", R"({"data":{},"success":true})");

/// What passes for one cell of the matrix.
struct Traffic {
  std::string request, answer;
};

std::string get(const std::string& target, const std::string& headers = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" + headers + "\r\n";
}

std::string post(const std::string& type, const std::string& body) {
  return "POST /webapi/entry.cgi?api=SYNO.Test.Place&version=1&method=get HTTP/1.1\r\nHost: 127.0.0.1\r\n"
         "Connection: close\r\nContent-Type: " +
         type + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

const std::string call_target = "/webapi/entry.cgi?api=SYNO.Test.Place&version=1&method=get";

enum class Alphabet { target, header, text, bytes };

/// One place: which bytes may stand there, and the traffic that has `planted` in it.
struct Place {
  std::string name;
  Alphabet alphabet;
  Traffic (*make)(const std::string& planted);
};

Traffic in_header(const std::string& name, const std::string& planted) {
  return {get(call_target, name + ": a " + planted + " b\r\n"), fine_answer};
}

Traffic in_answer_header(const std::string& name, const std::string& planted) {
  return {get(call_target), answer_of(name + ": " + planted + "\r\n", R"({"success":true})")};
}

Traffic in_body(const std::string& type, const std::string& before, const std::string& planted,
                const std::string& after) {
  return {get(call_target), answer_of("Content-Type: " + type + "\r\n", before + planted + after)};
}

Traffic in_packed(const std::string& encoding, const std::string& planted) {
  return {get(call_target, "Accept-Encoding: " + encoding + "\r\n"),
          answer_of("Content-Type: text/plain\r\nContent-Encoding: " + encoding + "\r\n",
                    packed("before " + planted + " after", encoding))};
}

const std::vector<Place>& places() {
  static const std::vector<Place> all = {
      {"query value", Alphabet::target,
       [](const std::string& s) {
         return Traffic{get(call_target + "&note=" + s), fine_answer};
       }},
      {"query name", Alphabet::target,
       [](const std::string& s) {
         return Traffic{get(call_target + "&n" + s + "=1"), fine_answer};
       }},
      {"path", Alphabet::target,
       [](const std::string& s) {
         return Traffic{get("/files/" + s + "/x.txt"), fine_answer};
       }},
      {"form value", Alphabet::target,
       [](const std::string& s) {
         return Traffic{post("application/x-www-form-urlencoded", "a=1&note=" + s + "&z=2"), fine_answer};
       }},
      {"multipart field", Alphabet::text,
       [](const std::string& s) {
         return Traffic{post("multipart/form-data; boundary=XX",
                             "--XX\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n" + s + "\r\n--XX--\r\n"),
                        fine_answer};
       }},
      {"JSON request", Alphabet::text,
       [](const std::string& s) {
         return Traffic{post("application/json", R"({"note":")" + s + R"("})"), fine_answer};
       }},
      {"Referer", Alphabet::header, [](const std::string& s) { return in_header("Referer", s); }},
      {"Origin of a page", Alphabet::header, [](const std::string& s) { return in_header("Accept-Language", s); }},
      {"Cookie", Alphabet::header, [](const std::string& s) { return in_header("Cookie", "stay_login=" + s); }},
      {"User-Agent", Alphabet::header, [](const std::string& s) { return in_header("User-Agent", s); }},
      {"Set-Cookie", Alphabet::header,
       [](const std::string& s) { return in_answer_header("Set-Cookie", "x=" + s + "; Path=/"); }},
      {"Location", Alphabet::header, [](const std::string& s) { return in_answer_header("Location", "/next?v=" + s); }},
      {"another header", Alphabet::header, [](const std::string& s) { return in_answer_header("X-Note", s); }},
      {"reason phrase", Alphabet::header,
       [](const std::string& s) {
         return Traffic{get(call_target),
                        "HTTP/1.1 400 No " + s + " here\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"};
       }},
      {"JSON body", Alphabet::text,
       [](const std::string& s) {
         return in_body("application/json", R"({"data":{"note":")", s, R"("},"success":true})");
       }},
      {"JSON body behind a NUL", Alphabet::text,
       [](const std::string& s) {
         return in_body("application/json", std::string("{\"success\":true}\0", 17), s, "");
       }},
      {"broken JSON body", Alphabet::text,
       [](const std::string& s) { return in_body("application/json", R"({"data":{"note":")", s, R"(",]}{)"); }},
      {"HTML body", Alphabet::text,
       [](const std::string& s) { return in_body("text/html", "<a title='", s, "'>x</a>"); }},
      {"binary body", Alphabet::bytes,
       [](const std::string& s) { return in_body("application/octet-stream", "\x01\xff\x80", s, "\xfe"); }},
      {"chunks of one byte", Alphabet::text,
       [](const std::string& s) {
         return Traffic{get(call_target), chunked("Content-Type: text/plain\r\n", "x " + s + " y")};
       }},
      {"gzip", Alphabet::bytes, [](const std::string& s) { return in_packed("gzip", s); }},
      {"deflate", Alphabet::bytes, [](const std::string& s) { return in_packed("deflate", s); }},
      {"br", Alphabet::bytes, [](const std::string& s) { return in_packed("br", s); }},
      {"zstd", Alphabet::bytes, [](const std::string& s) { return in_packed("zstd", s); }},
      {"error body", Alphabet::text,
       [](const std::string& s) {
         return Traffic{get(call_target),
                        "HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Type: text/html\r\nContent-Length: " +
                            std::to_string(s.size()) + "\r\n\r\n" + s};
       }},
  };
  return all;
}

bool may_stand(const std::string& text, Alphabet alphabet) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (alphabet == Alphabet::target) return byte > 0x20 && byte < 0x7F && c != '#' && c != '"' && c != '&';
    return alphabet == Alphabet::bytes || (byte >= 0x20 && byte < 0x7F);
  });
}

struct Cell {
  std::string name, secret;
  Traffic traffic;
};

/// A password with every kind of character, or an id such as devices give, by turns; each starts with four of its own.
std::string new_secret(std::mt19937& random, bool password) {
  static const std::string letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  std::string secret;
  while (secret.size() < 18) secret += letters[random() % letters.size()];
  return password ? secret.substr(0, 8) + "/\" &" + secret.substr(8) : secret;
}

std::vector<Cell> all_cells() {
  std::mt19937 random(20261120);
  std::vector<Cell> cells;
  for (const Place& place : places()) {
    for (const SecretForm& form : secret_forms()) {
      std::string secret = new_secret(random, true);
      if (!may_stand(form.make(secret), place.alphabet)) secret = new_secret(random, false);
      const std::string planted = form.make(secret);
      if (!may_stand(planted, place.alphabet)) continue;
      cells.push_back({place.name + " / " + form.name, secret, place.make(planted)});
    }
  }
  return cells;
}

std::string percent_all(const std::string& text) {
  std::string out;
  for (const unsigned char c : text) {
    out += '%';
    for (const int shift : {4, 0}) out += "0123456789ABCDEF"[c >> shift & 15];
  }
  return out;
}

/// The secret is the password of one login and, in every other cell, the session id of its answer.
Traffic login_with(const std::string& secret, bool as_session) {
  const std::string password = as_session ? "x" : percent_all(secret);
  const std::string target = "/webapi/auth.cgi?api=SYNO.API.Auth&version=6&method=login&account=a&format=sid&passwd=";
  const nlohmann::json answer = {{"data", {{"sid", as_session ? secret : "none"}}}, {"success", true}};
  return {get(target + password), answer_of("Content-Type: application/json\r\n", answer.dump())};
}

class Client {
 public:
  explicit Client(const std::string& url)
      : port_(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)))) {}
  [[nodiscard]] std::string ask(const std::string& request) const {
    RawSocket socket = RawSocket::connect(port_);
    socket.send(request);
    return socket.read_all();
  }

 private:
  std::uint16_t port_;
};

void pass(const Client& client, ScriptedDevice& device, const Traffic& traffic) {
  device.answer_with(traffic.answer);
  if (client.ask(traffic.request).find(" 403 ") != std::string::npos) throw std::runtime_error("refused by the gate");
}

/// What `ls`, `show` and `scan` say, as files beside the cassette.
void tell_all(const std::string& cassette, const TempDir& folder) {
  write_file(folder / "ls.json", run_tapedeck({"ls", cassette, "--json"}).out);
  write_file(folder / "scan.json", run_tapedeck({"scan", cassette, "--json"}).out);
  std::string shown;
  for (const std::string& id : ids_in(cassette)) shown += run_tapedeck({"show", cassette, id}).out;
  write_file(folder / "show.txt", shown);
}

std::vector<std::string> secrets_of(const std::vector<Cell>& cells) {
  std::vector<std::string> secrets;
  for (const Cell& cell : cells) secrets.push_back(cell.secret);
  return secrets;
}

std::vector<std::string> names_of(const std::set<std::size_t>& found, const std::vector<Cell>& cells) {
  std::vector<std::string> names;
  for (const std::size_t index : found) names.push_back(cells[index].name);
  return names;
}

std::vector<std::string> all_rules_off() {
  std::vector<std::string> options;
  const auto listed = nlohmann::json::parse(run_tapedeck({"rules", "--json"}).out);
  for (const auto& rule : listed.at("rules")) {
    options.push_back("--disable");
    options.push_back(rule.at("id").get<std::string>());
  }
  return options;
}

}  // namespace

TEST_CASE("leaks: no secret of the matrix of places and forms is left in any file of the run") {
  const std::vector<Cell> cells = all_cells();
  REQUIRE(cells.size() > 300);
  const TempDir folder;
  const std::string cassette = folder / "matrix.cassette";
  ScriptedDevice device;
  Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
  const Client client(recorder.url());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    pass(client, device, login_with(cells[i].secret, i % 2 == 1));
    pass(client, device, cells[i].traffic);
  }
  CHECK(recorder.stop() == 0);
  tell_all(cassette, folder);
  CHECK(names_of(deep_search_files(folder.path(), secrets_of(cells)), cells) == std::vector<std::string>());
  // Withholding is no way to pass: nearly all of the matrix is stored and can be played.
  std::size_t complete = 0;
  for (const auto& line : nlohmann::json::parse(read_file(folder / "ls.json"))) {
    complete += line.at("completeness") == "complete" ? 1 : 0;
  }
  CHECK(complete >= 2 * cells.size() - cells.size() / 50);
}

TEST_CASE("leaks: the search finds the whole matrix when scrubbing is switched off") {
  const std::vector<Cell> cells = all_cells();
  const TempDir folder;
  ScriptedDevice device;
  std::vector<std::string> arguments = {"record", "--device", device.url(), folder / "open.cassette"};
  for (const std::string& option : all_rules_off()) arguments.push_back(option);
  Server recorder(folder.path(), arguments);
  const Client client(recorder.url());
  for (const Cell& cell : cells) pass(client, device, cell.traffic);
  recorder.stop();
  std::set<std::size_t> missed;
  const std::set<std::size_t> found = deep_search_files(folder.path(), secrets_of(cells));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!found.contains(i)) missed.insert(i);
  }
  CHECK(names_of(missed, cells) == std::vector<std::string>());
}

TEST_CASE("leaks: a killed recording holds no value that was known when it was written") {
  const std::vector<Cell> cells = all_cells();
  const std::size_t rounds = std::getenv("TAPEDECK_LONG") != nullptr ? 50 : 3;
  std::mt19937 random(7);
  for (std::size_t round = 0; round < rounds; ++round) {
    const TempDir folder;
    ScriptedDevice device;
    Server recorder(folder.path(), {"record", "--device", device.url(), folder / "killed.cassette"});
    const Client client(recorder.url());
    const std::size_t last = 20 + random() % (cells.size() - 20);
    for (std::size_t i = last - 20; i < last; ++i) {
      pass(client, device, login_with(cells[i].secret, i % 2 == 1));
      pass(client, device, cells[i].traffic);
    }
    recorder.child().signal(SIGKILL);
    recorder.child().wait();
    CHECK(names_of(deep_search_files(folder.path(), secrets_of(cells)), cells) == std::vector<std::string>());
  }
}

}  // namespace tapedeck::tests
