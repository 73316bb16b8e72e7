// Secrets in every place and in every form, through the real recorder: none may be left in any file of the run. The
// same recordings with scrubbing switched off, and without the logins that teach the secrets, show that the search
// would find them.

#include <atomic>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>

#include "base/joined_thread.h"
#include "tests/e2e/leak_matrix.h"
#include "tests/support/deep_search.h"
#include "tests/support/leak_search.h"
#include "tests/support/needs.h"
#include "tests/support/secret_forms.h"

namespace tapedeck::tests::leak_matrix_cases {

namespace {

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

/// True if the cell with this number is tried: each one in a long run, else one of five. Five does not divide the
/// numbers of forms, so that each form and each place is among them.
bool is_tried(std::size_t index) { return is_long() || index % 5 == 0; }

std::vector<Cell> all_cells() {
  std::mt19937 random(20261120);
  std::vector<Cell> cells;
  std::size_t index = 0;
  for (const Place& place : places()) {
    for (const SecretForm& form : secret_forms()) {
      if (!is_tried(index++)) continue;
      std::string secret = new_secret(random, true);
      if (!may_stand(form.make(secret), place.alphabet)) secret = new_secret(random, false);
      const std::string planted = form.make(secret);
      if (!may_stand(planted, place.alphabet)) continue;
      cells.push_back({place.name + " / " + form.name, secret, place.make(planted)});
    }
  }
  return cells;
}

/// Forms that nothing is put in the place of, in bodies of requests and answers.
std::vector<Cell> odd_cells() {
  std::mt19937 random(20261123);
  std::vector<Cell> cells;
  std::size_t index = 0;
  for (const Place& place : places()) {
    if (place.alphabet != Alphabet::text && place.alphabet != Alphabet::bytes) continue;
    for (const SecretForm& form : odd_forms()) {
      if (!is_tried(index++)) continue;
      const std::string secret = new_secret(random, false);
      const std::string planted = form.make(secret);
      if (may_stand(planted, place.alphabet))
        cells.push_back({place.name + " / " + form.name, secret, place.make(planted)});
    }
  }
  const std::string secret = new_secret(random, false);
  const std::string upload = "--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n\r\n" +
                             zip_of("note " + secret + " end") + "\r\n--XX--\r\n";
  cells.push_back({"zip in multipart", secret, {post("multipart/form-data; boundary=XX", upload), fine_answer()}});
  return cells;
}

/// The secret is the password of one login and, in every other cell, the session id of its answer.
Traffic login_with(const std::string& secret, bool as_session) {
  const std::string password = as_session ? "x" : percent_all(secret);
  const std::string target = "/webapi/auth.cgi?api=SYNO.API.Auth&version=6&method=login&account=a&format=sid&passwd=";
  const nlohmann::json answer = {{"data", {{"sid", as_session ? secret : "none"}}}, {"success", true}};
  return {get(target + password), answer_of("Content-Type: application/json\r\n", answer.dump())};
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

/// Writes a configuration that disables every scrub rule.
void write_all_rules_off(const std::string& file) {
  std::string text = "[scrub]\ndisable = [";
  const auto listed = nlohmann::json::parse(run_tapedeck({"scrub", "--rules", "--json"}).out);
  for (const auto& rule : listed.at("rules")) text += "\"" + rule.at("id").get<std::string>() + "\", ";
  write_file(file, text + "]\n");
}

/// Recorded with scrubbing switched off: the plants that a search with these decoders does not find. A zip in a
/// multipart form, which no search opens, is not among them.
std::vector<std::string> missed_unscrubbed(const std::vector<Cell>& cells, const std::vector<Decoders>& searches) {
  const TempDir folder;
  ScriptedDevice device;
  const TempDir elsewhere;
  write_all_rules_off(elsewhere / "tapedeck.toml");
  Server recorder(folder.path(), {"record", "--device", device.url(), folder / "open.cassette", "--config",
                                  elsewhere / "tapedeck.toml"});
  const Client client(recorder.url());
  for (const Cell& cell : cells) pass(client, device, cell.traffic);
  recorder.stop();
  std::set<std::size_t> found, missed;
  for (const Decoders decoders : searches) {
    found.merge(deep_search_files(folder.path(), secrets_of(cells), nullptr, decoders));
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!found.contains(i) && cells[i].name != "zip in multipart") missed.insert(i);
  }
  return names_of(missed, cells);
}

}  // namespace

TEST_CASE("leaks: no secret of the matrix of places and forms is left in any file of the run") {
  const std::vector<Cell> cells = all_cells();
  REQUIRE(cells.size() > (is_long() ? 300 : 60));
  const TempDir folder, logs;  // a line of the log is written before a value is learned that it holds
  const std::string cassette = folder / "matrix.cassette";
  ScriptedDevice device;
  Server recorder(logs.path(), {"record", "--device", device.url(), cassette});
  const Client client(recorder.url());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool is_learned_late = i % 3 == 0;
    if (is_learned_late) pass(client, device, cells[i].traffic);
    pass(client, device, login_with(cells[i].secret, i % 2 == 1));
    if (!is_learned_late) pass(client, device, cells[i].traffic);
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
  CHECK(missed_unscrubbed(all_cells(), {Decoders::usual}) == std::vector<std::string>());
}

TEST_CASE("leaks: a form that cannot be replaced is in no file either: its interaction is kept without bodies") {
  const std::vector<Cell> cells = odd_cells();
  REQUIRE(cells.size() > (is_long() ? 50 : 10));
  const TempDir folder, logs;  // a line of the log is written before the leak scan has seen its interaction
  const std::string cassette = folder / "odd.cassette";
  ScriptedDevice device;
  Server recorder(logs.path(), {"record", "--device", device.url(), cassette, "--journal", folder / "journal"});
  const Client client(recorder.url());
  for (const Cell& cell : cells) {
    pass(client, device, login_with(cell.secret, true));
    pass(client, device, cell.traffic);
  }
  CHECK(recorder.stop() == 3);
  CHECK(std::filesystem::exists(cassette));
  tell_all(cassette, folder);
  const auto found = deep_search_files(folder.path(), secrets_of(cells), nullptr, Decoders::odd);
  CHECK(names_of(found, cells) == std::vector<std::string>());
  // One row, not the whole recording.
  std::size_t withheld = 0, all = 0;
  for (const auto& line : nlohmann::json::parse(read_file(folder / "ls.json"))) {
    withheld += line.at("completeness") == "withheld" ? 1 : 0;
    ++all;
  }
  CHECK(all == 2 * cells.size());
  CHECK(withheld <= cells.size());
}

TEST_CASE("leaks: the search finds these forms when scrubbing is switched off") {
  CHECK(missed_unscrubbed(odd_cells(), {Decoders::odd}) == std::vector<std::string>());
}

TEST_CASE("leaks: pieces of a value in parts of a file are withheld") {
  const TempDir folder;
  const std::string cassette = folder / "pieces.cassette", secret = "kR7vQ2mZxT9pLw4BnC8dHs1F";
  ScriptedDevice device;
  Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
  const Client client(recorder.url());
  pass(client, device, login_with(secret, true));
  const std::string file = "first line\nkey " + secret + " end of it\n";
  const std::size_t middle = file.find(secret) + secret.size() / 2;
  const std::vector<std::pair<std::size_t, std::size_t>> ranges = {
      {0, middle}, {middle, file.size()}, {middle - 5, middle + 5}, {0, 9}};
  for (const auto& [from, to] : ranges) {
    const std::string piece = file.substr(from, to - from);
    pass(client, device,
         {get(call_target + "&from=" + std::to_string(from), "Range: bytes=" + std::to_string(from) + "-\r\n"),
          "HTTP/1.1 206 Partial Content\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: " +
              std::to_string(piece.size()) + "\r\n\r\n" + piece});
  }
  recorder.stop();
  const std::string texts = database_texts(cassette);
  CHECK(texts.find(secret.substr(secret.size() / 2, 8)) == std::string::npos);
  CHECK(texts.find(secret.substr(0, 8)) == std::string::npos);
  std::size_t withheld = 0;
  for (const auto& line : nlohmann::json::parse(run_tapedeck({"ls", cassette, "--json"}).out)) {
    withheld += line.at("completeness") == "withheld" ? 1 : 0;
  }
  CHECK(withheld == 3);
}

namespace {

/// Plain and odd forms by turns, each shown before its login and after it.
std::vector<Cell> killed_cells(std::size_t round) {
  const std::vector<Cell> plain = all_cells(), odd = odd_cells();
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < 20; ++i) {
    cells.push_back(plain[(round * 23 + i * 7) % plain.size()]);
    cells.push_back(odd[(round * 11 + i * 3) % odd.size()]);
  }
  return cells;
}

/// Passes the cells one after the other until the recorder has gone. Returns those whose login was answered: of the
/// last one, which was shown before, the recorder may never have heard that it is a secret.
std::vector<Cell> pass_until_killed(const std::string& url, ScriptedDevice& device, const std::vector<Cell>& cells,
                                    std::atomic<std::size_t>& logins) {
  const Client client(url);
  std::size_t known = 0;
  try {
    for (std::size_t i = 0;; i = (i + 1) % cells.size()) {
      pass(client, device, cells[i].traffic);
      const std::string answer = pass(client, device, login_with(cells[i].secret, i % 2 == 1));
      if (answer.find("success") != std::string::npos) known = std::max(known, i + 1);
      ++logins;
      pass(client, device, cells[i].traffic);
    }
  } catch (const std::exception&) {
    return {cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(known)};  // it has gone
  }
}

}  // namespace

