// Tests exports, imports, and recorded requests as shell commands.

#include <catch2/catch.hpp>

#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "api/scope_name.h"
#include "base/utf8.h"
#include "tests/support/cassette_fixture.h"
#include "tools/content/plain_text.h"
#include "tools/curl_command.h"
#include "tools/exchange/har_export.h"
#include "tools/exchange/har_import.h"
#include "tools/exchange/jsonl_export.h"
#include "tools/exchange/text_export.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using Words = std::vector<std::string>;

namespace {

std::string entry_with(int status) {
  return R"({"startedDateTime":"2026-01-01T12:00:00Z","time":3,"request":{"method":"GET","headers":[],)"
         R"("url":"http://nas.example/webapi/entry.cgi?api=SVC.A&version=1&method=get&status=)" +
         std::to_string(status) + R"("},"response":{"status":)" + std::to_string(status) +
         R"(,"headers":[],"content":{"text":"{\"success\":true}"}}})";
}

scrubbers::InteractionRecord request_of(std::string method, std::string target, std::string body = {}) {
  scrubbers::InteractionRecord record;
  record.request.method = std::move(method);
  record.request.target = std::move(target);
  record.request.body = std::move(body);
  return record;
}

/// Returns the arguments that a shell passes to the program.
Words words_of(const std::string& command) {
  const std::string script =
      "curl() { for word; do printf '%s\\000' \"$word\"; done; }; TAPEDECK_URL=http://nas.example; ";
  const std::unique_ptr<FILE, int (*)(FILE*)> shell(popen((script + command).c_str(), "r"), pclose);
  REQUIRE(shell);
  Words words(1);
  for (int c = std::fgetc(shell.get()); c != EOF; c = std::fgetc(shell.get())) {
    if (c == 0) {
      words.emplace_back();
    } else {
      words.back() += static_cast<char>(c);
    }
  }
  words.pop_back();
  return words;
}

std::string word_after(const Words& words, std::string_view option) {
  const auto found = std::find(words.begin(), words.end(), option);
  return found == words.end() || found + 1 == words.end() ? "missing" : *(found + 1);
}

const char* const hostile_texts[] = {
    "@/etc/hostname",
    "<body",
    "-o/tmp/x",
    "'; id; '",
    "$(id)",
    "`id`",
    "\"${HOME}\"",
    "\\",
    "\\'",
    "a\xc2\x9b"
    "2Jb",
    "\xe2\x80\xae"
    "tuo",
    "\x7f",
    "two\nlines\tand a tab\n",
    "!!",
    "%s%n",
    "*",
    "~",
    "{a,b}[1-9]",
    "=",
    "name@file",
};

}  // namespace

TEST_CASE("export: a scope has the name of ls in every format") {
  for (const std::string name : {"login fails", "50% of #2; all"}) {
    CAPTURE(name);
    const auto cassette = cassette_with({record("SVC.A/1/get", ok).in_scope(name)});
    const cassettes::CassetteReader reader(cassette.path());
    const std::string shown = api::shown_scope(name);
    std::ostringstream lines, har, review;
    tools::export_jsonl(cassette.path(), {}, lines);
    std::istringstream each(lines.str());
    std::string line;
    std::getline(each, line);  // the line of the cassette
    std::getline(each, line);
    CHECK(nlohmann::json::parse(line).at("scope") == shown);
    tools::HarExport archive(har, "http://nas.example");
    archive.add(reader, {});
    archive.end();
    CHECK(nlohmann::json::parse(har.str())["log"]["entries"][0].at("_tapedeck_scope") == shown);
    tools::export_review(reader, {}, review);
    CHECK(review.str().find("scope " + shown) != std::string::npos);
  }
}

TEST_CASE("export: is_plain_text accepts text that editors and shells can handle") {
  const std::pair<std::string, bool> rows[] = {
      {"", true},      {"a\tb\n", true},   {"\xc3\xa9", true}, {"\x7f", true},
      {"a\rb", false}, {"\x1b[2J", false}, {"\xc3", false},    {std::string(1, '\0'), false},
      {"\xff", false},
  };
  for (const auto& [bytes, is_plain] : rows) {
    CAPTURE(bytes);
    CHECK(tools::is_plain_text(bytes) == is_plain);
  }
}

