// Tests attacks on the scrubber: each row is something that a client or a device may send, with its limit in time and
// memory. Nothing else must change.

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>

#include <nlohmann/json.hpp>

#include "tests/e2e/leak_matrix.h"
#include "tests/support/bombs.h"
#include "tests/support/needs.h"
#include "tests/support/proc.h"

namespace tapedeck::tests::attack_cases {

namespace {

/// Of a long message: a quarter of what a long run sends.
const std::size_t large = is_long() ? 16u << 20 : 4u << 20;

/// The bytes that may be held while a message passes which is as long as `large`: the full number is that of a long
/// run.
std::size_t allowed(std::size_t megabytes) {
  constexpr std::size_t others = 60;  // whatever the length of the message
  return (is_long() || megabytes <= others ? megabytes : others + (megabytes - others) / 4) * 1'000'000;
}

const std::string system_call = "/webapi/entry.cgi?api=SYNO.Core.System&version=1&method=info";

struct Attack {
  std::string name;
  std::string query;                    ///< added to the target of the call
  std::function<std::string()> body{};  ///< body of a POST; without it, a GET
  std::string type = "application/x-www-form-urlencoded";
  double seconds = 20;        ///< on a slow, loaded machine; normally a tenth of it
  std::size_t megabytes = 0;  ///< memory that the recorder may use in addition in a long run
  std::string said{};         ///< text in the report
};

std::string many_ids(std::size_t count) {
  std::string form;
  for (std::size_t i = 0; i < count; ++i) {
    form += (i == 0 ? "" : "&") + std::string("_sid=Ab3dEf7hIj") + std::to_string(1'000'000 + i) + "kLmN0p";
  }
  return form;
}

/// Returns the form of a nested compound with up to `levels` levels and about `most` bytes. Each level quotes the next.
std::string nested_compound(std::size_t levels, std::size_t most) {
  std::string inner = R"([{"api":"SYNO.Core.System","version":1,"method":"info"}])";
  for (std::size_t i = 0; i < levels && inner.size() * 2 < most; ++i) {
    std::string quoted;
    for (const char c : inner) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    inner = R"([{"api":"SYNO.Entry.Request","version":1,"method":"request","compound":")" + quoted + "\"}]";
  }
  std::string form = "compound=";
  for (const char c : inner) {
    form += c == '"' ? "%22" : c == '\\' ? "%5C" : std::string(1, c);
  }
  return form;
}

const std::vector<Attack>& attacks() {
  static const std::vector<Attack> all = {
      {"an id that is a type", "&_sid=application/json"},
      {"an id that is JSON", "&_sid=%22success%22%3Atrue%7D"},
      {"an id that is a key", "&_sid=firmware_ver"},
      {"an id that is a word", "&_sid=temperature"},
      {"a password that is a flag", "&passwd=true"},
      {"a password that is an API", "&passwd=SYNO.Core.System"},
      {"a token that ends lines", "&SynoToken=%0d%0a%0d%0a"},
      {"a hundred thousand ids in one form", "", [] { return many_ids(100'000); }, "application/x-www-form-urlencoded",
       60, 300, "99000 secrets are above the limit of searched secrets (1000 per request"},
      {"a long parameter", "", [] { return "note=" + std::string(large, 'x'); },
       "application/x-www-form-urlencoded", 60, 200},
      {"a long password", "", [] { return "passwd=" + std::string(large, 'x'); },
       "application/x-www-form-urlencoded", 60, 200},
      {"escapes", "",
       [] {
         std::string form = "note=";
         while (form.size() < large) form += "%25";
         return form;
       },
       "application/x-www-form-urlencoded", 60, 260},
      {"brackets", "", [] { return std::string(large, '['); }, "application/json", 60, 260},
      {"objects", "",
       [] {
         std::string json;
         while (json.size() < large) json += R"({"a":)";
         return json;
       },
       "application/json", 60, 260},
      {"compounds in compounds", "&compound=", [] { return nested_compound(20, 730'000); },
       "application/x-www-form-urlencoded", 60, 300},
  };
  return all;
}

class Recording {
 public:
  Recording() : cassette_(folder_ / "attacked.cassette") {
    server_ = std::make_unique<Server>(folder_.path(),
                                       std::vector<std::string>{"record", "--device", device_.url(), cassette_});
  }
  [[nodiscard]] Reply ask(const std::string& query, const std::string& body_file = {},
                          const std::string& type = {}) const {
    std::vector<std::string> arguments = {server_->url() + system_call + query};
    if (!body_file.empty()) {
      arguments.insert(arguments.end(), {"--max-time", "120", "-H", "Content-Type: " + type, "-H",
                                         "Expect:", "--data-binary", "@" + body_file});
    }
    return curl(arguments);
  }
  [[nodiscard]] std::size_t peak() const { return memory_of(server_->child().pid(), "VmHWM"); }
  [[nodiscard]] int stop() const { return server_->stop(); }
  [[nodiscard]] std::string report() const { return server_->child().out(); }
  [[nodiscard]] const TempDir& folder() const { return folder_; }
  [[nodiscard]] const std::string& cassette() const { return cassette_; }

 private:
  TempDir folder_;
  Device device_;
  std::string cassette_;
  std::unique_ptr<Server> server_;
};

}  // namespace

TEST_CASE("attacks: each request gets a response in bounded time and memory and changes nothing else") {
  const std::vector<Attack>& all = attacks();
  for (std::size_t i = 0; i < all.size(); i += is_long() ? 1 : 3) {
    const Attack& attack = all[i];
    CAPTURE(attack.name);
    const Recording recording;
    const Reply before = recording.ask("&canary=1");
    REQUIRE(before.status == 200);
    const std::size_t held = recording.peak();
    std::string file;
    if (attack.body) write_file(file = recording.folder() / "body", attack.body());
    const auto begin = std::chrono::steady_clock::now();
    const Reply answer = recording.ask(attack.query, file, attack.type);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const std::size_t more = recording.peak() - held;
    UNSCOPED_INFO("took " << took << " s and " << more / 1'000'000 << " MB");
    CHECK(answer.status >= 200);
    CHECK(took < attack.seconds);
    if (memory_counts && attack.megabytes > 0) CHECK(more < allowed(attack.megabytes));
    const Reply after = recording.ask("&canary=2");
    CHECK(after.status == 200);
    CHECK(recording.stop() != 1);
    CHECK_THAT(recording.report(), Catch::Contains(attack.said));
    std::filesystem::remove(recording.folder() / "body");
    Server replay(recording.folder().path(), {"replay", recording.cassette()});
    for (const auto& [query, seen] : {std::pair("&canary=1", before), std::pair("&canary=2", after)}) {
      const Reply played = curl({replay.url() + system_call + query});
      CHECK(played.body == seen.body);
      CHECK(played.header("content-type") == seen.header("content-type"));
    }
  }
}

namespace {

/// A response of a device or of an attacker in its place.
struct Answer {
  std::string name, type;
  std::function<std::string()> body;
  std::string headers{};
  double seconds = 60;
  std::size_t megabytes = 400;
  std::string said{};  ///< text in the report
};

/// Repeats `piece` up to that many bytes.
std::string filled(const std::string& piece, std::size_t bytes) {
  std::string text;
  text.reserve(bytes + piece.size());
  while (text.size() < bytes) text += piece;
  return text;
}

/// Returns JSON in a JSON string in a JSON string, which doubles its length at each level.
std::string nested_json(std::size_t most) {
  std::string inner = R"({"sid":"Ab3dEf7hIj1234567kLmN0p"})";
  while (2 * inner.size() < most) inner = nlohmann::json{{"data", inner}}.dump();
  return inner;
}

const std::vector<Answer>& answers_in_json() {
  static const std::string json = "application/json";
  static const std::vector<Answer> all = {
      {"brackets", json, [] { return std::string(large, '['); }},
      {"objects", json, [] { return filled(R"({"a":)", large); }},
      {"lists of lists", json, [] { return "[" + filled("[[[[]]]],", large) + "[]]"; }},
      {"keys that are names of secrets", json,
       [] { return "{" + filled(R"("password":"********",)", large) + R"("a":1})"; }},
      {"one long string", json, [] { return R"({"a":")" + std::string(large, 'x') + "\"}"; }},
      {"a long session id", json,
       [] { return R"({"data":{"sid":")" + std::string(large, 'x') + R"("},"success":true})"; }},
      {"escapes", json, [] { return R"({"a":")" + filled("\\u0041", large) + "\"}"; }},
      {"JSON in JSON in JSON", json, [] { return nested_json(4u << 20); }},
  };
  return all;
}

const std::vector<Answer>& answers_in_text() {
  static const std::vector<Answer> all = {
      {"percent signs in text", "text/plain", [] { return filled("%25", large); }},
      {"letters of base64", "text/plain", [] { return filled("QUJDREVGR0hJ", large); }},
      {"digits of hex", "text/plain", [] { return filled("0x41,", large); }},
      {"open tags", "text/xml", [] { return filled("<password>", large); }},
      {"parts", "multipart/form-data; boundary=XX",
       [] { return filled("--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n", large); }},
  };
  return all;
}

const std::vector<Answer>& answers_with_secrets() {
  static const std::string json = "application/json";
  static const std::vector<Answer> all = {
      {"thousands of ids", json,
       [] {
         std::string ids;
         for (int i = 0; i < (is_long() ? 100'000 : 12'000); ++i)
           ids += R"({"sid":"Ab3dEf7hIj)" + std::to_string(1'000'000 + i) + R"(kLmN0p"},)";
         return R"({"data":[)" + ids + R"({}],"success":true})";
       },
       "", 120, 400,
       std::string(is_long() ? "90000" : "2000") +
           " secrets are above the limit of searched secrets (1000 per request, 10000 per response"},
      {"a bomb", json, [] { return gzip_bomb(); }, "Content-Encoding: gzip\r\n"},
      {"a bomb as a file", "application/octet-stream", [] { return gzip_bomb(); }},
      {"hundreds of cookies", json, [] { return std::string("{}"); },
       filled("Set-Cookie: id=Ab3dEf7hIj1234567kLmN0p; path=/\r\n", 30'000), 20, 100},
  };
  return all;
}

void pass_each(const std::vector<Answer>& answers) {
  for (std::size_t i = 0; i < answers.size(); i += is_long() ? 1 : 3) {
    const Answer& attack = answers[i];
    CAPTURE(attack.name);
    const TempDir folder;
    const std::string cassette = folder / "attacked.cassette";
    ScriptedDevice device;
    const std::string fine =
        R"({"data":{"firmware_ver":"7.1","temperature":41,"words":"a session and a password"},"success":true})";
    device.answer_with(json_answer(fine));
    const std::string body = attack.body();
    device.answer_to("attack=1", answer_of("Content-Type: " + attack.type + "\r\n" + attack.headers, body));
    Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
    const auto ask = [&](const std::string& query) {
      return curl({"--max-time", std::to_string(120 * slowness), recorder.url() + call_target + query});
    };
    REQUIRE(ask("&canary=1").body == fine);
    const std::size_t held = memory_of(recorder.child().pid(), "VmHWM");
    const auto begin = std::chrono::steady_clock::now();
    const Reply answer = ask("&attack=1");
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const std::size_t more = memory_of(recorder.child().pid(), "VmHWM") - held;
    UNSCOPED_INFO("took " << took << " s and " << more / 1'000'000 << " MB");
    CHECK(answer.status == 200);
    CHECK(answer.body.size() == body.size());  // the live client gets all of it
    CHECK(took < attack.seconds);
    if (memory_counts) CHECK(more < allowed(attack.megabytes));
    CHECK(ask("&canary=2").body == fine);
    CHECK(recorder.stop() != 1);
    CHECK_THAT(recorder.child().out(), Catch::Contains(attack.said));
    Server replay(folder.path(), {"replay", cassette});
    for (const char* const query : {"&canary=1", "&canary=2"}) {
      CHECK(curl({replay.url() + call_target + query}).body == fine);
    }
  }
}

}  // namespace

TEST_CASE("attacks: a hostile JSON response passes in bounded time and memory and changes nothing else") {
  pass_each(answers_in_json());
}

TEST_CASE("attacks: a hostile response of another type passes in bounded time and memory and changes nothing else") {
  pass_each(answers_in_text());
}

TEST_CASE("attacks: a response with very many IDs or with compression passes in bounded time and memory") {
  pass_each(answers_with_secrets());
}

TEST_CASE("attacks: a file of a front end passes in bounded memory and is not recorded") {
  const TempDir folder, site;
  const std::string cassette = folder / "served.cassette";
  const std::size_t file_bytes = 16u << 20;
  write_file(site / "index.html", "<p>made up</p>");
  write_file(site / "large.json", std::string(file_bytes, '['));
  const Device device;
  Server recorder(folder.path(), {"record", "--device", device.url(), "--serve", site.path().string(), cassette});
  REQUIRE(curl({recorder.url() + "/index.html"}).status == 200);
  const std::size_t held = memory_of(recorder.child().pid(), "VmHWM");
  const Reply file = curl({"--max-time", "120", recorder.url() + "/large.json"});
  CHECK(file.body.size() == file_bytes);
  if (memory_counts) CHECK(memory_of(recorder.child().pid(), "VmHWM") - held < 100'000'000);
  CHECK(recorder.stop() == 0);
  CHECK_FALSE(std::filesystem::exists(cassette));
}

}  // namespace tapedeck::tests::attack_cases
