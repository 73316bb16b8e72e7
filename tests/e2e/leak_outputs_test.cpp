// The matrix of forms, places, kinds of values, who vouches for them, and whether they are learned before or after, in
// everything that the program writes: a recording, its journal on disk and over the control API, its log, what the page
// reads, an import, and `scrub --values`. Cells are generated; the expected result is that of docs/secrets.md.
//
// A run has one value for each kind, source, and order, and one interaction for each value and place, with the value in
// every form that the place can contain. So one search over an output covers all cells.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/base64.h"
#include "tests/e2e/leak_matrix.h"
#include "tests/support/leak_search.h"
#include "tests/support/needs.h"
#include "tests/support/secret_forms.h"
#include "tests/support/value_kinds.h"

namespace tapedeck::tests::leak_outputs_cases {

namespace {

using Strings = std::vector<std::string>;

/// Who says a value, and whether that confirms it.
struct Source {
  std::string name;
  bool confirms;
  Traffic (*make)(const std::string& value);
};

std::string call(const std::string& api, const std::string& method, const std::string& name, const std::string& value) {
  return "/webapi/entry.cgi?api=SYNO." + api + "&version=1&method=" + method + "&" + name + "=" + percent_all(value);
}

std::string response_with(const std::string& value) {
  return json_answer(nlohmann::json{{"data", {{"password", value}}}, {"success", true}}.dump());
}

std::string error_response(int code) {
  return json_answer(nlohmann::json{{"error", {{"code", code}}}, {"success", false}}.dump());
}

const std::vector<Source>& sources() {
  static const std::vector<Source> all = {
      {"login", true,
       [](const std::string& v) {
         return Traffic{get(call("API.Auth", "login", "passwd", v)), fine_answer()};
       }},
      {"login that requires a code", true,
       [](const std::string& v) {
         return Traffic{get(call("API.Auth", "login", "passwd", v)), error_response(403)};
       }},
      {"write", true,
       [](const std::string& v) {
         return Traffic{get(call("Core.User", "set", "new_password", v)), fine_answer()};
       }},
      {"response", true,
       [](const std::string& v) {
         return Traffic{get("/webapi/entry.cgi?api=SYNO.Core.Sec&version=1&method=get"), response_with(v)};
       }},
      {"refused login", false,
       [](const std::string& v) {
         return Traffic{get(call("API.Auth", "login", "passwd", v)), error_response(400)};
       }},
      {"refused session", false,
       [](const std::string& v) {
         return Traffic{get(call("Core.System", "info", "_sid", v)), error_response(119)};
       }},
      {"echo", false,
       [](const std::string& v) {
         return Traffic{get(call("API.Info", "query", "passwd", v)), response_with(v)};
       }},
  };
  return all;
}

struct Value {
  std::string name, text;
  bool is_secret = false;    ///< replaced everywhere, by the rules
  bool is_accepted = false;  ///< accepted from a client, so that it is also found as a word, however plain it is
  bool is_given = false;     ///< not confirmed, but in the file for `scrub --values`
  bool is_late = false;      ///< said after it was planted
  Traffic source;
};

/// A value in one form between marks that no other cell has.
struct Cell {
  std::string name, text;
  std::size_t value;
  bool is_in_archive;  ///< an archive has no compressed or chunked bodies
  bool is_named;       ///< replaced because of its name, whatever the value is
};

struct Matrix {
  std::vector<Value> values;
  std::vector<Cell> cells;
  std::vector<Traffic> traffic, archived;  ///< in the order of a session
};

unsigned seed() {
  const char* given = std::getenv("TAPEDECK_SEED");
  return given == nullptr ? 20261126 : static_cast<unsigned>(std::stoul(given));
}

bool is_one_of(const std::string& name, const Strings& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Adds the cells of a value in a place, as one interaction.
void plant(Matrix& matrix, std::size_t value, const Place& place) {
  const bool is_in_archive = !is_one_of(place.name, {"chunks of one byte", "gzip", "deflate", "br", "zstd"});
  // The marks make any cookie look like a token.
  const bool is_named = is_one_of(place.name, {"Cookie", "Set-Cookie"}) || place.name.ends_with("web login") ||
                        place.name == "encrypted login";
  std::string all;
  for (const SecretForm& form : secret_forms()) {
    const std::string text =
        "n" + std::to_string(matrix.cells.size()) + "-" + form.make(matrix.values[value].text) + "-m";
    if (!may_stand(text, place.alphabet)) continue;
    matrix.cells.push_back({place.name + " / " + form.name, text, value, is_in_archive, is_named});
    all += all.empty() ? text : "." + text;
  }
  if (all.empty()) return;
  matrix.traffic.push_back(place.make(all));
  if (is_in_archive) matrix.archived.push_back(matrix.traffic.back());
}

/// All of the matrix in a long run, else one of five interactions.
Matrix new_matrix() {
  std::mt19937 random(seed());
  Matrix matrix;
  for (const ValueKind& kind : value_kinds()) {
    for (const Source& source : sources()) {
      for (const bool is_late : {false, true}) {
        Value value;
        value.name = kind.name + " / " + source.name + (is_late ? " / after" : " / before");
        value.text = kind.make(random);
        const bool is_searched = looks_like_credential(kind, value.text);
        value.is_secret = source.confirms && is_searched;
        value.is_accepted = source.confirms && source.name != "response";
        value.is_given = !value.is_secret && is_searched && random() % 2 == 0;
        value.is_late = is_late;
        value.source = source.make(value.text);
        matrix.values.push_back(std::move(value));
      }
    }
  }
  const auto say = [&matrix](bool late) {
    for (const Value& value : matrix.values) {
      if (value.is_late != late) continue;
      matrix.traffic.push_back(value.source);
      matrix.archived.push_back(value.source);
    }
  };
  say(false);
  for (std::size_t value = 0; value < matrix.values.size(); ++value) {
    for (const Place& place : places()) {
      if (is_long() || random() % 5 == 0) plant(matrix, value, place);
    }
  }
  say(true);
  return matrix;
}

/// The cell whose mark precedes a place, or where that is.
std::string cell_before(const std::string& texts, std::size_t at, const Matrix& matrix) {
  for (std::size_t from = at; from > 0 && at - from < 2000; --from) {
    if (texts[from] != 'n' || std::isdigit(static_cast<unsigned char>(texts[from + 1])) == 0) continue;
    const auto cell = static_cast<std::size_t>(std::strtoul(texts.c_str() + from + 1, nullptr, 10));
    if (cell < matrix.cells.size() && texts.compare(from, 3, matrix.cells[cell].text, 0, 3) == 0) {
      return matrix.cells[cell].name;
    }
  }
  return "outside of cells";
}

/// Secrets that an output contains in any form, also under the escapes of keys: "id / login / after from JSON body /
/// hex".
Strings left_in(const std::string& texts, const Matrix& matrix, bool with_given = false) {
  TextFinder finder;
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    const Value& value = matrix.values[i];
    if (!value.is_secret && !(with_given && value.is_given)) continue;
    for (const std::string& form : forms_of(value.text)) finder.add(form, i);
    for (const SecretForm& form : secret_forms()) finder.add(form.make(value.text), i);
  }
  std::set<std::string> left;
  for (const std::string& searched : {texts, percent_decoded(texts, false)}) {
    finder.find_in(searched, [&](std::size_t value, std::size_t at) {
      left.insert(matrix.values[value].name + " from " + cell_before(searched, at, matrix));
    });
  }
  return {left.begin(), left.end()};
}

/// Cells that had to stay as they were and did not.
Strings lost_from(const std::string& texts, const Matrix& matrix, bool is_archive, bool with_given = false) {
  std::vector<bool> found(matrix.cells.size());
  for (std::size_t at = texts.find('n'); at != std::string::npos; at = texts.find('n', at + 1)) {
    if (std::isdigit(static_cast<unsigned char>(texts.c_str()[at + 1])) == 0) continue;
    const auto cell = static_cast<std::size_t>(std::strtoul(texts.c_str() + at + 1, nullptr, 10));
    if (cell >= found.size()) continue;
    const std::string& text = matrix.cells[cell].text;
    if (texts.compare(at, text.size(), text) == 0) found[cell] = true;
  }
  Strings lost;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Cell& cell = matrix.cells[i];
    const Value& value = matrix.values[cell.value];
    const bool stays = !value.is_secret && !value.is_accepted && !(with_given && value.is_given) && !cell.is_named;
    if (stays && !found[i] && (cell.is_in_archive || !is_archive)) lost.push_back(value.name + " in " + cell.name);
  }
  return lost;
}

/// The number of a cassette's interactions that are not complete.
std::size_t incomplete_in(const std::string& cassette) {
  std::size_t incomplete = 0;
  for (const auto& line : nlohmann::json::parse(run_tapedeck({"ls", cassette, "--json"}).out)) {
    incomplete += line.at("completeness") == "complete" ? 0 : 1;
  }
  return incomplete;
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
      if (bytes.compare(at, colon - at, "Content-Type") == 0) type = headers.back().at("value").get<std::string>();
      at = end + 2;
    }
  }
  std::string first_line, body, type;
  nlohmann::json headers = nlohmann::json::array();
};

