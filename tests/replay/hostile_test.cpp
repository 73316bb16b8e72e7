// Requests of strangers between those of a client. Whatever they name as a secret, every call of the client is recorded
// and replayed byte for byte. With TAPEDECK_LONG there are 5,000 strangers.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "cassettes/read/cassette_reader.h"
#include "http/message/urlencoded.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using testing::Recorded;

const std::string own_id = "kR7vQ2mZxT9pLw4BnC8dHs1FgYjAe6";
constexpr std::string_view scope_name = "nightly-Suite_42/shares";

/// Returns the calls of the client with their responses.
std::vector<Recorded> session_calls() {
  const std::vector<std::pair<std::string, std::string>> calls = {
      {"SVC.Core.System/1/info",
       R"({"data":{"model":"FX-100","ram":4096,"time":"2026-11-20 10:20:30"},"success":true})"},
      {"SVC.Core.Share/1/list?limit=100",
       R"({"data":{"shares":[{"name":"photo","uuid":"9f2c1a7e-33d4-4b51-8f0a-77ab12cd90ef","vol_path":"\/volume1"},)"
       R"({"name":"Storage Manager","desc":"Enter your password","vol_path":"\/volume1\/homes"}],"total":2},"success":true})"},
      {"SVC.Core.Network/1/get", R"({"data":{"gateway":"192.168.100.200","mac":"00:11:32:5d:fd:11"},"success":true})"},
      {"SVC.Core.Share.Snapshot/1/list",
       R"({"data":{"version=1":true,"charset=utf-8":"application/json"},"success":true})"},
      {"SVC.Core.Sql/1/get",
       R"x({"data":"CREATE TABLE body(body_sha256 BLOB, withheld_digest TEXT)","success":true})x"},
      {"SVC.Core.Template/1/get", R"({"data":"<SESSION_ID> and <PASSWORD> and ${TOKEN}","success":true})"},
      {"SVC.Core.User/1/list?offset=0&limit=12",
       R"({"data":{"users":[{"uid":1026,"name":"ann"}],"id":12},"success":true})"},
      {"SVC.Core.Policy/1/get",
       R"({"data":{"password":"required","passwd":"********","min_password":8},"success":true})"},
      {"SVC.Core.Hash/1/get",
       R"({"data":{"md5":"9e107d9d372bb6826bd81d3542a419d6","token_type":"Bearer"},"success":true})"},
  };
  std::vector<Recorded> rows = {testing::login("ann", own_id)};
  for (const auto& [call, answer] : calls) rows.push_back(testing::record(call, answer, own_id));
  for (int i = 0; i < 20; ++i) {
    rows.push_back(testing::record("SVC.Core.Log/1/get?id=" + std::to_string(i * 37),
                                   R"({"data":{"id":)" + std::to_string(i * 37) + R"(,"count":)" + std::to_string(i) +
                                       R"(,"path":"\/webapi\/entry.cgi?version=1&api=SVC.Core.Log"},"success":true})",
                                   own_id));
  }
  return rows;
}

class Stranger {
 public:
  Stranger(std::uint32_t seed, const std::vector<Recorded>& calls) : random_(seed) {
    for (const Recorded& call : calls) {
      texts_.push_back(call.interaction.response.body);
      texts_.push_back(call.interaction.request.target);
    }
  }

