// Tests the journal entries for requests that the gate refused.

#include "journal/refused_entry.h"

#include <catch2/catch.hpp>

namespace tapedeck::journal {

TEST_CASE("journal: a refused request is named by its call or path without its values") {
  struct Row {
    std::string method, target, body, key, api;
  };
  const std::string form = "api=SVC.API.Auth&version=7&method=Login&account=ann&passwd=made-up";
  const std::vector<Row> rows = {
      {"GET", "/webapi/entry.cgi?api=SVC.Core.Share&version=1&method=list&_sid=made-up", "", "SVC.Core.Share/1/list",
       "SVC.Core.Share"},
      {"POST", "/webapi/entry.cgi", form, "SVC.API.Auth/7/login", "SVC.API.Auth"},
      {"GET", "/webapi/entry.cgi?_sid=made-up", "", "GET /webapi/entry.cgi", ""},
      {"GET", "/index.html?token=made-up", "", "GET /index.html", ""},
      // A piece of a value could not be found later.
      {"GET", "/a/" + std::string(190, 'x') + "/secret-value", "", "GET /a/" + std::string(190, 'x') + "/…", ""},
      {"GET", "/" + std::string(300, 'x'), "", "GET /…", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.target);
    http::Request request;
    request.method = row.method;
    request.target = row.target;
    request.body = row.body;
    if (!row.body.empty()) request.headers.add("Content-Type", "application/x-www-form-urlencoded");
    const JournalEntry entry = refused_entry(request, "--cors http://app.example allows it");
    CHECK(entry.key == row.key);
    CHECK(entry.api == row.api);
    CHECK(entry.outcome == "refused");
    CHECK(entry.status == 403);
    CHECK(entry.reason == "--cors http://app.example allows it");
    CHECK(to_json(entry).find("made-up") == std::string::npos);
  }
}

TEST_CASE("journal: names from clients are cut between words and have no control characters") {
  CHECK(readable_name("a\nb\x7f") == "a\\x0ab\\x7f");
  CHECK(readable_name(std::string(80, 'x')) == std::string(80, 'x'));
  CHECK(readable_name(std::string(81, 'x')) == "…");
  CHECK(readable_name(std::string(70, 'x') + " " + std::string(20, 'y')) == std::string(70, 'x') + " …");
}

}  // namespace tapedeck::journal