nlohmann::json entry_of(const Traffic& traffic) {
  const Message request(traffic.request), response(traffic.answer);
  const std::size_t target = request.first_line.find(' ') + 1;
  nlohmann::json sent = {
      {"method", request.first_line.substr(0, target - 1)},
      {"url", "http://nas.example" + request.first_line.substr(target, request.first_line.rfind(' ') - target)},
      {"headers", request.headers}};
  if (!request.body.empty()) sent["postData"] = {{"mimeType", request.type}, {"text", request.body}};
  return {{"startedDateTime", "2026-01-01T12:00:00Z"},
          {"time", 1},
          {"request", sent},
          {"response",
           {{"status", std::stoi(response.first_line.substr(9, 3))},
            {"statusText", response.first_line.substr(std::min<std::size_t>(13, response.first_line.size()))},
            {"headers", response.headers},
            {"content",
             {{"size", response.body.size()}, {"text", base::base64_form(response.body)}, {"encoding", "base64"}}}}}};
}

std::string archive_of(const Matrix& matrix) {
  nlohmann::json entries = nlohmann::json::array();
  for (const Traffic& traffic : matrix.archived) entries.push_back(entry_of(traffic));
  return nlohmann::json{{"log", {{"entries", entries}}}}.dump();
}

/// Adds all strings of a JSON text, and the bytes of its base64 members.
void add_strings(const nlohmann::json& json, std::string& texts) {
  if (json.is_string()) texts += json.get<std::string>() + "\n";
  if (json.is_object() && json.contains("base64")) texts += base::from_base64(json["base64"].get<std::string>()) + "\n";
  if (!json.is_structured()) return;
  for (const auto& [name, item] : json.items()) {
    if (json.is_object()) texts += name + "\n";
    add_strings(item, texts);
  }
}

