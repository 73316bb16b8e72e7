// The device's web login on replay: the handshake as the responder, encrypted logins, and the hashes of requests.

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <vector>

#include "http/message/urlencoded.h"
#include "replay/chain/request_context.h"
#include "tests/replay/asking.h"
#include "tests/replay/web_login_client.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::ok;
using testing::record;
using testing::Recorded;
using testing::TestCassette;
using weblogin::Initiator;
using weblogin::KeyPair;
using weblogin::Pattern;

// Made-up values of the device that was recorded.
constexpr std::string_view device_key = "q3Yp0vB7kZ1xN5tR8wL2mC6sD9fG4hJ0aE_uI-oKyTk",
                           sid = "Vq7-fixture-session-5Zt_9Lk2Wm4R";
constexpr std::string_view device_modulus = "00d0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f";
constexpr std::string_view device_message =
    "Zk3vQ8nT1rY6pL0sW5xC9bM2hJ7gF4dA-eU_iO3kV8zN1tR6yP0lS5wX9cB2mH7jG4fD-aE_uI3oK8vZ1qN6";
constexpr std::string_view device_hash = "h7Kq2mXw-Tn5Rb8Yc1Zd4Ve_.MA";

Recorded with_hash(Recorded row) { return std::move(row).with_request_header("X-SYNO-HASH", device_hash); }

Recorded recorded_login(std::string_view account, std::string_view id, std::string_view message) {
  const std::string data = R"({"account":")" + std::string(account) + R"(","ik_message":")" + std::string(message) +
                           R"(","is_portal_port":false,"sid":")" + std::string(id) +
                           R"(","synotoken":"t0k3n-Fixture-7"})";
  const std::string sent = message.empty() ? "" : "&ik_message=" + std::string(device_message);
  return testing::record_target("POST", "/webapi/entry.cgi", R"({"data":)" + data + R"(,"success":true})")
      .with_form("api=SYNO.API.Auth&version=7&method=login&account=" + std::string(account) +
                 "&passwd=Zx9-fixture-pass!7&enable_syno_token=yes&format=cookie&session=webui" + sent);
}

std::vector<Recorded> web_session() {
  return {
      record("SYNO.API.Auth.UIConfig/1/get", R"({"data":[],"success":true})")
          .with_header("Set-Cookie", "_SSID=" + std::string(device_key) + "; path=/"),
      record("SYNO.API.Encryption/1/getinfo?format=module",
             R"({"data":{"cipherkey":"__cIpHeRtExT","ciphertoken":"__cIpHeRtOkEn","public_key":")" +
                 std::string(device_modulus) + R"(","server_time":1700000000},"success":true})"),
      recorded_login("visitor", sid, device_message),
      with_hash(record("SYNO.Core.System/1/info", R"({"data":{"model":"fixture"},"success":true})", sid)),
      record("SYNO.FileStation.Info/2/get", R"({"data":{"hostname":"fixture"},"success":true})", sid),
      testing::record_target("POST", "/webapi/entry.cgi",
                             R"({"data":{"kk_message":")" + std::string(device_message) +
                                 R"(","synotoken":"t0k3n-Fixture-8"},"success":true})")
          .with_form("api=SYNO.API.Auth&version=7&method=resume&session=webui&kk_message=" +
                     std::string(device_message) + "&_sid=" + std::string(sid)),
      with_hash(record("SYNO.Core.Share/1/list", R"({"data":{"shares":[]},"success":true})", sid)),
  };
}

std::string cookie_of(const http::Response& response, std::string_view name) {
  for (const std::string_view line : response.headers.all("Set-Cookie")) {
    const std::string begin = std::string(name) + "=";
    if (line.starts_with(begin)) return std::string(line.substr(begin.size(), line.find(';') - begin.size()));
  }
  return {};
}

std::string miss_reason(const http::Response& response) {
  return std::string(response.headers.first("X-Tapedeck-Miss").value_or(""));
}

KeyPair pair_of(char byte) { return weblogin::key_pair(std::string(weblogin::key_size, byte)); }

/// A browser or a program that makes the handshake.
class Visitor {
 public:
  explicit Visitor(ReplayHandler& handler, char key = '\x21') : handler_(handler), own_(pair_of(key)) {
    server_key_ = weblogin::from_base64url(cookie_of(post(handler_, "/webapi/entry.cgi/SYNO.API.Auth.UIConfig",
                                                          "api=SYNO.API.Auth.UIConfig&method=get&version=1"),
                                                     "_SSID"))
                      .value();
  }

