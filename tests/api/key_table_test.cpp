// Compares docs/matching.md, "What keys leave out", with the code.

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "http/message/urlencoded.h"
#include "tests/api/requests.h"
#include "tests/support/test_paths.h"

namespace tapedeck::api {
namespace {

std::vector<std::string> table_lines() {
  std::ifstream file(std::string(tests::source_folder) + "/docs/matching.md");
  std::vector<std::string> lines;
  bool is_inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) is_inside = line.find("What keys leave out") != std::string::npos;
    if (is_inside && line.starts_with("| ")) lines.push_back(line);
  }
  return lines;
}

/// Returns the texts between backticks.
std::vector<std::string> quoted_texts(const std::string& line) {
  std::vector<std::string> texts;
  for (std::size_t at = line.find('`'); at != std::string::npos;) {
    const std::size_t end = line.find('`', at + 1);
    texts.push_back(line.substr(at + 1, end - at - 1));
    at = line.find('`', end + 1);
  }
  return texts;
}

/// Returns every text on the left and right of ` = `.
std::vector<std::pair<std::string, std::string>> equal_texts(const std::string& line) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t at = line.find("` = `"); at != std::string::npos; at = line.find("` = `", at + 1)) {
    const std::size_t begin = line.rfind('`', at - 1), end = line.find('`', at + 5);
    pairs.emplace_back(line.substr(begin + 1, at - begin - 1), line.substr(at + 5, end - at - 5));
  }
  return pairs;
}

/// Percent-encodes bytes that a target must not contain.
std::string key_with(const std::string& query) {
  std::string sent;
  for (const char c : query) {
    const bool is_plain = std::string_view("\"[]{}, ").find(c) == std::string_view::npos;
    sent += is_plain ? std::string(1, c) : http::percent_encode(std::string_view(&c, 1));
  }
  const std::string method = query.starts_with("method=") ? "" : "&method=get";
  return key(get("/webapi/entry.cgi?api=SVC.X&version=1" + method + "&" + sent));
}

std::set<std::string> names_in_row(std::string_view beginning) {
  for (const std::string& line : table_lines()) {
    if (!line.starts_with(beginning)) continue;
    const auto texts = quoted_texts(line.substr(line.rfind("| `")));
    return {texts.begin(), texts.end()};
  }
  return {};
}

}  // namespace

TEST_CASE("key: leaves out exactly the documented names") {
  const KeyPolicy policy = KeyPolicy::current();
  std::set<std::string> always = names_in_row("| values of a session");
  always.merge(names_in_row("| values of a clock"));
  const std::set<std::string> of_logins = names_in_row("| account and secrets of a login");
  CHECK(always.size() == 5);
  CHECK(of_logins.size() == 13);
  std::set<std::string> all = always;
  all.insert(of_logins.begin(), of_logins.end());
  for (const char* const name : {"account", "username", "password", "mimeType", "token", "session", "id", "sid"})
    all.insert(name);
  for (const std::string& name : all) {
    CAPTURE(name);
    CHECK(policy.leaves_out(name) == always.contains(name));
    CHECK(policy.leaves_out_of_login(name) == of_logins.contains(name));
  }
  for (const std::string& name : names_in_row("| of an `API.Auth` login")) {
    CAPTURE(name);
    CHECK(key(get("/webapi/auth.cgi?api=SVC.API.Auth&version=3&method=login&" + name + "=1")) ==
          "SVC.API.Auth/3/login?" + name);
  }
}

TEST_CASE("key: requests that are documented as equal have equal keys") {
  std::size_t pairs = 0;
  for (const std::string& line : table_lines()) {
    for (const auto& [one, other] : equal_texts(line)) {
      CAPTURE(one, other);
      CHECK(key_with(one) == key_with(other));
      ++pairs;
    }
  }
  CHECK(pairs > 10);
}

}  // namespace tapedeck::api