std::string strings_of_lines(const std::string& lines) {
  std::string texts;
  for (std::size_t at = 0, end = lines.find('\n'); end != std::string::npos; end = lines.find('\n', at = end + 1)) {
    add_strings(nlohmann::json::parse(lines.substr(at, end - at)), texts);
  }
  return texts;
}

std::string line_of_ready(const Server& server, const std::string& name) {
  const std::string ready = read_file(server.ready_file());
  const std::size_t at = ready.find(name + "=") + name.size() + 1;
  return ready.substr(at, ready.find('\n', at) - at);
}

/// Everything that the control API, and with it the page, tells about a recording in progress.
std::string texts_of_control(const Server& server, std::size_t expected) {
  const std::string url = line_of_ready(server, "control");
  const Client control(url);
  const std::string rest = " HTTP/1.1\r\nHost: " + url.substr(url.rfind('/') + 1) +
                           "\r\nX-Tapedeck-Token: " + line_of_ready(server, "token") + "\r\nConnection: close\r\n\r\n";
  std::string texts;
  const auto ask = [&](const std::string& target) {
    const std::string reply = control.ask("GET " + target + rest);
    auto json = nlohmann::json::parse(reply.substr(reply.find("\r\n\r\n") + 4));
    add_strings(json, texts);
    return json;
  };
  for (const std::string target : {"/state", "/scope", "/suspects"}) (void)ask(target);
  std::size_t entries = 0, bodies = 0;
  for (std::size_t last = 1; last > 0; entries += last) {
    last = ask("/journal?limit=1000&from=" + std::to_string(entries + 1)).at("entries").size();
  }
  CHECK(entries == expected);
  for (std::size_t number = 1; number <= entries; ++number) {
    bodies += ask("/requests/" + std::to_string(number)).contains("answer") ? 1 : 0;
  }
  CHECK(bodies == expected);
  return texts;
}