TEST_CASE("import: only responses with a final status can be played") {
  using api::Completeness;
  const std::map<int, Completeness> expected = {
      {-1, Completeness::broken},    {0, Completeness::broken},     {1, Completeness::withheld},
      {99, Completeness::withheld},  {100, Completeness::withheld}, {101, Completeness::withheld},
      {103, Completeness::withheld}, {199, Completeness::withheld}, {200, Completeness::complete},
      {404, Completeness::complete}, {599, Completeness::complete}, {600, Completeness::withheld},
      {999, Completeness::withheld}, {1000, Completeness::broken},
  };
  std::string entries;
  for (const auto& [status, unused] : expected) entries += (entries.empty() ? "" : ",") + entry_with(status);
  const TestFolder folder;
  const std::string path = folder.file("x.cassette");
  const tools::HarImport imported = tools::import_har(R"({"log":{"entries":[)" + entries + "]}}", path, {});
  REQUIRE(imported.report.finished);
  CHECK(imported.broken.size() == 3);
  const cassettes::CassetteReader reader(path);
  for (const auto& [status, completeness] : expected) {
    CAPTURE(status);
    const auto sequences = reader.sequences("SVC.A/1/get?status=" + std::to_string(status));
    REQUIRE(sequences.size() == 1);
    CHECK(sequences.front().count == (completeness == Completeness::complete ? 1 : 0));
    reader.list([&](const auto& line) {
      if (line.key == "SVC.A/1/get?status=" + std::to_string(status)) CHECK(line.completeness == completeness);
      return true;
    });
  }
}

TEST_CASE("show --curl: a body is sent unchanged, whatever its beginning") {
  for (const std::string body : hostile_texts) {
    CAPTURE(body);
    const std::string command = tools::curl_command(request_of("POST", "/webapi/entry.cgi", body));
    const Words words = words_of(command);
    CHECK(word_after(words, "--data-raw") == body);
    CHECK(words.back() == "http://nas.example/webapi/entry.cgi");
    for (std::string_view rest = command; !rest.empty();) {
      const base::Utf8Front front = base::utf8_front(rest);
      REQUIRE(front.length > 0);
      CHECK((!base::turns_or_breaks(front.code_point) || front.code_point == '\n' || front.code_point == '\t'));
      rest.remove_prefix(front.length);
    }
  }
  const Words binary = words_of(tools::curl_command(request_of("POST", "/", std::string("@\0\r\n", 4))));
  CHECK(word_after(binary, "--data-binary") == "@-");
}

TEST_CASE("show --curl: curl takes method, target, and headers literally") {
  for (const std::string target : {"/a'b", "/$(id)", "/`id`", "/{a,b}[1-9]?x=[2]", "/a/../b/./c", "//evil.example/x",
                                   "/@evil.example", "/\xe2\x80\xae", "/a\\b", "/?a=b&c;d|e>f"}) {
    CAPTURE(target);
    const Words words = words_of(tools::curl_command(request_of("GET", target)));
    CHECK(words.back() == "http://nas.example" + target);
    CHECK(words.at(0) == "-sSg");  // disables patterns of braces and brackets
    CHECK(words.at(1) == "--path-as-is");
  }
  scrubbers::InteractionRecord record = request_of("`id`", "/");
  record.request.headers = {{"X-Note", "@/etc/hostname"}, {"X-Empty", ""}, {"X-Quote", "it's $(id)"}};
  const Words words = words_of(tools::curl_command(record));
  CHECK(word_after(words, "-X") == "`id`");
  const Words headers{"X-Note: @/etc/hostname", "X-Empty;", "X-Quote: it's $(id)"};
  for (const std::string& header : headers) CHECK(std::find(words.begin(), words.end(), header) != words.end());
}

TEST_CASE("show --curl: a request for another host or a file has no command") {
  for (const std::string target : {"", "@evil.example/x", ".evil.example/", ":80@evil.example/", "evil.example:443",
                                   "*", "http://evil.example/", "/a b", "/a#b", "/a\r\nb", "/a\x1b[2J", "/\x7f"}) {
    CAPTURE(target);
    CHECK_THROWS_AS((void)tools::curl_command(request_of("GET", target)), std::invalid_argument);
  }
  for (const std::string method : {"", "GET /x", "GET\n", "G\xc3\xa9T"}) {
    CAPTURE(method);
    CHECK_THROWS_AS((void)tools::curl_command(request_of(method, "/")), std::invalid_argument);
  }
  for (const http::Header& header :
       {http::Header{"@/etc/passwd", "x"}, http::Header{"", "x"}, http::Header{"X", "a\nb"}}) {
    CAPTURE(header.name, header.value);
    scrubbers::InteractionRecord record = request_of("GET", "/");
    record.request.headers = {header};
    CHECK_THROWS_AS((void)tools::curl_command(record), std::invalid_argument);
  }
}
