#include "api/scope_name.h"

#include "api/scope_paths.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace tapedeck::api {

TEST_CASE("scope: a name is percent-encoded UTF-8 with an optional run") {
  const std::string longest(ScopeName::most_bytes, 'x');
  struct Row {
    std::string spelled, name;  ///< an empty name: invalid
    std::uint32_t run = 1;
  };
  const std::vector<Row> rows = {
      {"login fails", "login fails"},
      {"login%20fails", "login fails"},
      {"tests/a.py::test_x[1-%C3%A9]", "tests/a.py::test_x[1-\xc3\xa9]"},
      {"\xc3\xa9", "\xc3\xa9"},
      {"a#2", "a", 2},
      {"a%232", "a#2"},
      {"a%232#3", "a#2", 3},
      {"a;2", "a;2"},
      {"100%25", "100%"},
      {"a+b", "a+b"},
      {longest, longest},
      {longest + "#4294967295", longest, 4'294'967'295},
      {longest + "x", ""},
      {"", ""},
      {"#2", ""},
      {"a#", ""},
      {"a#0", ""},
      {"a#-1", ""},
      {"a#x", ""},
      {"a#2#3", ""},
      {"a#4294967296", ""},
      {"a%", ""},
      {"a%2", ""},
      {"a%zz", ""},
      {"a%00", ""},
      {"a%0A", ""},
      {"a%7F", ""},
      {"a%C2%85", ""},
      {"a%FF", ""},
      {"a%ED%A0%80", ""},
      {"a\tb", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.spelled);
    const auto scope = ScopeName::parse(row.spelled);
    CHECK(scope.has_value() == !row.name.empty());
    if (!scope) continue;
    CHECK(scope->name == row.name);
    CHECK(scope->run == row.run);
    CHECK(ScopeName::parse(scope->text()) == scope);
  }
}

TEST_CASE("scope: different scopes have different texts") {
  const std::vector<ScopeName> scopes = {{"a", 1}, {"a", 2}, {"a#2", 1}, {"a;2", 1}, {"a%232", 1}, {"a%23", 2}};
  for (const ScopeName& one : scopes) {
    for (const ScopeName& other : scopes) CHECK((one.text() == other.text()) == (one == other));
  }
}

TEST_CASE("scope: the header takes precedence over the first segment of the target") {
  struct Row {
    std::string header, target, scope;  ///< "400": invalid; empty: none
  };
  const std::vector<Row> rows = {
      {"", "/webapi/entry.cgi", ""},
      {"", "/~scope/a/webapi/entry.cgi", "a"},
      {"", "/~scope/a", "a"},
      {"", "/~scope/a?x=1", "a"},
      {"", "/~scope/login%20fails/", "login fails"},
      {"", "/~scope/a;2/x", "a#2"},
      {"", "/~scope/a%3B2/x", "a%3B2"},
      {"", "/~scope/a%2Fb/x", "a/b"},
      {"", "/~scope/", "400"},
      {"", "/~scope//x", "400"},
      {"", "/~scope/?a", "400"},
      {"", "/~a/webapi/entry.cgi", ""},
      {"", "/~scope", ""},
      {"", "/~scoped/a/x", ""},
      {"", "/x/~scope/a/y", ""},
      {"", "/~scope/a;/x", "400"},
      {"", "/~scope/a%/x", "400"},
      {"", "/~scope/a%0A/x", "400"},
      {"b", "/~scope/a/x", "b"},
      {"b#3", "/x", "b#3"},
      {"b", "/~scope/a%/x", "b"},
      {"b%", "/~scope/a/x", "400"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.header, row.target);
    http::Request request;
    request.target = row.target;
    if (!row.header.empty()) request.headers.add("x-tapedeck-scope", row.header);
    const RequestedScope said = scope_of(request);
    CHECK(said.is_malformed == (row.scope == "400"));
    CHECK((said.scope ? said.scope->text() : "") == (said.is_malformed ? "" : row.scope));
  }
}

TEST_CASE("scope: header and segment are removed from a request and its Referer") {
  struct Row {
    std::string target, left, segment, referer, left_referer;
  };
  const std::vector<Row> rows = {
      {"/~scope/a%20b/x?y=1", "/x?y=1", "/~scope/a%20b", "http://here:1/~scope/a%20b/page", "http://here:1/page"},
      {"/~scope/a;2?y=1", "/?y=1", "/~scope/a;2", "http://here:1/~scope/a;2", "http://here:1/"},
      {"/~scope/a", "/", "/~scope/a", "http://there/~scope/a/page", "http://there/~scope/a/page"},
      {"/x/~scope/a", "/x/~scope/a", "", "http://here:1/page", "http://here:1/page"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.target);
    http::Request request;
    request.target = row.target;
    request.headers.add("x-tapedeck-scope", "b");
    request.headers.add("Referer", row.referer);
    CHECK(take_scope_out(request, "http://here:1") == row.segment);
    CHECK(request.target == row.left);
    CHECK_FALSE(request.headers.contains(scope_header));
    CHECK(request.headers.first("Referer") == row.left_referer);
  }
}

}  // namespace tapedeck::api
