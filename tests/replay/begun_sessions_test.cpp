// Sessions that begin with another response than a login of API.Auth (docs/replay.md, "Sessions").
#include <catch2/catch.hpp>
#include <functional>

#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::record;
using testing::record_target;
using testing::Recorded;

const std::string id_ann = "md4ach79mbgrdfa4g17mhgala2", id_bob = "q8hs0v2kx51tn7zy6wcp3jfb9e";

/// A way in which an application begins and ends its sessions.
struct Kind {
  std::string name;
  std::function<Recorded(const std::string& account, const std::string& id)> begin;
  /// Returns a request of the session, and its response.
  std::function<Recorded(const std::string& id, const std::string& answer)> use;
  std::function<Recorded(const std::string& id)> end;  ///< null: the application has no logout
  bool has_account = true;
};

std::string with_data(const std::string& member, const std::string& value) {
  return R"({"data":{")" + member + R"(":")" + value + R"("},"success":true})";
}

Recorded surveillance(const std::string& path, const std::string& query, const std::string& answer) {
  return record_target("GET", "/webapi/SurveillanceStation/ThirdParty/" + path + "/v1?" + query, answer);
}

Recorded photo(const std::string& script, const std::string& api, const std::string& answer, const std::string& id) {
  auto row =
      record_target("GET", "/photo/webapi/" + script + ".php?api=SYNO.PhotoStation." + api + "&version=1", answer);
  return id.empty() ? std::move(row) : std::move(row).with_request_header("Cookie", "lang=x; PHPSESSID=" + id);
}

Recorded with_cookie(Recorded row, const std::string& cookie) {
  return std::move(row).with_request_header("Cookie", cookie);
}

Recorded entry(const std::string& call, const std::string& id, const std::string& answer) {
  return record(call, answer, id);
}

std::vector<Kind> kinds() {
  const auto use_entry = [](const std::string& id, const std::string& answer) {
    return entry("SYNO.Core.Share/1/list", id, answer);
  };
  return {
      {"a path of Surveillance Station",
       [](const auto& account, const auto& id) {
         return surveillance("Auth/Login", "account=" + account + "&passwd=Zx9-fixture-pass!7", with_data("sid", id));
       },
       [](const auto& id, const auto& answer) { return surveillance("Camera/List", "_sid=" + id, answer); },
       [](const auto& id) { return surveillance("Auth/Logout", "_sid=" + id, std::string(testing::ok)); }},
      {"a path of Surveillance Station, then calls",
       [](const auto& account, const auto& id) {
         return surveillance("Auth/Login", "account=" + account + "&passwd=Zx9-fixture-pass!7", with_data("sid", id));
       },
       [](const auto& id, const auto& answer) { return entry("SYNO.SurveillanceStation.Camera/9/List", id, answer); },
       [](const auto& id) { return surveillance("Auth/Logout", "_sid=" + id, std::string(testing::ok)); }},
      {"PhotoStation",
       [](const auto& account, const auto& id) {
         return photo("auth", "Auth&method=login&username=" + account + "&password=Zx9-fixture-pass!7",
                      with_data("sid", id), "");
       },
       [](const auto& id, const auto& answer) { return photo("album", "Album&method=list&limit=5", answer, id); },
       [](const auto& id) { return photo("auth", "Auth&method=logout", std::string(testing::ok), id); }},
      {"PhotoStation, with the ID in a cookie alone, in a form",
       [](const auto& account, const auto& id) {
         return record_target("POST", "/photo/webapi/auth.php", testing::ok)
             .with_form("api=SYNO.PhotoStation.Auth&method=photo_login&version=1&username=" + account +
                        "&password=Zx9-fixture-pass!7")
             .with_header("Set-Cookie", "PHPSESSID=" + id + "; path=/; HttpOnly");
       },
       [](const auto& id, const auto& answer) { return photo("album", "Album&method=list&limit=5", answer, id); },
       [](const auto& id) { return photo("auth", "Auth&method=logout", std::string(testing::ok), id); }},
      {"an application's login with the parameter sid",
       [](const auto& account, const auto& id) {
         return entry("SYNO.Notes.Auth/1/login?user=" + account + "&password=Zx9-fixture-pass!7", "",
                      with_data("session", id));
       },
       [](const auto& id, const auto& answer) { return entry("SYNO.Notes.Note/1/list?sid=" + id, "", answer); },
       [](const auto& id) { return entry("SYNO.Notes.Auth/1/logout?sid=" + id, "", std::string(testing::ok)); }},
      {"the guest of a share",
       [](const auto&, const auto& id) {
         return entry("SYNO.Core.Sharing.Login/1/login?sharing_id=Kb7Qm2x9T&password=Zx9-fixture-pass!7", "",
                      with_data("sharing_sid", id));
       },
       [](const auto& id, const auto& answer) {
         return with_cookie(entry("SYNO.FolderSharing.List/2/list", "", answer), "sharing_sid=" + id);
       },
       nullptr, false},
      {"a page that sets a cookie",
       [](const auto&, const auto& id) {
         return record_target("GET", "/sharing/start", "<html>welcome</html>")
             .with_header("Set-Cookie", "sharing_sid=" + id + "; path=/");
       },
       [](const auto& id, const auto& answer) {
         return with_cookie(entry("SYNO.FolderSharing.List/2/list", "", answer), "sharing_sid=" + id);
       },
       nullptr, false},
      {"a token that becomes a session's ID",
       [](const auto&, const auto& id) { return entry("SYNO.API.Auth/7/token", "", with_data("token", id)); },
       use_entry, [](const auto& id) { return entry("SYNO.API.Auth/7/logout", id, std::string(testing::ok)); }, false},
      {"a member that no rule knows",
       [](const auto&, const auto& id) { return entry("SYNO.App.Gate/1/open", "", with_data("handle", id)); },
       use_entry, [](const auto& id) { return entry("SYNO.App.Gate/1/logout", id, std::string(testing::ok)); }, false},
  };
}