  [[nodiscard]] std::string message(Pattern pattern, std::string_view payload) {
    session_.emplace(pattern, own_, pair_of(++ephemeral_), server_key_);
    return weblogin::to_base64url(session_->write(payload));
  }
  [[nodiscard]] std::string ik_message() { return message(Pattern::ik, R"({"time":1700000000})"); }

  [[nodiscard]] http::Response send_login(std::string_view fields) {
    return post(handler_, "/webapi/entry.cgi",
                "api=SYNO.API.Auth&version=7&method=login&enable_syno_token=yes&format=cookie&session=webui&" +
                    std::string(fields));
  }
  /// Logs in over https and finishes the handshake.
  http::Response log_in(std::string_view account = "visitor") {
    http::Response response =
        send_login("account=" + std::string(account) + "&passwd=made-up&ik_message=" + ik_message());
    finish(response, "ik_message");
    return response;
  }
  void finish(const http::Response& response, std::string_view member) {
    id_ = string_in(response.body, "sid").empty() ? id_ : string_in(response.body, "sid");
    counter_ = 0;
    const auto message = weblogin::from_base64url(string_in(response.body, member));
    is_finished_ = session_ && message && session_->read(*message);
  }
  http::Response resume() {
    // Clients differ in the padding.
    const std::string kk_message = message(Pattern::kk, "") + "==";
    http::Response response =
        post(handler_, "/webapi/entry.cgi",
             "api=SYNO.API.Auth&version=7&method=resume&session=webui&kk_message=" + http::percent_encode(kk_message) +
                 "&_sid=" + id_);
    finish(response, "kk_message");
    return response;
  }

  [[nodiscard]] bool is_finished() const { return is_finished_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] std::string next_hash() { return session_->request_hash(counter_++); }
  http::Response get(std::string_view call_text, const std::optional<std::string>& hash) {
    http::Headers headers;
    if (hash) headers.add("X-SYNO-HASH", *hash);
    headers.add("X-SYNO-TOKEN", "any");
    return replay::get(handler_, testing::target_of(call_text, id_), headers);
  }
  http::Response get(std::string_view call_text) { return get(call_text, next_hash()); }

 private:
  ReplayHandler& handler_;
  KeyPair own_;
  std::string server_key_, id_;
  char ephemeral_ = '\x41';
  std::optional<Initiator> session_;
  std::uint64_t counter_ = 0;
  bool is_finished_ = false;
};

ReplayOptions with_auth(ReplayOptions options, Auth auth) {
  options.auth = auth;
  return options;
}

TEST_CASE("web login: a client finishes the handshake with a recording, resumes, and logs out") {
  const TestCassette cassette = cassette_with(web_session());
  for (const Auth auth : {Auth::strict, Auth::lenient}) {
    ReplayHandler handler(with_auth(playing(cassette), auth), 1);
    Visitor visitor(handler);
    const http::Response login = visitor.log_in();
    CHECK(outcome(login) == "recorded");
    CHECK(visitor.is_finished());
    CHECK(visitor.id().size() == sid.size());
    CHECK(outcome(visitor.get("SYNO.Core.System/1/info")) == "recorded");
    const http::Response resumed = visitor.resume();
    CHECK(outcome(resumed) == "recorded");
    CHECK_FALSE(resumed.headers.contains("X-Tapedeck-Match"));
    CHECK(visitor.is_finished());
    const http::Response shares = visitor.get("SYNO.Core.Share/1/list");
    CHECK(outcome(shares) == "recorded");
    CHECK(shares.body == R"({"data":{"shares":[]},"success":true})");
    CHECK(visitor.get("SYNO.API.Auth/7/logout").body == ok);
    CHECK(visitor.get("SYNO.Core.Share/1/list").body == testing::error(119));
    for (const http::Response& response : {login, resumed}) {
      CHECK(response.body.find(device_message) == std::string::npos);
    }
  }
}

