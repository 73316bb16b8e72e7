#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>

#include "cassettes/finish/rewrite.h"
#include "cassettes/read/content_hash.h"
#include "tests/support/cassette_fixture.h"
#include "tests/support/needs.h"
#include "tests/tools/any_traffic.h"
#include "tools/content/plain_text.h"
#include "tools/exchange/import_error.h"
#include "tools/exchange/jsonl_export.h"
#include "tools/exchange/jsonl_import.h"
#include "tools/exchange/text_export.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteReader;

namespace {

std::string review_of(const std::string& path) {
  std::ostringstream out;
  tools::export_review(CassetteReader(path), {}, out);
  return out.str();
}

std::string all_of(const std::string& path) {
  std::ostringstream out;
  tools::export_jsonl(path, {}, out);
  return out.str();
}

void import_into(const std::string& text, const std::string& path) {
  std::istringstream in(text);
  const auto material = tools::jsonl_material(in, {});
  scrubbers::Scrubber scrubber({});
  cassettes::RewriteOptions options;
  options.scrubber = &scrubber;
  const cassettes::FinishReport report = cassettes::write_new(path, *material, options);
  if (!report.finished) throw std::runtime_error("not imported: " + report.failure);
}

std::string imported_hash(const std::string& path) { return cassettes::content_hash(CassetteReader(path)); }

std::vector<std::string> ids_of(const std::string& path) {
  std::vector<std::string> ids;
  CassetteReader(path).list([&](const cassettes::ListedInteraction& line) {
    ids.push_back(line.id + " " + std::to_string(line.take) + " " + std::to_string(line.lane) + " " +
                  std::to_string(line.position) + " " + std::to_string(line.started_us));
    return true;
  });
  return ids;
}

}  // namespace

TEST_CASE("escaped lines: any bytes become one printable line") {
  const std::pair<std::string, std::string> rows[] = {
      {"plain λ", "plain λ"},
      {"a\\b", "a\\\\b"},
      {std::string("\0\n", 2), "\\x00\\x0a"},
      {"\xff\xc3", "\\xff\\xc3"},
      {"end ", "end\\x20"},
      {"\u202e", "\\xe2\\x80\\xae"},
      {"\u061c", "\\xd8\\x9c"},
      {"\u0085", "\\xc2\\x85"},
      {"", ""},
      {" ", "\\x20"},
  };
  for (const auto& [bytes, text] : rows) CHECK(tools::escape_line(bytes) == text);
  CHECK(tools::escape_word("a b") == "a\\x20b");
}

TEST_CASE("json lines: export and import keep hash, IDs, lanes, places, and times of any recording") {
  for (std::uint32_t seed = 1; seed <= (tests::is_long() ? 40 : 8); ++seed) {
    INFO("seed " << seed);
    Traffic traffic(seed);
    TestCassette cassette;
    cassettes::Take info = fixture_take();
    info.note = "a note \\ {{with}} \xce\xbb";
    for (std::uint32_t take = 0; take <= seed % 3; ++take) {
      info.started_us += 60'000'000;
      record_take(cassette.path(), traffic.take(20), info);
    }
    const std::string text = all_of(cassette.path());
    const std::string copy = cassette.folder().file("copy.cassette");
    import_into(text, copy);
    REQUIRE(imported_hash(copy) == imported_hash(cassette.path()));
    REQUIRE(ids_of(copy) == ids_of(cassette.path()));
    const auto after_path = [](std::string lines, const std::string& path) {
      for (std::size_t at = lines.find(path); at != std::string::npos; at = lines.find(path))
        lines.erase(at, path.size());
      return lines;
    };
    REQUIRE(after_path(all_of(copy), copy) == after_path(text, cassette.path()));
    REQUIRE(review_of(copy) == review_of(cassette.path()));
  }
}

