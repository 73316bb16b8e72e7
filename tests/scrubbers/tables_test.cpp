// Tests the tables of names: each row in a response and in a request, as JSON, form, multipart, XML, URL, and more.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "http/message/urlencoded.h"
#include "tests/scrubbers/fixtures.h"
#include "tests/support/needs.h"
#include "tests/support/test_paths.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

struct Named {
  std::string name;
  std::string value;
};
using Table = std::vector<Named>;

Table table(const std::string& file) {
  std::ifstream in(std::string(tapedeck::tests::source_folder) + "/tests/scrubbers/tables/" + file);
  Table rows;
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = line.find('\t');
    if (line.starts_with('#') || tab == std::string::npos) continue;
    rows.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return rows;
}

const std::string planted_write = "/webapi/entry.cgi?api=SYNO.Core.Planted&version=1&method=set";
const std::string planted_read = "/webapi/entry.cgi?api=SYNO.Core.Planted&version=1&method=get";

std::string quoted(const std::string& text) { return "\"" + encode(text, "json") + "\""; }

/// Returns a name that is valid as an XML tag.
std::string tag_of(std::string name) {
  while (!name.empty() && !base::is_letter(name.front())) name.erase(0, 1);
  for (char& c : name) {
    if (c == '[') c = '.';
  }
  std::erase(name, ']');
  while (name.ends_with('.')) name.pop_back();
  return name;
}

using Row = std::function<std::string(const Named&)>;
std::string joined(const Table& rows, const std::string& before, const std::string& between, const std::string& after,
                   const Row& row) {
  std::string text = before;
  for (std::size_t i = 0; i < rows.size(); ++i) text += (i > 0 ? between : "") + row(rows[i]);
  return text + after;
}

std::string form_of(const Table& rows) {
  return joined(rows, "", "&", "", [](const Named& row) {
    return http::percent_encode(row.name) + "=" + http::percent_encode(row.value);
  });
}

std::string url_of(const Table& rows, int levels) {
  return joined(rows, "", "&", "", [levels](const Named& row) {
    std::string url = "https://nas.example/x?" + http::percent_encode(row.name) + "=" + http::percent_encode(row.value);
    for (int i = 0; i < levels; ++i) url = http::percent_encode(url);
    return "url=" + url;
  });
}

std::string multipart_of(const Table& rows) {
  return joined(rows, "", "", "--b--\r\n", [](const Named& row) {
    return "--b\r\nContent-Disposition: form-data; name=\"" + row.name + "\"\r\n\r\n" + row.value + "\r\n";
  });
}

struct TableForm {
  std::string name;
  std::function<api::Interaction(const Table&)> make;
};