TEST_CASE("web login: the keys depend on the first take alone and are never the device's") {
  const TestCassette cassette = cassette_with(web_session()), other = cassette_with(web_session());
  const auto keys = [](const ReplayOptions& options) {
    ReplayHandler handler(options, 1);
    return std::pair(cookie_of(call(handler, "SYNO.API.Auth.UIConfig/1/get"), "_SSID"),
                     string_in(call(handler, "SYNO.API.Encryption/1/getinfo?format=module").body, "public_key"));
  };
  const auto own = keys(playing(cassette));
  CHECK(own == keys(playing(cassette)));
  CHECK(own != keys(playing(other)));
  CHECK(own.first.size() == device_key.size());
  CHECK(own.first != device_key);
  CHECK(own.second.size() == 1024);
  ReplayOptions both = playing(cassette);
  both.cassettes.push_back(other.path());
  CHECK(own == keys(both));
  CHECK(keys({}) == keys({}));
  CHECK(keys({}) != own);
}

TEST_CASE("web login: adds the cookie where the recorded client had it already") {
  std::vector<Recorded> rows = web_session();
  rows[0].interaction.response.headers.erase("Set-Cookie");
  const TestCassette with = cassette_with(web_session()), without = cassette_with(rows);
  for (const TestCassette* one : {&with, &without}) {
    ReplayHandler handler(playing(*one), 1);
    const http::Response config = call(handler, "SYNO.API.Auth.UIConfig/1/get");
    CHECK(outcome(config) == "recorded");
    CHECK(config.headers.all("Set-Cookie").size() == 1);
    CHECK_FALSE(cookie_of(config, "_SSID").empty());
    Visitor visitor(handler);
    static_cast<void>(visitor.log_in());
    CHECK(visitor.is_finished());
  }
}

TEST_CASE("web login: reads account and handshake of an encrypted login, inside of it or beside it") {
  const TestCassette cassette = cassette_with(web_session());
  for (const bool is_inside : {true, false}) {
    ReplayHandler handler(playing(cassette), 1);
    const std::string modulus =
        string_in(call(handler, "SYNO.API.Encryption/1/getinfo?format=module").body, "public_key");
    Visitor visitor(handler);
    const std::string message = "ik_message=" + visitor.ik_message();
    std::string form = "account=J%C3%B6rg+the%20visitor&passwd=made-up&__cIpHeRtOkEn=1700000000";
    if (is_inside) form += "&" + message;
    const std::string cipher = "__cIpHeRtExT=" + http::percent_encode(weblogin::encrypted_value(modulus, form));
    const http::Response login = visitor.send_login(is_inside ? cipher : cipher + "&" + message);
    CHECK(outcome(login) == "recorded");
    visitor.finish(login, "ik_message");
    CHECK(visitor.is_finished());
    // The name is the account of the session, as in a login that is not encrypted.
    ReplayHandler plain(playing(cassette), 1);
    Visitor same(plain);
    static_cast<void>(same.log_in("J%C3%B6rg+the%20visitor"));
    CHECK(visitor.id() == same.id());
  }
}

TEST_CASE("web login: refuses what it cannot answer with a reason, and does not count it as a login") {
  const TestCassette cassette = cassette_with(web_session());
  ReplayHandler handler(playing(cassette), 1), untouched(playing(cassette), 1);
  const std::string modulus =
      string_in(call(handler, "SYNO.API.Encryption/1/getinfo?format=module").body, "public_key");
  Visitor visitor(handler);
  const std::string good = visitor.ik_message();
  std::string damaged = good;
  damaged[70] = damaged[70] == 'A' ? 'B' : 'A';
  Initiator stranger(Pattern::ik, pair_of('\x33'), pair_of('\x34'), pair_of('\x35').public_key);
  const std::string wrong_key = weblogin::to_base64url(stranger.write("{}"));
  const std::string cipher = weblogin::encrypted_value(modulus, "account=visitor&ik_message=" + good);
  std::string damaged_cipher = cipher;
  damaged_cipher[40] = damaged_cipher[40] == 'A' ? 'B' : 'A';
  const std::string other_cipher = weblogin::encrypted_value(std::string(1023, 'a') + "f", "account=visitor");
  const std::string protocol = "Noise_IK_25519_ChaChaPoly_BLAKE2b";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"ik_message=" + damaged, protocol},
      {"ik_message=" + wrong_key, protocol},
      {"ik_message=" + good.substr(0, 60), protocol},
      {"ik_message=" + good + "AAAA", protocol},
      {"ik_message=AAAA", protocol},
      {"ik_message=not%20base64", protocol},
      {"xx_message=" + good, "XX"},
      {"nk_message=" + good, "NK"},
      {"ix1_message=" + good, "IX1"},
      {"kk_message=" + good, "KK"},
      {"__cIpHeRtExT=" + http::percent_encode(damaged_cipher), "__cIpHeRtExT"},
      {"__cIpHeRtExT=" + http::percent_encode(other_cipher), "__cIpHeRtExT"},
      {"__cIpHeRtExT=" +
           http::percent_encode(weblogin::encrypted_value(modulus, "account=visitor&ik_message=" + damaged)),
       protocol},
  };
  for (const auto& [fields, reason] : rows) {
    const http::Response refused = visitor.send_login("account=visitor&passwd=made-up&" + fields);
    CAPTURE(fields, refused.body);
    CHECK(outcome(refused) == "miss");
    CHECK(refused.status == 200);
    CHECK(refused.body.starts_with(R"({"error":{"code":400,)"));
    CHECK(refused.body.ends_with(R"("success":false})"));
    CHECK_THAT(miss_reason(refused), Catch::Contains(reason));
    CHECK(refused.body.find(good.substr(0, 30)) == std::string::npos);
    CHECK_FALSE(refused.headers.contains("Set-Cookie"));
  }
  Visitor other(untouched);
  CHECK(string_in(visitor.log_in().body, "sid") == string_in(other.log_in().body, "sid"));
}