/// Adds a request in a scope that is named by each secret that is said later, in one of the forms by turns.
void plant_in_scopes(Matrix& matrix) {
  std::vector<Traffic> traffic;
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    const Value& value = matrix.values[i];
    if (!value.is_secret || !value.is_late) continue;
    const SecretForm& form = secret_forms()[i % secret_forms().size()];
    const std::string name = "case " + std::to_string(i) + " " + form.make(value.text) + " end";
    if (!may_stand(name, Alphabet::text)) continue;
    traffic.push_back({get(call_target, "X-Tapedeck-Scope: " + percent_all(name) + "\r\n"), fine_answer()});
  }
  matrix.traffic.insert(matrix.traffic.begin(), traffic.begin(), traffic.end());
}

/// Replaces the character references of a JUnit file.
std::string without_references(std::string xml) {
  for (const auto& [reference, character] : std::vector<std::pair<std::string, std::string>>{
           {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}}) {
    for (std::size_t at = xml.find(reference); at != std::string::npos; at = xml.find(reference, at + 1)) {
      xml.replace(at, reference.size(), character);
    }
  }
  return xml;
}

/// Runs the program on the whole matrix, which takes long on a busy machine.
Ran run_on_matrix(Strings arguments) {
  arguments.insert(arguments.begin(), binary());
  return run(std::move(arguments), std::chrono::minutes(10));
}

/// Writes a configuration that disables every scrub rule.
void write_all_rules_off(const std::string& file) {
  std::string text = "[scrub]\ndisable = [";
  const auto listed = nlohmann::json::parse(run_tapedeck({"scrub", "--rules", "--json"}).out);
  for (const auto& rule : listed.at("rules")) text += "\"" + rule.at("id").get<std::string>() + "\", ";
  write_file(file, text + "]\n");
}

}  // namespace

TEST_CASE("leaks: a recording, its journal, log, and page contain no secret of a generated matrix") {
  CAPTURE(seed());
  const Matrix matrix = new_matrix();
  CHECK(matrix.cells.size() > (is_long() ? 40'000 : 8'000));
  const TempDir folder, logs;
  const std::string cassette = folder / "matrix.cassette";
  ScriptedDevice device;
  Server recorder(logs.path(), {"record", "--device", device.url(), "--journal", folder / "journal", "--control",
                                "127.0.0.1:0", "--page", cassette});
  const Client client(recorder.url());
  for (const Traffic& traffic : matrix.traffic) pass(client, device, traffic);
  CHECK(left_in(texts_of_control(recorder, matrix.traffic.size()), matrix) == Strings());
  CHECK(recorder.stop() == 0);
  CHECK(left_in(recorder.err(), matrix) == Strings());
  CHECK(left_in(recorder.out(), matrix) == Strings());
  const std::string journal = strings_of_lines(read_file(folder / "journal"));
  CHECK(journal.size() > matrix.traffic.size() * 50);
  CHECK(left_in(journal, matrix) == Strings());
  const std::string texts = database_texts(cassette);
  CHECK(left_in(texts, matrix) == Strings());
  CHECK(lost_from(texts, matrix, false) == Strings());
  CHECK(incomplete_in(cassette) == 0);
}

