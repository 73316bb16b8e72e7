#include "api/session_request.h"

#include <catch2/catch.hpp>

#include "tests/api/requests.h"

namespace tapedeck::api {
namespace {

SessionStep step_of(const http::Request& request) {
  const auto call = Call::from(request);
  return session_step(request, call ? &*call : nullptr);
}

std::string id_of(http::Request request, const std::string& cookies) {
  if (!cookies.empty()) request.headers.add("Cookie", cookies);
  const auto call = Call::from(request);
  return carried_id(request, call ? &*call : nullptr);
}

TEST_CASE("session request: logins and logouts are recognized in every API and in paths") {
  struct Row {
    std::string target;
    SessionStep step;
  };
  const std::string api = "/webapi/entry.cgi?version=1&api=";
  const std::vector<Row> rows = {
      {api + "SYNO.API.Auth&method=login", SessionStep::login},
      {api + "SYNO.API.Auth&method=Logout", SessionStep::logout},
      {api + "SYNO.PhotoStation.Auth&method=photo_login", SessionStep::login},
      {api + "SYNO.Core.Sharing.Login&method=login", SessionStep::login},
      {api + "SYNO.Core.Theme.Login&method=get", SessionStep::none},
      {api + "SYNO.App.Auth&method=get_login", SessionStep::none},
      {api + "SYNO.App.Auth&method=check_login", SessionStep::none},
      {"/webapi/SurveillanceStation/ThirdParty/Auth/Login/v1?account=x", SessionStep::login},
      {"/webapi/SurveillanceStation/ThirdParty/Auth/Logout/v12", SessionStep::logout},
      {"/webapi/SurveillanceStation/ThirdParty/Login/v1/Info", SessionStep::none},
      {"/webman/login.cgi?username=x", SessionStep::login},
      {"/app/signin/", SessionStep::login},
      {"/login/style.css", SessionStep::none},
      {"/", SessionStep::none},
  };
  for (const Row& row : rows) {
    CAPTURE(row.target);
    CHECK(step_of(get(row.target)) == row.step);
  }
}

TEST_CASE("session request: the ID is found under each name, with a fixed precedence") {
  const std::string one = "md4ach79mbgrdfa4g17mhgala2", two = "q8hs0v2kx51tn7zy6wcp3jfb9e";
  const std::string call = "/webapi/entry.cgi?api=SYNO.X&version=1&method=get";
  const std::string photo = "/photo/webapi/album.php?api=SYNO.X&version=1&method=get";
  struct Row {
    std::string target, cookies, expected;
  };
  const std::vector<Row> rows = {
      {call + "&_sid=" + one, "id=" + two, one},
      {call + "&_sid=%22" + one + "%22", "", one},
      {call + "&sid=" + one, "id=" + two, one},
      {call + "&sid=" + one + "&_sid=" + two, "", two},
      {call + "&sid=3", "id=" + two, two},
      {call + "&sid=S-1-5-21-3623811015-3361044348", "id=" + two, two},
      {call + "&sharing_sid=" + one, "", one},
      {call, "id=" + one, one},
      {call, "PHPSESSID=" + one, one},
      {call, "sharing_sid=" + one, one},
      {call, "sharing_sid=" + two + "; id=" + one, one},
      {photo, "id=" + two + "; PHPSESSID=" + one, one},
      {"/photo/page", "id=" + two + "; PHPSESSID=" + one, one},
      {"/webapi/Station/List/v1?_sid=" + one, "", one},
      {"/webapi/Station/List/v1?sid=" + one, "", one},
      {"/socket.io/?sid=" + one, "id=" + two, two},
      {call, "other=" + one, ""},
      {call, "", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.target, row.cookies);
    CHECK(id_of(get(row.target), row.cookies) == row.expected);
  }
}

TEST_CASE("session request: logins of all APIs have the same key for every account and password") {
  for (const std::string target :
       {"/webapi/entry.cgi?api=SYNO.App.Auth&version=1&method=login&format=x", "/webapi/App/Auth/Login/v1?format=x"}) {
    CAPTURE(target);
    CHECK(key(get(target + "&account=ann&passwd=1")) == key(get(target + "&account=bob&passwd=2")));
    CHECK(key(get(target + "&username=ann&password=1")) == key(get(target + "&user=bob")));
    CHECK(key(get(target + "&account=ann")) != key(get(target + "&account=ann&kind=2")));
  }
}

}  // namespace
}  // namespace tapedeck::api