TEST_CASE("web login: answers a message that was sent before with a new session and a new message") {
  const TestCassette cassette = cassette_with(web_session());
  ReplayHandler handler(playing(cassette), 1);
  Visitor first(handler), second(handler);
  const std::string fields = "account=visitor&passwd=made-up&ik_message=" + first.ik_message();
  CHECK(fields.ends_with(second.ik_message()));
  const http::Response one = first.send_login(fields), two = second.send_login(fields);
  first.finish(one, "ik_message");
  second.finish(two, "ik_message");
  CHECK(first.is_finished());
  CHECK(second.is_finished());
  CHECK(first.id() != second.id());
  CHECK(string_in(one.body, "ik_message") != string_in(two.body, "ik_message"));
  CHECK(first.next_hash() != second.next_hash());
}

TEST_CASE("web login: strict requires a valid hash where one was recorded, and lenient ignores it") {
  const TestCassette cassette = cassette_with(web_session());
  constexpr std::string_view signed_call = "SYNO.Core.System/1/info", unsigned_call = "SYNO.FileStation.Info/2/get";
  for (const Auth auth : {Auth::strict, Auth::lenient}) {
    ReplayHandler handler(with_auth(playing(cassette), auth), 1);
    Visitor visitor(handler), other(handler, '\x22');
    static_cast<void>(visitor.log_in());
    static_cast<void>(other.log_in());
    const std::string used = visitor.next_hash(), late = visitor.next_hash();
    CHECK(outcome(visitor.get(signed_call, visitor.next_hash())) == "recorded");
    CHECK(outcome(visitor.get(signed_call, used)) == "recorded");
    CHECK(outcome(visitor.get(unsigned_call, std::nullopt)) == "recorded");
    CHECK(outcome(visitor.get("SYNO.API.Auth.Type/1/get", std::nullopt)) != "recorded");
    std::string wrong = visitor.next_hash();
    wrong[10] = wrong[10] == 'A' ? 'B' : 'A';
    const std::vector<std::optional<std::string>> bad = {
        std::nullopt, used, wrong, "", "x", other.next_hash(), std::string(device_hash)};
    for (const auto& hash : bad) {
      CAPTURE(hash.value_or("none"));
      const http::Response response = visitor.get(signed_call, hash);
      if (auth == Auth::strict) {
        CHECK(response.body == testing::error(119));
        CHECK(outcome(response) == "builtin");
      } else {
        CHECK(outcome(response) == "recorded");
      }
      // A wrong hash is also refused where the recorded client sent none.
      if (auth == Auth::strict && hash) CHECK(visitor.get(unsigned_call, hash).body == testing::error(119));
    }
    CHECK(outcome(visitor.get(signed_call, late)) == "recorded");
    // After a resumption, only hashes of the new handshake count.
    const std::string of_login = visitor.next_hash();
    static_cast<void>(visitor.resume());
    CHECK((outcome(visitor.get(signed_call, of_login)) == "recorded") == (auth == Auth::lenient));
    CHECK(outcome(visitor.get(signed_call)) == "recorded");
  }
}