/// Returns the new ID in the response of a replay.
std::string id_in(const http::Response& response) {
  for (const char* const name : {"sid", "session", "sharing_sid", "token", "handle"}) {
    if (std::string id = string_in(response.body, name); !id.empty()) return id;
  }
  const std::string_view line = response.headers.first("Set-Cookie").value_or("=;");
  const std::size_t begin = line.find('=') + 1;
  return std::string(line.substr(begin, line.find(';') - begin));
}

http::Response send(ReplayHandler& handler, const Recorded& row) { return ask(handler, row.interaction.request); }

std::string answer_to(ReplayHandler& handler, const Recorded& row) {
  return string_in(send(handler, row).body, "data");
}

constexpr std::string_view ended = R"({"error":{"code":119},"success":false})";

TEST_CASE("sessions: every response that hands out a session ID begins a session, and its logout ends it") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    std::vector<Recorded> rows = {kind.begin("ann", id_ann), kind.use(id_ann, data("shares"))};
    if (kind.end) rows.push_back(kind.end(id_ann));
    const auto cassette = cassette_with(rows);
    for (const Auth auth : {Auth::strict, Auth::lenient}) {
      CAPTURE(auth == Auth::strict);
      ReplayOptions options = playing(cassette);
      options.auth = auth;
      ReplayHandler handler(options, 1);
      if (auth == Auth::strict) CHECK(send(handler, kind.use(id_bob, "")).body == ended);
      const http::Response begun = send(handler, kind.begin("ann", "x"));
      CHECK(outcome(begun) == "recorded");
      const std::string id = id_in(begun), second = id_in(send(handler, kind.begin("ann", "x")));
      CHECK(id.size() == id_ann.size());
      CHECK(id != id_ann);
      CHECK(id != second);
      CHECK(answer_to(handler, kind.use(id, "")) == "shares");
      if (!kind.end) continue;
      CHECK(outcome(send(handler, kind.end(id))) == "recorded");
      CHECK(send(handler, kind.use(id, "")).body == ended);
      CHECK(answer_to(handler, kind.use(second, "")) == "shares");
    }
  }
}