TEST_CASE("leaks: a recording that was killed at any moment is unverified, and clean when its values are given") {
  const std::size_t rounds = is_long() ? 100 : 2;
  std::mt19937 random(7);
  std::size_t searched = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const std::vector<Cell> planned = killed_cells(round);
    std::vector<Cell> cells;
    std::atomic<std::size_t> logins = 0;
    const TempDir folder, logs;
    const std::string cassette = folder / "killed.cassette", values = logs / "values";
    ScriptedDevice device;
    Server recorder(logs.path(), {"record", "--device", device.url(), cassette});
    {
      const base::JoinedThread client([&] { cells = pass_until_killed(recorder.url(), device, planned, logins); });
      const std::size_t enough = 5 + random() % 60;
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (logins < enough && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
      // The moment is what this test varies, so it has to pass in real time.
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 5'000));
      recorder.kill();
    }
    const Ran scrubbed = run_tapedeck({"scrub", cassette});
    CHECK(scrubbed.out.find("UNVERIFIED") != std::string::npos);
    CHECK(scrubbed.status == 3);
    std::string all;
    for (const Cell& cell : planned) all += cell.secret + "\n";
    write_file(values, all);
    const Ran with_values = run_tapedeck({"scrub", cassette, "--values", values});
    INFO(with_values.out << with_values.err);
    CHECK(with_values.out.find("UNVERIFIED") == std::string::npos);
    // Some forms are only found, not replaced: what holds one is withheld.
    CHECK(with_values.status == (with_values.out.find("WITHHELD") == std::string::npos ? 0 : 3));
    searched += cells.size();
    const auto found = deep_search_files(folder.path(), secrets_of(cells), nullptr, Decoders::odd);
    CHECK(names_of(found, cells) == std::vector<std::string>());
  }
  CHECK(searched > rounds);
  CHECK(missed_unscrubbed(killed_cells(0), {Decoders::odd, Decoders::usual}) == std::vector<std::string>());
}