std::vector<TableForm> forms(const std::string& planted_call) {
  const auto object = [](const Table& rows) {
    return joined(rows, "{", ",", "}", [](const Named& row) { return quoted(row.name) + ":" + quoted(row.value); });
  };
  const auto pairs = [](const Table& rows) {
    return joined(rows, "[", ",", "]", [](const Named& row) {
      return R"({"key":)" + quoted(row.name) + R"(,"value":)" + quoted(row.value) + "}";
    });
  };
  const auto xml = [](const Table& rows) {
    return joined(rows, "<?xml version=\"1.0\"?><a>", "\n", "</a>", [](const Named& row) {
      return "<" + tag_of(row.name) + ">" + encode(row.value, "html") + "</" + tag_of(row.name) + ">";
    });
  };
  const auto entries = [](const Table& rows) {
    return joined(rows, "<map>", "", "</map>", [](const Named& row) {
      return "<entry key=\"" + row.name + "\">" + encode(row.value, "html") + "</entry>";
    });
  };
  const auto lines = [](const Table& rows) {
    return joined(rows, "", "\n", "\n", [](const Named& row) { return row.name + "=" + row.value; });
  };
  const auto answer = [=](std::string type, const std::string& body) {
    api::Interaction made = get(planted_call, body);
    made.response.headers.set("Content-Type", std::move(type));
    return made;
  };
  const std::string json = "application/json";
  return {
      {"a JSON answer", [=](const Table& rows) { return get(planted_call, R"({"data":)" + object(rows) + "}"); }},
      {"pairs in a JSON answer", [=](const Table& rows) { return get(planted_call, pairs(rows)); }},
      {"JSON in a JSON string",
       [=](const Table& rows) { return get(planted_call, R"({"msg":)" + quoted(object(rows)) + "}"); }},
      {"lines in a JSON string",
       [=](const Table& rows) { return get(planted_call, R"({"env":)" + quoted(lines(rows)) + "}"); }},
      {"URLs in a JSON answer",
       [=](const Table& rows) {
         return get(planted_call, joined(rows, "[", ",", "]", [](const Named& row) {
                      return quoted("https://nas.example/x?a=1&" + http::percent_encode(row.name) + "=" +
                                    http::percent_encode(row.value) + "&b=2");
                    }));
       }},
      {"an XML answer", [=](const Table& rows) { return answer("text/xml", xml(rows)); }},
      {"XML entries in an answer", [=](const Table& rows) { return answer("application/xml", entries(rows)); }},
      {"lines in an answer", [=](const Table& rows) { return answer("text/plain", lines(rows)); }},
      {"a query", [=](const Table& rows) { return get(planted_call + "&" + form_of(rows)); }},
      {"a form",
       [=](const Table& rows) { return post(planted_call, "application/x-www-form-urlencoded", form_of(rows)); }},
      {"a multipart request",
       [=](const Table& rows) { return post(planted_call, "multipart/form-data; boundary=b", multipart_of(rows)); }},
      {"a JSON request", [=](const Table& rows) { return post(planted_call, json, object(rows)); }},
      {"pairs in a JSON request", [=](const Table& rows) { return post(planted_call, json, pairs(rows)); }},
      {"JSON in a parameter",
       [=](const Table& rows) { return get(planted_call + "&settings=" + http::percent_encode(object(rows))); }},
      {"an XML request", [=](const Table& rows) { return post(planted_call, "text/xml", xml(rows)); }},
      {"URLs in a form",
       [=](const Table& rows) { return post(planted_call, "application/x-www-form-urlencoded", url_of(rows, 1)); }},
      {"URLs in URLs in a query", [=](const Table& rows) { return get(planted_call + "&" + url_of(rows, 3)); }},
      {"matrix parameters",
       [](const Table& rows) {
         return get("/x" + joined(rows, ";", ";", "/y",
                                  [](const Named& row) { return row.name + "=" + http::percent_encode(row.value); }));
       }},
  };
}

/// Returns the rows of the table that are still readable, as "name=value".
std::vector<std::string> left_of(const Table& rows, const InteractionRecord& record) {
  const std::string text = all_of(record);
  std::vector<std::string> left;
  for (const Named& row : rows) {
    for (const std::string& spelling : {row.value, http::percent_encode(row.value), encode(row.value, "json")}) {
      if (text.find(spelling) == std::string::npos) continue;
      left.push_back(row.name + "=" + row.value);
      break;
    }
  }
  return left;
}

std::string difference(const api::Interaction& given, const InteractionRecord& stored) {
  if (stored.completeness != api::Completeness::complete) return "withheld: " + stored.reason;
  for (const Redaction& row : stored.redactions) {
    const std::string text = part_of(stored, row.part);
    const std::size_t from = row.offset > 60 ? row.offset - 60 : 0;
    return line_of(row) + " in …" + text.substr(from, row.offset - from + 30);
  }
  const bool same = stored.request.target == given.request.target && stored.request.body == given.request.body &&
                    stored.response.body == given.response.body;
  return same ? "" : "changed";
}

}  // namespace