TEST_CASE("web login: a session without a handshake needs no hash and gets no random message") {
  const TestCassette cassette = cassette_with(web_session());
  ReplayHandler handler(with_auth(playing(cassette), Auth::strict), 1);
  Visitor visitor(handler);
  const http::Response login = visitor.send_login("account=visitor&passwd=made-up");
  CHECK(outcome(login) == "recorded");
  CHECK_THAT(login.body, Catch::Contains(R"("ik_message":"")"));
  visitor.finish(login, "ik_message");
  CHECK(outcome(visitor.get("SYNO.Core.System/1/info", std::nullopt)) == "recorded");
  const http::Response refused = visitor.resume();
  CHECK(outcome(refused) == "miss");
  CHECK_THAT(miss_reason(refused), Catch::Contains("did not begin with a handshake"));
}

TEST_CASE("web login: a recording without a handshake stays without one") {
  const TestCassette cassette =
      cassette_with({recorded_login("visitor", sid, ""), record("SYNO.Core.System/1/info", testing::error(105), sid)});
  ReplayHandler handler(with_auth(playing(cassette), Auth::strict), 1);
  Visitor visitor(handler);
  const http::Response login = visitor.log_in();
  CHECK(outcome(login) == "recorded");
  CHECK_THAT(login.body, Catch::Contains(R"("ik_message":"")"));
  CHECK_FALSE(visitor.is_finished());
  CHECK(visitor.get("SYNO.Core.System/1/info", std::nullopt).body == testing::error(105));
}

TEST_CASE("web login: limited and full sessions of one account get their own recordings, in any order") {
  constexpr std::string_view system = "SYNO.Core.System/1/info", full = R"({"data":{"model":"full"},"success":true})";
  constexpr std::string_view limited_id = "Hq2-fixture-session-8Tn_4Wk7Xc1V",
                             other_id = "Lm5-fixture-session-2Rb_6Yd9Pf3S";
  const Recorded limited_login = recorded_login("visitor", limited_id, "");
  const Recorded limited_call = record(system, testing::error(105), limited_id);
  const Recorded full_login = recorded_login("visitor", sid, device_message),
                 full_call = with_hash(record(system, full, sid));
  const std::vector<std::vector<Recorded>> recordings = {
      {limited_login, limited_call, full_login, full_call},  // one after the other
      {full_login, full_call, limited_login, limited_call},
      {limited_login, full_login, limited_call, full_call},  // at the same time
      {recorded_login("other", other_id, device_message), limited_login, limited_call, full_login, full_call},
  };
  for (const auto& rows : recordings) {
    const TestCassette cassette = cassette_with(rows);
    for (const bool limited_first : {true, false}) {
      ReplayHandler handler(with_auth(playing(cassette), Auth::strict), 1);
      Visitor with(handler), without(handler);
      for (const bool is_limited : {limited_first, !limited_first}) {
        if (is_limited) {
          without.finish(without.send_login("account=visitor&passwd=made-up"), "ik_message");
        } else {
          static_cast<void>(with.log_in());
        }
      }
      CHECK(with.get(system).body == full);
      CHECK(without.get(system, std::nullopt).body == testing::error(105));
      // They stay so when the account logs in again.
      static_cast<void>(with.log_in());
      CHECK(with.get(system).body == full);
    }
  }
}