namespace {

struct Kind {
  std::string name, secret;
  bool is_structure = false;  ///< messages contain such text, so only whole values are searched for
};

/// Passwords of seven kinds, which people choose.
std::vector<Kind> kinds() {
  std::string long_one;
  for (int i = 0; long_one.size() < 200; ++i) long_one += "Winter" + std::to_string(i * 7919) + "-";
  return {{"words with marks", "Sommer/Winter2024"},
          {"words with spaces", "pa ss/w\"ord lang"},
          {"only digits", "73519284"},
          {"four characters", "zx9k"},
          {"Unicode",
           "Gr\xC3\xBC\xC3\x9F"
           "e an Zoe"},
          {"a piece of a target", "entry.cgi?api=", true},
          {"200 characters", long_one}};
}

/// The cells in which such a password is a value: a form that begins and ends with it, in a place around it.
std::vector<Cell> cells_of(const Kind& kind) {
  static const std::set<std::string> partly = {"base64 behind one byte", "base64 behind two bytes", "base64url"};
  static const std::set<std::string> whole = {"query value", "form value", "multipart field", "JSON request",
                                              "path",        "Set-Cookie", "another header",  "JSON body"};
  std::vector<Cell> cells;
  for (const Place& place : places()) {
    if (place.name == "query name" || (kind.is_structure && !whole.contains(place.name))) continue;
    for (const SecretForm& form : secret_forms()) {
      const bool is_plain = kind.name != "four characters" && kind.name != "only digits" && !kind.is_structure;
      if (partly.contains(form.name) && !is_plain) continue;
      const std::string planted = form.make(kind.secret);
      if (may_stand(planted, place.alphabet))
        cells.push_back({place.name + " / " + form.name, kind.secret, place.make(planted)});
    }
  }
  return cells;
}

/// Returns the secrets' names that are in a file of the folder. A piece of a target is looked for as the whole value of
/// a note.
std::vector<std::string> left_in(const TempDir& folder, const Kind& kind) {
  std::vector<std::string> where;
  (void)deep_search_files(folder.path(), {kind.is_structure ? "note=" + kind.secret : kind.secret}, &where);
  return where;
}

}  // namespace