TEST_CASE("text form: two recordings of the same traffic with other IDs have the same hash and text") {
  // The alphabets of the IDs differ, too, so one needs escapes where another does not.
  const auto recorded = [](const std::string& sid, const std::string& token, std::int64_t at) {
    cassettes::Take info = fixture_take();
    info.started_us = at;
    std::vector<Recorded> rows;
    rows.push_back(record("SVC.API.Auth/6/login?account=ann&passwd=Zx9-fixture-pass!7",
                          R"({"data":{"sid":")" + sid + R"(","synotoken":")" + token + R"("},"success":true})"));
    rows.push_back(record("SVC.Core.Network/1/get", R"({"data":{"me":")" + sid + R"("},"success":true})", sid));
    rows.push_back(record("SVC.Core.Share/1/list", ok, sid).with_request_header("X-SYNO-TOKEN", token));
    rows.push_back(record("SVC.Core.Share/1/list?at=" + sid, ok, sid));
    std::int64_t next = at;
    for (Recorded& row : rows) {
      next += 1000 + static_cast<std::int64_t>(sid.size());
      row = std::move(row).at(next, next + 77);
    }
    return cassette_with(std::move(rows), info);
  };
  const auto one = recorded("aB3dE6gH9jK2mN5pQ8sT1vW4", "Kx7Qm2Vt9Rb4", fixture_start_us);
  const auto other = recorded("x_Y-z.1~K2mN5pQ8sT-v_4qq", "Zp3-Wn8_Lc6.", fixture_start_us + 86'400'000'000);
  CHECK(imported_hash(one.path()) == imported_hash(other.path()));
  CHECK(review_of(one.path()) == review_of(other.path()));
  CHECK(all_of(one.path()) != all_of(other.path()));
}

TEST_CASE("text form: has the documented layout") {
  const auto cassette = cassette_with({
      login("ann", "aB3dE6gH9jK2mN5pQ8sT1vW4"),
      record("SVC.Core.Network/1/get", R"({"data":{"ip":"192.0.2.7","dns":[]},"success":true})",
             "aB3dE6gH9jK2mN5pQ8sT1vW4"),
      record("SVC.Core.Share/1/delete?name=a", ok, "aB3dE6gH9jK2mN5pQ8sT1vW4").in_scope("share goes"),
      record_target("GET", "/boot.js", "var a = '\\n';\nrun(a);\n").with_status(200, "OK"),
  });
  CHECK(review_of(cassette.path()) == R"(tapedeck text 1

interaction GET /boot.js
  > GET /boot.js HTTP/1.1
  < 200 OK
  < Content-Type: application/json; charset="UTF-8"
  < body text
    |var a = '\\n';
    |run(a);
    |

interaction SVC.API.Auth/6/login?format
  in session 1, lane 1, account 1
  > GET /webapi/entry.cgi?api=SVC.API.Auth&version=6&method=login&account={{ACCOUNT.0}}&passwd={{PASSWORD.0}}&format=sid HTTP/1.1
  < 200 OK
  < Content-Type: application/json; charset="UTF-8"
  < body json
    {
      "data": {
        "sid": "{{session.id}}"
      },
      "success": true
    }

interaction SVC.Core.Network/1/get
  in session 1, lane 1
  > GET /webapi/entry.cgi?api=SVC.Core.Network&version=1&method=get&_sid={{session.id}} HTTP/1.1
  < 200 OK
  < Content-Type: application/json; charset="UTF-8"
  < body json
    {
      "data": {
        "ip": "192.0.2.7",
        "dns": []
      },
      "success": true
    }

interaction SVC.Core.Share/1/delete?name=a
  in scope share goes, session 1, lane 1
  changes the device
  > GET /webapi/entry.cgi?api=SVC.Core.Share&version=1&method=delete&name=a&_sid={{session.id}} HTTP/1.1
  < 200 OK
  < Content-Type: application/json; charset="UTF-8"
  < body json
    {
      "success": true
    }
)");
}

TEST_CASE("text form: binary bodies appear as their size and hash") {
  const auto cassette = cassette_with({record_target("GET", "/a.bin", std::string("\0\1\2\3", 4))});
  CHECK(review_of(cassette.path())
            .find("  < body of 4 bytes, sha256 054edec1d0211f624fed0cbca9d4f9400b0e491c43742af2c5b0a"
                  "bebf0c990d8\n") != std::string::npos);
}

TEST_CASE("json lines: edited lines are scrubbed, and an error has its line") {
  constexpr std::string_view sid = "aB3dE6gH9jK2mN5pQ8sT1vW4";
  const auto cassette = cassette_with({
      login("ann", sid),
      record("SVC.Core.Network/1/get", R"({"data":{"ip":"192.0.2.7","me":")" + std::string(sid) + R"("}})", sid),
  });
  const std::string lines = all_of(cassette.path());
  const auto with = [&](std::string_view old, std::string_view instead) {
    std::string changed = lines;
    const std::size_t at = changed.find(old);
    REQUIRE(at != std::string::npos);
    changed.replace(at, old.size(), instead);
    return changed;
  };
  int count = 0;
  const auto problem = [&](const std::string& broken) -> std::string {
    const std::string path = cassette.folder().file("broken" + std::to_string(++count));
    try {
      import_into(broken, path);
    } catch (const tools::ImportError& error) {
      CHECK_FALSE(std::filesystem::exists(path));
      return error.what();
    }
    return "";
  };
  CHECK(problem("").find("the file is incomplete") != std::string::npos);
  CHECK(problem(lines.substr(0, lines.find(R"({"kind":"end")"))).find("the file is incomplete") != std::string::npos);
  CHECK(problem(with("\"ord\":1", "\"ord\":")).starts_with("line 2, column "));
  CHECK(problem(with("\"ord\":1", "\"ord\":-1")).starts_with("line 2, column 1: \"ord\""));
  CHECK(problem(with("\"key\":\"SVC.Core.Network/1/get", "\"key\":\"SVC.Core.Network/2/get"))
            .find("does not fit the request, whose key is SVC.Core.Network/1/get") != std::string::npos);
  CHECK(problem(with("192.0.2.7", "192.0.2.17")).find("is not at its placeholder") != std::string::npos);
  CHECK(problem(with(R"("encoding":"")", R"("encoding":"rot13")")).find("unknown encoding of redactions: rot13") !=
        std::string::npos);
  CHECK(problem(with("\"kind\":\"interaction\"", "\"kind\":\"other\"")).find("unknown kind of line") !=
        std::string::npos);

  const std::string edited = cassette.folder().file("edited");
  import_into(with("192.0.2.7", "192.0.2.8"), edited);
  CHECK(review_of(edited).find("192.0.2.8") != std::string::npos);
  const std::string scrubbed = cassette.folder().file("scrubbed");
  import_into(with(R"(<SESSION_ID>\"}})", R"(<SESSION_ID>\",\"sid\":\"new-Secret_Value-0123456789\"}})"), scrubbed);
  CHECK(review_of(scrubbed).find("new-Secret_Value") == std::string::npos);
}