  Recorded request() {
    static const std::vector<std::string> names = {
        "_sid",   "SynoToken", "passwd", "password", "new_password", "otp_code",  "device_id",   "access_token",
        "secret", "api_key",   "did",    "id",       "token",        "smtp_pass", "__cIpHeRtExT"};
    static const std::vector<std::string> calls = {"SVC.API.Info/1/query?query=all",   "SVC.Core.System/1/info",
                                                   "SVC.Core.Share/1/list?limit=100",  "SVC.Core.User/1/set",
                                                   "SVC.API.Auth/6/login?account=eve", "SVC.Core.Hash/1/get"};
    const std::string name = pick(names), said = value(), percent = http::percent_encode(said);
    const std::string call = pick(calls), pair = name + "=" + percent;
    Recorded row = testing::record(call, response_to(call));
    http::Request& request = row.interaction.request;
    switch (below(8)) {
      case 0:
        row = std::move(row).with_form(pair);
        break;
      case 1:
        request.headers.add("Cookie", pair + "; id=" + percent);
        break;
      case 2:
        request.headers.add("Authorization", "Bearer " + percent);
        break;
      case 3:
        request.headers.add("X-SYNO-TOKEN", percent);
        break;
      case 4:
        row = testing::record_target("GET", "/page?next=" + http::percent_encode("/x?" + pair),
                                     "<html>No page /x?" + pair + " " + said + "</html>");
        row.interaction.response.headers.set("Content-Type", "text/html");
        break;
      case 5:
        request.method = "POST";
        request.headers.add("Content-Type", "application/json");
        request.body = "{\"" + name + "\":" + json_string(said) + "}";
        break;
      case 6:
        row = testing::record_target("POST", "/upload/" + percent, "{\"success\":true}");
        row.interaction.request.headers.add("Content-Type", "application/x-www-form-urlencoded");
        row.interaction.request.body = pair;
        break;
      default:
        request.target += (request.target.find('?') == std::string::npos ? "?" : "&") + pair;
    }
    return row;
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
  const std::string& pick(const std::vector<std::string>& list) { return list[below(list.size())]; }

  /// Returns the device's response: it refuses calls that need a session.
  static std::string response_to(const std::string& call) {
    if (call.find("API.Info") != std::string::npos)
      return R"({"data":{"SVC.API.Auth":{"path":"entry.cgi"}},"success":true})";
    return testing::error(call.find("login") != std::string::npos ? 400 : 119);
  }

  static std::string json_string(const std::string& text) {
    return "\"" + scrubbers::encode(text, {{scrubbers::Form::json}}) + "\"";
  }

  std::string value() {
    static const std::vector<std::string> fixed = {"version=1",
                                                   "charset=utf-8",
                                                   "/volume1",
                                                   "body_sha256",
                                                   "withheld_digest",
                                                   "<SESSION_ID>",
                                                   "<PASSWORD>",
                                                   "SVC.Core.System",
                                                   "application/json",
                                                   "\"success\":true}",
                                                   "required",
                                                   "********",
                                                   "true",
                                                   std::string(scope_name),
                                                   "9f2c1a7e-33d4-4b51-8f0a-77ab12cd90ef",
                                                   "9e107d9d372bb6826bd81d3542a419d6"};
    switch (below(4)) {
      case 0:
        return pick(fixed);
      case 1:
        return std::to_string(below(2000));
      default: {
        const std::string& text = pick(texts_);
        const std::size_t at = below(text.size());
        const std::string piece = text.substr(at, 1 + below(40));
        // A stranger with the client's own ID would be the client.
        return piece.find(own_id.substr(0, 4)) == std::string::npos && own_id.find(piece) == std::string::npos ? piece
                                                                                                               : "x";
      }
    }
  }

  std::mt19937 random_;
  std::vector<std::string> texts_;
};

}  // namespace

TEST_CASE("hostile: no request of a stranger changes or removes a recorded call of a client") {
  const std::size_t strangers = std::getenv("TAPEDECK_LONG") != nullptr ? 5'000 : 500;
  const std::vector<Recorded> calls = session_calls();
  Stranger stranger(20261126, calls);
  std::vector<Recorded> rows;
  for (std::size_t i = 0; i < strangers; ++i) {
    const std::size_t every = strangers / calls.size();
    if (i % every == 0 && i / every < calls.size()) rows.push_back(calls[i / every]);
    rows.push_back(stranger.request());
  }
  for (Recorded& row : rows) row = std::move(row).in_scope(scope_name);
  const testing::TestCassette cassette;
  const cassettes::FinishReport report = testing::record_take(cassette.path(), rows);
  CHECK(report.quarantined.empty());
  CHECK(report.withheld == std::vector<std::string>());

  ReplayHandler handler(playing(cassette), 1);
  http::Headers in_scope;
  in_scope.add("X-Tapedeck-Scope", scope_name);
  const std::string target = testing::target_of("SVC.API.Auth/6/login?account=ann&passwd=any&format=sid");
  const std::string id = string_in(get(handler, target, in_scope).body, "sid");
  REQUIRE(id.size() == own_id.size());
  for (std::size_t i = 1; i < calls.size(); ++i) {
    std::string asked = calls[i].interaction.request.target;
    asked.replace(asked.find(own_id), own_id.size(), id);
    CAPTURE(asked);
    const http::Response response = get(handler, asked, in_scope);
    CHECK(response.body == calls[i].interaction.response.body);
    CHECK(response.headers.first("Content-Type") == calls[i].interaction.response.headers.first("Content-Type"));
  }
}

}  // namespace tapedeck::replay