TEST_CASE("web login: encrypted logins of several accounts get their own recordings") {
  constexpr std::string_view shares = "SYNO.Core.Share/1/list", id_a = "Hq2-fixture-session-8Tn_4Wk7Xc1V",
                             id_b = "Lm5-fixture-session-2Rb_6Yd9Pf3S";
  const auto encrypted_login = [](const std::string& name, std::string_view id) {
    return testing::record_target(
               "POST", "/webapi/entry.cgi",
               R"({"data":{"account":")" + name + R"(","sid":")" + std::string(id) + R"("},"success":true})")
        .with_form("api=SYNO.API.Auth&version=7&method=login&__cIpHeRtExT=" +
                   http::percent_encode(R"({"rsa":"bWFkZSB1cA==","aes":"U2FsdGVkX19tYWRlIHVw"})"));
  };
  const TestCassette cassette =
      cassette_with({encrypted_login("ann", id_a), record(shares, R"({"data":"ann's","success":true})", id_a),
                     encrypted_login("J\\u00f6rg", id_b), record(shares, R"({"data":"jorg's","success":true})", id_b)});
  ReplayHandler handler(playing(cassette), 1);
  const std::string modulus = string_in(call(handler, "SYNO.API.Encryption/1/getinfo").body, "public_key");
  for (const auto& [name, own] : {std::pair("J%C3%B6rg", "jorg's"), std::pair("ann", "ann's")}) {
    const http::Response login =
        post(handler, "/webapi/entry.cgi",
             "api=SYNO.API.Auth&version=7&method=login&__cIpHeRtExT=" +
                 http::percent_encode(weblogin::encrypted_value(modulus, "account=" + std::string(name))));
    CHECK(outcome(login) == "recorded");
    CHECK_FALSE(login.headers.contains("X-Tapedeck-Match"));
    const http::Response response = get(handler, testing::target_of(shares, string_in(login.body, "sid")));
    CHECK(string_in(response.body, "data") == own);
    CHECK_FALSE(response.headers.contains("X-Tapedeck-Match"));
  }
}

TEST_CASE("web login: works without a recording") {
  ReplayHandler handler(with_auth({}, Auth::strict), 1);
  const http::Response info = call(handler, "SYNO.API.Encryption/1/getinfo?format=module");
  CHECK(outcome(info) == "builtin");
  Visitor visitor(handler);
  const std::string form = "account=visitor&passwd=made-up&ik_message=" + visitor.ik_message();
  const std::string value = weblogin::encrypted_value(string_in(info.body, "public_key"), form);
  const http::Response login = visitor.send_login("__cIpHeRtExT=" + http::percent_encode(value));
  CHECK(outcome(login) == "builtin");
  CHECK(string_in(login.body, "account") == "visitor");
  visitor.finish(login, "ik_message");
  CHECK(visitor.is_finished());
  CHECK(outcome(visitor.get("SVC.Core.Network/1/get", std::nullopt)) == "builtin");
  CHECK(outcome(visitor.get("SVC.Core.Network/1/get")) == "fallback");
  const http::Response resumed = visitor.resume();
  CHECK(outcome(resumed) == "builtin");
  CHECK_FALSE(string_in(resumed.body, "synotoken").empty());
  CHECK(visitor.is_finished());
  CHECK(outcome(visitor.get("SVC.Core.Network/1/get")) == "fallback");
  // A login without a handshake has no message.
  CHECK(visitor.send_login("account=visitor&passwd=made-up").body.find("ik_message") == std::string::npos);
}

TEST_CASE("web login: the handshake of a session is also the one of its scopes") {
  const TestCassette cassette = cassette_with(web_session());
  ReplayHandler handler(with_auth(playing(cassette), Auth::strict), 1);
  Visitor visitor(handler);
  static_cast<void>(visitor.log_in());
  http::Headers headers;
  headers.add("X-Tapedeck-Scope", "elsewhere");
  headers.add("X-SYNO-TOKEN", "any");
  const std::string target = testing::target_of("SYNO.Core.System/1/info", visitor.id());
  CHECK(get(handler, target, headers).body == testing::error(119));
  headers.add("X-SYNO-HASH", visitor.next_hash());
  CHECK(outcome(get(handler, target, headers)) == "recorded");
  CHECK(get(handler, target, headers).body == testing::error(119));
}

/// Notes the calls that reach the device.
class Device : public End {
 public:
  void handle(std::shared_ptr<http::Exchange> exchange, const RequestContext& context) override {
    calls.push_back(context.parsed().call()->method());
    exchange->respond(http::Response{200, "OK", {}, std::string(ok)});
  }
  std::vector<std::string> calls;
};

TEST_CASE("web login: while a device is recorded, the handshake is one with the device") {
  std::vector<Recorded> rows = web_session();
  rows[3] = std::move(rows[3]).with_header("Set-Cookie", "_SSID=" + std::string(device_key) + "; path=/");
  rows[3] = std::move(rows[3]).with_header("Set-Cookie", "other=1; path=/");
  const TestCassette cassette = cassette_with(rows);
  Device device;
  ReplayOptions options = playing(cassette);
  options.end = &device;
  ReplayHandler handler(options, 1);
  for (const char* const text : {"SYNO.API.Auth.UIConfig/1/get", "SYNO.API.Encryption/1/getinfo?format=module",
                                 "SYNO.API.Auth/7/login", "SYNO.API.Auth/7/resume?kk_message=AAAA"}) {
    static_cast<void>(call(handler, text));
  }
  CHECK(device.calls == std::vector<std::string>{"get", "getinfo", "login", "resume"});
  const http::Response info = get(handler, testing::target_of("SYNO.Core.System/1/info", "any"));
  CHECK(outcome(info) == "recorded");
  CHECK(info.headers.all("Set-Cookie") == std::vector<std::string_view>{"other=1; path=/"});
}

}  // namespace
}  // namespace tapedeck::replay