TEST_CASE("sessions: a session of an application belongs to the account of its login") {
  for (const Kind& kind : kinds()) {
    if (!kind.has_account) continue;
    CAPTURE(kind.name);
    const auto cassette = cassette_with({kind.begin("ann", id_ann), kind.use(id_ann, data("ann's")),
                                         kind.begin("bob", id_bob), kind.use(id_bob, data("bob's"))});
    ReplayOptions options = playing(cassette);
    options.auth = Auth::strict;
    ReplayHandler handler(options, 1);
    const std::string bob = id_in(send(handler, kind.begin("bob", "x")));
    const std::string ann = id_in(send(handler, kind.begin("ann", "x")));
    CHECK(answer_to(handler, kind.use(bob, "")) == "bob's");
    CHECK(answer_to(handler, kind.use(ann, "")) == "ann's");
    CHECK(answer_to(handler, kind.use(bob, "")) == "bob's");
  }
}

TEST_CASE("sessions: a refused login of an application begins none, and a later one does") {
  const Kind kind = kinds().front();
  auto refused = kind.begin("ann", id_ann);
  refused.interaction.response.body = testing::error(400);
  const auto cassette = cassette_with({refused, kind.begin("ann", id_ann), kind.use(id_ann, data("shares"))});
  ReplayHandler handler(playing(cassette), 1);
  const std::string id = id_in(send(handler, kind.begin("zoe", "x")));
  CHECK(answer_to(handler, kind.use(id, "")) == "shares");
}

TEST_CASE("sessions: a resumed session has the account of the one before it") {
  const auto resume = [](std::string_view old, std::string_view now) {
    return record("SYNO.API.Auth/7/resume", R"({"data":{"sid":")" + std::string(now) + R"("},"success":true})")
        .with_request_header("Cookie", "id=" + std::string(old));
  };
  const std::string shares = "SYNO.Core.Share/1/list";
  const auto cassette = cassette_with({testing::login("ann", sid_a), testing::login("bob", sid_b),
                                       resume(sid_a, id_ann), resume(sid_b, id_bob),
                                       record(shares, data("ann's"), id_ann), record(shares, data("bob's"), id_bob)});
  ReplayOptions options = playing(cassette);
  options.auth = Auth::strict;
  ReplayHandler handler(options, 1);
  const std::string first = log_in(handler, "bob");
  const std::string second = id_in(send(handler, resume(first, "x")));
  CHECK(first != second);
  CHECK(string_in(call(handler, shares + "?_sid=" + second).body, "data") == "bob's");
}

TEST_CASE("sessions: an ID of a polling connection is no session's") {
  const std::string polling = "/socket.io/?EIO=3&transport=polling";
  const auto cassette = cassette_with({record_target("GET", polling, R"({"sid":")" + id_ann + R"("})"),
                                       record_target("GET", polling + "&sid=" + id_ann, R"({"data":"polled"})")});
  ReplayOptions options = playing(cassette);
  options.auth = Auth::strict;
  ReplayHandler handler(options, 1);
  const std::string id = string_in(get(handler, polling).body, "sid");
  CHECK(string_in(get(handler, polling + "&sid=" + id).body, "data") == "polled");
}

TEST_CASE("sessions: pages and files are served after the end of a session") {
  const auto page = record_target("GET", "/scripts/app.js", "var page;").with_header("Content-Type", "text/javascript");
  const auto cassette =
      cassette_with({testing::login("ann", sid_a), page, record("SVC.API.Auth/6/logout", testing::ok, sid_a)});
  ReplayOptions options = playing(cassette);
  options.auth = Auth::strict;
  ReplayHandler handler(options, 1);
  const std::string id = log_in(handler, "ann");
  static_cast<void>(call(handler, "SVC.API.Auth/6/logout?_sid=" + id));
  CHECK(get(handler, "/scripts/app.js", {{"Cookie", "id=" + id}}).body == "var page;");
}

}  // namespace
}  // namespace tapedeck::replay