TEST_CASE("tables: in the published responses of real devices exactly these places are replaced") {
  const std::filesystem::path folder = std::string(tapedeck::tests::source_folder) + "/../shared/data/device-answers";
  if (tests::is_missing("device-answers", std::filesystem::is_directory(folder))) return;
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.insert(entry.path());
  }
  std::string said;
  for (const std::filesystem::path& file : files) {
    const std::string name = file.stem().string();
    std::ifstream in(file);
    const std::string body((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    std::string operation = name;
    for (const char* const variant : {".2", ".error", ".code-needed", ".with-code"}) {
      if (operation.ends_with(variant)) operation.resize(operation.rfind('.'));
    }
    const std::size_t dot = operation.rfind('.');
    const std::string api = operation.substr(0, dot);
    const std::string method = operation.substr(dot + 1);
    Scrubber scrubber({});
    const InteractionRecord record =
        scrubber.scrub(get("/webapi/entry.cgi?api=" + api + "&version=1&method=" + method, body)).record();
    CHECK(record.completeness == api::Completeness::complete);
    for (const Redaction& row : record.redactions) {
      said += name + " " + std::string(to_string(row.part)) + " " + std::to_string(row.offset) + " " + row.rule + "\n";
    }
  }
  std::ifstream golden(std::string(tapedeck::tests::source_folder) + "/tests/scrubbers/tables/device_answers.golden");
  const std::string expected((std::istreambuf_iterator<char>(golden)), std::istreambuf_iterator<char>());
  CHECK(said == expected);
}

TEST_CASE("tables: values under names of secrets are replaced in every form of requests and responses") {
  const Table rows = table("secret_names.tsv");
  REQUIRE(rows.size() >= 250);
  for (const TableForm& form : forms(planted_write)) {
    INFO(form.name);
    Scrubber scrubber({});
    const InteractionRecord record = scrubber.scrub(form.make(rows)).record();
    CHECK(record.completeness == api::Completeness::complete);
    CHECK(left_of(rows, record) == std::vector<std::string>());
    CHECK(rows_fit(record));
  }
}

TEST_CASE("tables: without the rules for names, the same search finds the secrets") {
  const Table rows = table("secret_names.tsv");
  ScrubberOptions options;
  const RuleSet shipped = RuleSet::defaults();
  for (const ScrubRule& rule : shipped.rules()) options.rules.disable(rule.id);
  for (const TableForm& form : forms(planted_write)) {
    INFO(form.name);
    Scrubber scrubber(options);
    const bool deep = form.name.starts_with("URLs in") || form.name == "JSON in a JSON string";
    const std::size_t left = left_of(rows, scrubber.scrub(form.make(rows)).record()).size();
    CHECK(left > (deep ? rows.size() / 4 : rows.size() * 9 / 10));
  }
}

TEST_CASE("tables: look-alikes stay byte for byte in every form of requests and responses") {
  Table rows = table("look_alikes.tsv");
  REQUIRE(rows.size() >= 400);
  const bool is_private = GENERATE(false, true);
  CAPTURE(is_private);
  // Not a secret, but private.
  if (is_private) CHECK(std::erase_if(rows, [](const Named& row) { return row.name == "fingerprint"; }) == 1);
  for (const TableForm& form : forms(planted_read)) {
    INFO(form.name);
    ScrubberOptions options;
    if (is_private) options.profile = std::make_shared<PrivateProfile>(PrivateOptions{});
    Scrubber scrubber(options);
    // One at a time, so that a failure names its row.
    for (std::size_t at = 0; at < rows.size(); at += 8) {
      const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(at);
      const Table some(begin, begin + static_cast<std::ptrdiff_t>(std::min<std::size_t>(8, rows.size() - at)));
      const api::Interaction given = form.make(some);
      CHECK(difference(given, scrubber.scrub(given).record()) == "");
    }
  }
}

TEST_CASE("tables: a value that looks like a label or template is a password in a write or login") {
  const std::string read = planted_read, write = planted_write;
  for (const std::string value :
       {"MySecretPassword", "correct horse token staple", "Enter your password", "${SECRET}"}) {
    CAPTURE(value);
    const std::string form =
        "new_password=" + http::percent_encode(value) + "&smtp_passwd=" + http::percent_encode(value);
    const std::string json = R"({"new_password":)" + quoted(value) + R"(,"smtp_passwd":)" + quoted(value) + "}";
    for (const std::string& call : {write, login_path}) {
      for (const api::Interaction& sent :
           {get(call + "&" + form), post(call, "application/x-www-form-urlencoded", form),
            post(call, "application/json", json), get(call + "&data=" + http::percent_encode(json))}) {
        Scrubber scrubber({});
        const InteractionRecord record = scrubber.scrub(sent).record();
        CHECK(left_of({{"new_password", value}}, record) == std::vector<std::string>());
        CHECK(record.redactions.size() == 2);
      }
    }
    Scrubber scrubber({});
    CHECK(difference(get(read + "&smtp_passwd=" + http::percent_encode(value)),
                     scrubber.scrub(get(read + "&smtp_passwd=" + http::percent_encode(value))).record()) == "");
    CHECK(difference(get(write, json), scrubber.scrub(get(write, json)).record()) == "");
  }
}