TEST_CASE("leaks: no password of any kind is left after a soft end or a kill, before or behind its login") {
  bool is_next_killed = false;
  for (const Kind& kind : kinds()) {
    is_next_killed = !is_next_killed;
    for (const bool is_killed : {false, true}) {
      if (!is_long() && is_killed != is_next_killed) continue;
      CAPTURE(kind.name, is_killed);
      const TempDir folder, logs;
      const std::string cassette = folder / "kind.cassette";
      ScriptedDevice device;
      Server recorder(logs.path(), {"record", "--device", device.url(), cassette});
      const Client client(recorder.url());
      const std::vector<Cell> cells = cells_of(kind);
      REQUIRE(cells.size() > (kind.is_structure ? 20 : 80));
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i == cells.size() / 2) pass(client, device, login_with(kind.secret, false));
        pass(client, device, cells[i].traffic);
      }
      if (is_killed) {
        recorder.kill();
        write_file(logs / "values", kind.secret + "\n");
        (void)run_tapedeck({"scrub", cassette, "--values", logs / "values"});
      } else {
        CHECK(recorder.stop() == 0);
      }
      tell_all(cassette, folder);
      CHECK(left_in(folder, kind) == std::vector<std::string>());
    }
  }
}

TEST_CASE("leaks: a recording that was killed holds no value that was known when it was written") {
  const std::vector<Cell> cells = all_cells();
  const std::size_t rounds = is_long() ? 50 : 2;
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
    recorder.kill();
    CHECK(names_of(deep_search_files(folder.path(), secrets_of(cells)), cells) == std::vector<std::string>());
  }
}

TEST_CASE("leaks: no line of a log has a value that is learned after it") {
  std::mt19937 random(11);
  std::vector<std::string> secrets = {"sunshine1"};
  for (int i = 0; i < 20; ++i) secrets.push_back(new_secret(random, i % 2 == 0));
  const TempDir folder, logs;
  ScriptedDevice device;
  Server recorder(logs.path(),
                  {"record", "--device", device.url(), folder / "c.cassette", "--journal", folder / "journal"});
  const Client client(recorder.url());
  for (const std::string& secret : secrets) {
    const std::string planted = percent_all(secret);
    for (const std::string& target :
         {call_target + "&note=" + planted, call_target + "&list=%5B%22" + planted + "%22%5D",
          call_target + "&said=it+was+" + planted, "/sharing?id=" + planted}) {
      pass(client, device, {get(target), fine_answer()});
    }
    if (secret.size() > 12) pass(client, device, {get("/sharing/" + planted + "/file"), fine_answer()});
  }
  for (const std::string& secret : secrets) pass(client, device, login_with(secret, false));
  // The gate's lines, with values that are known.
  for (std::size_t i = 1; i < secrets.size(); i += 2) {
    (void)client.ask(get("/", "Origin: http://" + secrets[i] + ".example\r\n"));
  }
  CHECK(recorder.stop() != 1);
  CHECK(recorder.err().find("refused: ") != std::string::npos);
  // The line is there, and says which request it was.
  CHECK(recorder.err().find("200 SYNO.Test.Place/1/get?note=\xE2\x80\xA6 ") != std::string::npos);
  CHECK(recorder.err().find("GET /sharing/<SECRET>/file ") != std::string::npos);
  std::vector<std::string> where;
  (void)deep_search_files(logs.path(), secrets, &where);
  secrets.erase(secrets.begin());  // so short a word is replaced as a whole value alone
  (void)deep_search_files(folder.path(), secrets, &where);
  CHECK(where == std::vector<std::string>());
}

TEST_CASE("leaks: the report of a recording run has no value that is learned within it") {
  const std::string secret = "kR7vQ2mZxT9pLw4BnC8dHs1F";
  for (const std::string name : {"report.json", "report.xml"}) {
    CAPTURE(name);
    const TempDir folder;
    ScriptedDevice device;
    device.answer_with(fine_answer());
    device.answer_to("method=login", json_answer(R"({"data":{"sid":")" + secret + R"("},"success":true})"));
    const std::string ask =
        "curl -s \"$TAPEDECK_URL" + call_target + "\" -H 'X-Tapedeck-Scope: case " + secret + "' >/dev/null; ";
    const std::string login =
        "curl -s \"$TAPEDECK_URL/webapi/auth.cgi?api=SYNO.API.Auth&version=6&method=login&account=a"
        "&passwd=x&format=sid\" >/dev/null";
    const Ran ran = run_tapedeck({"exec", "--mode", "all", "--device", device.url(), "--report", folder / name,
                                  folder / "c.cassette", "--", "sh", "-c", ask + login});
    INFO(ran.err);
    CHECK(ran.status == 0);
    CHECK(ran.err.find(secret) == std::string::npos);
    const std::string report = read_file(folder / name);
    CHECK(report.find("case ") != std::string::npos);
    CHECK(report.find(secret) == std::string::npos);
  }
}

}  // namespace tapedeck::tests::leak_matrix_cases
