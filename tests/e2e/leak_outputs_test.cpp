// The matrix of forms, places, kinds of values, who vouches for them, and whether they are learned before or after, in
// everything that the program writes: a recording, its journal on disk and over the control API, its log, what the page
// reads, an import, and `scrub`. Cells are generated; the expected result is that of the rules in docs/secrets.md.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/e2e/leak_matrix.h"
#include "tests/support/leak_search.h"
#include "tests/support/needs.h"
#include "tests/support/secret_forms.h"
#include "tests/support/value_kinds.h"

namespace tapedeck::tests::leak_outputs_cases {

namespace {

/// Who says a value, and whether that confirms it.
struct Source {
  std::string name;
  bool confirms;
  Traffic (*make)(const std::string& value);
};

std::string percent(const std::string& text) {
  std::string out;
  for (const unsigned char c : text) out += {'%', "0123456789ABCDEF"[c >> 4], "0123456789ABCDEF"[c & 15]};
  return out;
}

std::string call(const std::string& api, const std::string& method, const std::string& name, const std::string& value) {
  return "/webapi/entry.cgi?api=SYNO." + api + "&version=1&method=" + method + "&" + name + "=" + percent(value);
}

std::string told(const std::string& value) {
  return json_answer(nlohmann::json{{"data", {{"password", value}}}, {"success", true}}.dump());
}

std::string refused(int code) {
  return json_answer(nlohmann::json{{"error", {{"code", code}}}, {"success", false}}.dump());
}

const std::vector<Source>& sources() {
  static const std::vector<Source> all = {
      {"login", true,
       [](const std::string& v) {
         return Traffic{get(call("API.Auth", "login", "passwd", v)), fine_answer()};
       }},
      {"login that asks for a code", true,
       [](const std::string& v) {
         return Traffic{get(call("API.Auth", "login", "passwd", v)), refused(403)};
       }},
      {"write", true,
       [](const std::string& v) {
         return Traffic{get(call("Core.User", "set", "new_password", v)), fine_answer()};
       }},
      {"response", true,
       [](const std::string& v) {
         return Traffic{get("/webapi/entry.cgi?api=SYNO.Core.Sec&version=1&method=get"), told(v)};
       }},
      {"refused login", false,
       [](const std::string& v) {
         return Traffic{get(call("API.Auth", "login", "passwd", v)), refused(400)};
       }},
      {"refused session", false,
       [](const std::string& v) {
         return Traffic{get(call("Core.System", "info", "_sid", v)), refused(119)};
       }},
      {"echo", false,
       [](const std::string& v) {
         return Traffic{get(call("API.Info", "query", "passwd", v)), told(v)};
       }},
  };
  return all;
}

/// A value of one kind, as one source says it, and where it is planted.
struct Planted {
  std::string name, value;
  bool is_secret = false;  ///< by the rules, replaced everywhere
  bool is_late = false;    ///< said after it was planted
  Traffic source;
  struct Cell {
    std::string name, text;  ///< with a mark that no other cell has
    bool stays = false;      ///< by the rules
    bool is_packed = false;  ///< in a way that an archive cannot say
    Traffic traffic;
  };
  std::vector<Cell> cells;
};

bool is_cookie(const Place& place) { return place.name == "Cookie" || place.name == "Set-Cookie"; }

bool is_packed(const Place& place) {
  static const std::vector<std::string> names = {"chunks of one byte", "gzip", "deflate", "br", "zstd"};
  return std::find(names.begin(), names.end(), place.name) != names.end();
}

/// In a long run all cells, else one of 61, which divides no number of places, forms, or values.
std::vector<Planted> planted_values() {
  std::mt19937 random(20261126);
  std::vector<Planted> all;
  std::size_t index = 0;
  for (const ValueKind& kind : value_kinds()) {
    for (const Source& source : sources()) {
      Planted one{kind.name + " / " + source.name, kind.make(random), false, random() % 2 == 0, {}, {}};
      one.is_secret = source.confirms && looks_like_credential(kind, one.value);
      one.source = source.make(one.value);
      for (const Place& place : places()) {
        for (const SecretForm& form : secret_forms()) {
          ++index;
          if (!is_long() && index % 61 != 0) continue;
          const std::string text = "n" + std::to_string(index) + "-" + form.make(one.value) + "-m";
          if (!may_stand(text, place.alphabet)) continue;
          // A cookie that looks like a token is replaced under its name.
          const bool stays = !one.is_secret && !(is_cookie(place) && kind.is_random);
          one.cells.push_back({place.name + " / " + form.name, text, stays, is_packed(place), place.make(text)});
        }
      }
      all.push_back(std::move(one));
    }
  }
  return all;
}

template <class Visit>
void each_traffic(const std::vector<Planted>& all, bool with_packed, Visit&& visit) {
  for (const Planted& one : all) {
    if (!one.is_late) visit(one.source);
    for (const Planted::Cell& cell : one.cells) {
      if (with_packed || !cell.is_packed) visit(cell.traffic);
    }
    if (one.is_late) visit(one.source);
  }
}

/// The values that are in `texts` although they must not be, in any form.
std::vector<std::string> left_in(const std::string& texts, const std::vector<Planted>& all) {
  std::vector<std::string> left;
  for (const Planted& one : all) {
    if (!one.is_secret) continue;
    for (const SecretForm& form : secret_forms()) {
      if (texts.find(form.make(one.value)) != std::string::npos) left.push_back(one.name + " as " + form.name);
    }
  }
  return left;
}

/// Cells of a cassette that are not as the rules say.
std::vector<std::string> wrong_in(const std::string& cassette, const std::vector<Planted>& all, bool with_packed) {
  const std::string texts = database_texts(cassette);
  std::vector<std::string> wrong = left_in(texts, all);
  for (const Planted& one : all) {
    for (const Planted::Cell& cell : one.cells) {
      if (!cell.stays || (cell.is_packed && !with_packed)) continue;
      if (texts.find(cell.text) == std::string::npos) wrong.push_back(one.name + " lost from " + cell.name);
    }
  }
  return wrong;
}

/// First line, header lines, and body of a message.
struct Message {
  explicit Message(const std::string& bytes) {
    const std::size_t head = bytes.find("\r\n\r\n");
    body = bytes.substr(head + 4);
    std::size_t at = bytes.find("\r\n");
    first_line = bytes.substr(0, at);
    for (at += 2; at < head + 2;) {
      const std::size_t end = bytes.find("\r\n", at), colon = bytes.find(": ", at);
      headers.push_back({{"name", bytes.substr(at, colon - at)}, {"value", bytes.substr(colon + 2, end - colon - 2)}});
      at = end + 2;
    }
  }
  std::string first_line, body;
  nlohmann::json headers = nlohmann::json::array();
};

nlohmann::json entry_of(const Traffic& traffic) {
  const Message request(traffic.request), answer(traffic.answer);
  const std::size_t target = request.first_line.find(' ') + 1;
  const std::string path = request.first_line.substr(target, request.first_line.rfind(' ') - target);
  nlohmann::json asked = {{"method", request.first_line.substr(0, target - 1)},
                          {"url", "http://nas.example" + path},
                          {"headers", request.headers}};
  if (!request.body.empty()) asked["postData"] = {{"mimeType", ""}, {"text", request.body}};
  for (const auto& header : request.headers) {
    if (header.at("name") == "Content-Type" && asked.contains("postData")) {
      asked["postData"]["mimeType"] = header.at("value");
    }
  }
  std::string base64;
  for (const SecretForm& form : secret_forms()) {
    if (form.name == "base64") base64 = form.make(answer.body);
  }
  return {{"startedDateTime", "2026-01-01T12:00:00Z"},
          {"time", 1},
          {"request", asked},
          {"response",
           {{"status", std::stoi(answer.first_line.substr(9, 3))},
            {"statusText", answer.first_line.substr(std::min<std::size_t>(13, answer.first_line.size()))},
            {"headers", answer.headers},
            {"content", {{"size", answer.body.size()}, {"text", base64}, {"encoding", "base64"}}}}}};
}

std::string archive_of(const std::vector<Planted>& all) {
  nlohmann::json entries = nlohmann::json::array();
  each_traffic(all, false, [&](const Traffic& traffic) { entries.push_back(entry_of(traffic)); });
  return nlohmann::json{{"log", {{"entries", entries}}}}.dump();
}

std::string line_of_ready(const Server& server, const std::string& name) {
  const std::string ready = read_file(server.ready_file());
  const std::size_t at = ready.find(name + "=") + name.size() + 1;
  return ready.substr(at, ready.find('\n', at) - at);
}

/// All that the control API and the page's endpoints say of a running recording.
std::string all_of_control(const Server& server) {
  const Client control(line_of_ready(server, "control"));
  const std::string token = "X-Tapedeck-Token: " + line_of_ready(server, "token") + "\r\n";
  const std::string url = line_of_ready(server, "control");
  const auto ask = [&](const std::string& target) {
    return control.ask("GET " + target + " HTTP/1.1\r\nHost: " + url.substr(url.rfind('/') + 1) + "\r\n" + token +
                       "Connection: close\r\n\r\n");
  };
  std::string all;
  for (const std::string target : {"/state", "/counters", "/scope", "/suspects"}) all += ask(target);
  std::size_t entries = 0;
  for (std::size_t from = 1;;) {
    const std::string page = ask("/journal?limit=1000&from=" + std::to_string(from));
    const auto json = nlohmann::json::parse(page.substr(page.find("\r\n\r\n") + 4));
    all += page;
    entries += json.at("entries").size();
    if (!json.contains("next")) break;
    from = json.at("next").get<std::size_t>();
  }
  CHECK(entries > 100);
  const std::size_t step = entries < 1000 ? 1 : 7;
  for (std::size_t number = 1; number <= entries; number += step) all += ask("/requests/" + std::to_string(number));
  return all;
}

}  // namespace

TEST_CASE("leaks: a recording, its journal, log, and page have of the generated matrix what the rules say") {
  const std::vector<Planted> all = planted_values();
  const TempDir folder, logs;
  const std::string cassette = folder / "matrix.cassette";
  ScriptedDevice device;
  Server recorder(logs.path(), {"record", "--device", device.url(), "--allow-writes", "--journal", folder / "journal",
                                "--control", "127.0.0.1:0", "--ui", cassette});
  const Client client(recorder.url());
  std::size_t sent = 0;
  each_traffic(all, true, [&](const Traffic& traffic) {
    pass(client, device, traffic);
    ++sent;
  });
  CHECK(sent > (is_long() ? 10'000 : 300));
  const std::string control = all_of_control(recorder);
  CHECK(control.find("\"outcome\":\"recorded\"") != std::string::npos);
  CHECK(left_in(control, all) == std::vector<std::string>());
  CHECK(recorder.stop() == 0);
  CHECK(left_in(recorder.err(), all) == std::vector<std::string>());
  const std::string journal = read_file(folder / "journal");
  CHECK(journal.size() > sent * 50);
  CHECK(left_in(journal, all) == std::vector<std::string>());
  CHECK(wrong_in(cassette, all, true) == std::vector<std::string>());
}

TEST_CASE("leaks: an import, and a scrub of what was stored as it came, leave of the matrix what the rules say") {
  const std::vector<Planted> all = planted_values();
  const TempDir folder;
  const std::string har = folder / "matrix.har", imported = folder / "imported.cassette";
  write_file(har, archive_of(all));
  const Ran import = run_tapedeck({"import", har, "-o", imported});
  INFO(import.err);
  CHECK(import.status == 0);
  CHECK(wrong_in(imported, all, false) == std::vector<std::string>());

  const std::string scrubbed = folder / "scrubbed.cassette";
  std::vector<std::string> as_it_is = {"import", har, "-o", scrubbed};
  for (const auto& rule : nlohmann::json::parse(run_tapedeck({"rules", "--json"}).out).at("rules")) {
    as_it_is.insert(as_it_is.end(), {"--disable", rule.at("id").get<std::string>()});
  }
  REQUIRE(run_tapedeck(as_it_is).status == 0);
  CHECK_FALSE(left_in(database_texts(scrubbed), all).empty());
  const Ran scrub = run_tapedeck({"scrub", scrubbed});
  INFO(scrub.out << scrub.err);
  CHECK(scrub.status == 0);
  CHECK(wrong_in(scrubbed, all, false) == std::vector<std::string>());
}

}  // namespace tapedeck::tests::leak_outputs_cases