TEST_CASE("leaks: log, journal, and report of a run that replays and records contain no secret of the matrix") {
  CAPTURE(seed());
  Matrix matrix = new_matrix();
  plant_in_scopes(matrix);
  for (const std::string name : {"report.json", "report.xml"}) {
    CAPTURE(name);
    const TempDir folder;
    const std::string cassette = folder / "run.cassette", url = folder / "url", done = folder / "done";
    ScriptedDevice device;
    {
      Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
      (void)pass(Client(recorder.url()), device, {get(call_target, "X-Tapedeck-Scope: first\r\n"), fine_answer()});
      REQUIRE(recorder.stop() == 0);
    }
    const std::string command = "echo \"$TAPEDECK_URL\" >" + url + ".new; mv " + url + ".new " + url +
                                "; for i in $(seq 1200); do [ -e " + done + " ] && exit 0; sleep 0.1; done; exit 1";
    Child exec({{binary(), "exec", "--mode", "new", "--allow-writes", "--device", device.url(), "--strict", "--journal",
                 folder / "journal", "--report", folder / name, cassette, "--", "sh", "-c", command},
                {},
                "",
                folder / "out",
                folder / "err"});
    REQUIRE(wait_for_file(url, exec));
    std::string address = read_file(url);
    address.pop_back();
    for (const Traffic& traffic : matrix.traffic) (void)pass(Client(address), device, traffic);
    write_file(done, "");
    CHECK(exec.wait().has_value());
    CHECK(left_in(exec.err(), matrix) == Strings());
    CHECK(left_in(strings_of_lines(read_file(folder / "journal")), matrix) == Strings());
    const std::string report = read_file(folder / name);
    const bool is_xml = name.ends_with(".xml");
    std::string texts = is_xml ? without_references(report) : std::string();
    if (!is_xml) add_strings(nlohmann::json::parse(report), texts);
    CHECK(left_in(texts, matrix) == Strings());
    CHECK(texts.find("<PASSWORD> end") != std::string::npos);
    CHECK(left_in(database_texts(cassette), matrix) == Strings());
  }
}

TEST_CASE("leaks: an import and a scrub remove every secret of the matrix and nothing else") {
  CAPTURE(seed());
  const Matrix matrix = new_matrix();
  const TempDir folder;
  const std::string har = folder / "matrix.har", imported = folder / "imported.cassette",
                    scrubbed = folder / "scrubbed.cassette", values = folder / "values";
  write_file(har, archive_of(matrix));
  const Ran import = run_on_matrix({"import", har, "-o", imported});
  INFO(import.err);
  CHECK(import.status == 0);
  const std::string texts = database_texts(imported);
  CHECK(left_in(texts, matrix) == Strings());
  CHECK(lost_from(texts, matrix, true) == Strings());
  CHECK(incomplete_in(imported) == 0);

  const TempDir elsewhere;
  write_all_rules_off(elsewhere / "tapedeck.toml");
  REQUIRE(run_on_matrix({"import", har, "-o", scrubbed, "--config", elsewhere / "tapedeck.toml"}).status == 0);
  // The search finds nearly every cell of a secret there.
  CHECK(left_in(database_texts(scrubbed), matrix).size() > matrix.cells.size() / 8);
  std::string given;
  for (const Value& value : matrix.values) given += value.is_given ? value.text + "\n" : "";
  write_file(values, given);
  const Ran scrub = run_on_matrix({"scrub", scrubbed, "--values", values});
  INFO(scrub.out.substr(0, 2000) << scrub.err);
  CHECK(scrub.status == 0);
  const std::string left = database_texts(scrubbed);
  CHECK(left_in(left, matrix, true) == Strings());
  CHECK(lost_from(left, matrix, true, true) == Strings());
  CHECK(incomplete_in(scrubbed) == 0);
}

}  // namespace tapedeck::tests::leak_outputs_cases
