#include "proxy/device_session.h"

#include <catch2/catch.hpp>
#include <deque>
#include <map>

#include "http/message/urlencoded.h"

using namespace tapedeck;
using proxy::DeviceReply;
using proxy::DeviceSession;
using proxy::NoSession;
using proxy::OpenSession;

namespace {

const http::BaseUrl session_nas = http::BaseUrl::parse("http://nas.example:5000/dsm");
const std::string password = "Corr3ct&Horse/Battery=9";

std::string info(const std::string& label = "SYNO", bool has_encryption = false, int newest = 7) {
  const std::string encryption =
      has_encryption ? ",\"" + label + R"(.API.Encryption":{"maxVersion":1,"minVersion":1,"path":"encryption.cgi"})"
                     : "";
  return R"({"data":{")" + label + R"(.API.Auth":{"maxVersion":)" + std::to_string(newest) +
         R"(,"minVersion":1,"path":"auth.cgi"})" + encryption + R"(},"success":true})";
}
std::string session(int number, bool has_token = true) {
  const std::string n = std::to_string(number);
  return R"({"data":{"account":"ann","did":"device-id-)" + n + R"(","sid":"session-id-)" + n + "\"" +
         (has_token ? R"(,"synotoken":"tok\u0065n-)" + n + "\"" : "") + R"(},"success":true})";
}
std::string error(int code) { return R"({"error":{"code":)" + std::to_string(code) + R"(},"success":false})"; }

/// Returns the responses that the test has prepared, when the test requests it.
class FakeCalls : public proxy::DeviceCalls {
 public:
  void ask(http::Request request, Done done) override {
    asked.push_back(std::move(request));
    waiting_.push_back(std::move(done));
  }
  void answer(const std::string& body, int status = 200) {
    DeviceReply reply;
    reply.ending = http::Ending::whole;
    reply.answer.status = status;
    reply.answer.body = body;
    give(std::move(reply));
  }
  void fail(const std::string& why) {
    DeviceReply reply;
    reply.why = why;
    give(std::move(reply));
  }
  [[nodiscard]] bool is_asked() const { return !waiting_.empty(); }
  /// Returns the fields of the last request from its query or its form.
  [[nodiscard]] std::map<std::string, std::string> fields() const {
    const http::Request& last = asked.back();
    std::map<std::string, std::string> all;
    const std::string_view text = last.body.empty() ? http::split_target(last.target).query : last.body;
    for (const http::Pair& pair : http::parse_urlencoded(text)) all[pair.name] = pair.value;
    return all;
  }
  std::vector<http::Request> asked;

 private:
  void give(DeviceReply reply) {
    REQUIRE(!waiting_.empty());
    const Done done = std::move(waiting_.front());
    waiting_.pop_front();
    done(std::move(reply));
  }
  std::deque<Done> waiting_;
};

struct Desk {
  explicit Desk(std::string_view code = {}, std::optional<std::string> prompted = std::nullopt)
      : session(session_nas, proxy::DeviceAccount("ann", password, code), calls,
                {[this](std::string_view value, scrubbers::SecretClass secret_class) {
                   learned += std::string(to_string(secret_class)) + "=" + std::string(value) + "\n";
                 },
                 prompted ? std::function<void(std::function<void(std::string)>)>(
                                [this, prompted](const std::function<void(std::string)>& answer) {
                                  ++prompts;
                                  answer(*prompted);
                                })
                          : nullptr,
                 [this](const std::string& line) { lines.push_back(line); }}) {}

  /// Returns the result for a caller of use(), once it is known: "1 session-id-1 token-1", or the reason for a failure.
  std::shared_ptr<std::string> use() {
    const auto got = std::make_shared<std::string>();
    session.use(into(got));
    return got;
  }
  std::shared_ptr<std::string> renew(std::uint64_t number) {
    const auto got = std::make_shared<std::string>();
    session.renew(number, into(got));
    return got;
  }
  void open() {
    const auto got = use();
    calls.answer(info());
    calls.answer(::session(1));
    REQUIRE(*got == "1 session-id-1 token-1");
  }

  FakeCalls calls;
  std::string learned;
  std::vector<std::string> lines;
  int prompts = 0;
  DeviceSession session;

 private:
  static DeviceSession::Use into(const std::shared_ptr<std::string>& got) {
    return [got](const DeviceSession::Opened& opened) {
      CHECK(got->empty());
      if (const auto* const fine = std::get_if<OpenSession>(&opened)) {
        *got = std::to_string(fine->number) + " " + std::string(fine->id) + " " + std::string(fine->csrf_token);
      } else {
        *got = std::get<NoSession>(opened).why;
      }
    };
  }
};

}  // namespace

TEST_CASE("device session: all waiting callers share one login, and later ones use the open session") {
  Desk desk;
  const auto first = desk.use(), second = desk.use();
  CHECK(desk.calls.asked.size() == 1);
  CHECK(desk.calls.fields()["query"] == "SYNO.API.Auth,SYNO.API.Encryption");
  desk.calls.answer(info());
  const auto third = desk.use();
  CHECK(desk.calls.asked.size() == 2);
  CHECK(first->empty());
  desk.calls.answer(session(1));
  for (const auto& got : {first, second, third, desk.use()}) CHECK(*got == "1 session-id-1 token-1");
  CHECK(desk.calls.asked.size() == 2);
}

TEST_CASE("device session: a login has its fields in the body, requests a CSRF token, and is learned first") {
  Desk desk;
  (void)desk.use();
  desk.calls.answer(info("SYNO", false, 6));
  const http::Request& login = desk.calls.asked.back();
  CHECK(login.method == "POST");
  CHECK(login.target == "/dsm/webapi/auth.cgi");
  auto fields = desk.calls.fields();
  CHECK(fields["api"] == "SYNO.API.Auth");
  CHECK(fields["version"] == "6");
  CHECK(fields["method"] == "login");
  CHECK(fields["account"] == "ann");
  CHECK(fields["passwd"] == password);
  CHECK(fields["enable_syno_token"] == "yes");
  CHECK(fields.count("otp_code") == 0);
  CHECK(desk.learned == "PASSWORD=" + std::string(password) + "\n");
  desk.calls.answer(session(1));
  CHECK(desk.learned.ends_with("\nSESSION_ID=session-id-1\nCSRF_TOKEN=token-1\nDEVICE_ID=device-id-1\n"));
  for (const std::string& line : desk.lines) {
    CHECK(line.find("session-id") == std::string::npos);
    CHECK(line.find(password) == std::string::npos);
  }
}

TEST_CASE("device session: handles every response to a login") {
  struct Answer {
    std::string body;
    int status = 200;
  };
  const std::string no_key = R"({"data":{"public_key":"00c0ffee","cipherkey":"__cIpHeRtExT"},"success":true})";
  const struct {
    std::string name;
    std::vector<Answer> answers;
    std::string code;                     ///< a code that is already present
    std::optional<std::string> prompted;  ///< the user's input; nothing without a terminal
    std::string outcome;
    bool is_final;  ///< later callers get the same result without a call
  } rows[] = {
      {"fine", {{info()}, {session(1)}}, "", {}, "1 session-id-1 token-1", true},
      {"no token", {{info()}, {session(1, false)}}, "", {}, "1 session-id-1 ", true},
      {"the specification's label",
       {{error(102)}, {info("SVC")}, {session(1)}},
       "",
       {},
       "1 session-id-1 token-1",
       true},
      {"no Auth at all",
       {{error(102)}, {error(102)}},
       "",
       {},
       "not logged in at the device: it has no API.Auth",
       false},
      {"no device",
       {{"<html>", 404}},
       "",
       {},
       "not logged in at the device: it responds with status 404 to a login query; `tapedeck doctor` may find the "
       "reason",
       false},
      {"no answer to the login",
       {{info()}, {"<html>", 502}},
       "",
       {},
       "not logged in at the device: it responds with status 502 to a login query; `tapedeck doctor` may find the "
       "reason",
       false},
      {"wrong password",
       {{info()}, {error(400)}},
       "",
       {},
       "the device refused the login: error 400: unknown account or wrong password",
       true},
      {"unknown refusal", {{info()}, {error(599)}}, "", {}, "the device refused the login: error 599", true},
      {"code needed, none there",
       {{info()}, {error(403)}},
       "",
       {},
       "the device refused the login: error 403: a two-factor code is required; set TAPEDECK_DEVICE_OTP, or run the "
       "command in a terminal",
       true},
      {"code needed, from the environment",
       {{info()}, {error(403)}, {session(1)}},
       "123456",
       {},
       "1 session-id-1 token-1",
       true},
      {"code needed, from people",
       {{info()}, {error(403)}, {session(1)}},
       "",
       "654321",
       "1 session-id-1 token-1",
       true},
      {"code needed, people have none",
       {{info()}, {error(403)}},
       "",
       "",
       "the device refused the login: error 403: a two-factor code is required; set TAPEDECK_DEVICE_OTP, or run the "
       "command in a terminal",
       true},
      {"wrong code",
       {{info()}, {error(403)}, {error(404)}},
       "111111",
       "222222",
       "the device refused the login: error 404: the two-factor code is wrong",
       true},
      {"another form, and none to be had",
       {{info()}, {error(120)}},
       "",
       {},
       "the device refused the login: error 120",
       true},
      {"another form with a key that is none",
       {{info("SYNO", true)}, {error(120)}, {no_key}},
       "",
       {},
       "the device refused the login: it requires an encrypted login but provides no usable key",
       true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Desk desk(row.code, row.prompted);
    const auto got = desk.use();
    for (const Answer& answer : row.answers) desk.calls.answer(answer.body, answer.status);
    CHECK_FALSE(desk.calls.is_asked());
    CHECK(*got == row.outcome);
    const std::size_t so_far = desk.calls.asked.size();
    const auto later = desk.use();
    CHECK((desk.calls.asked.size() == so_far) == row.is_final);
    if (row.is_final) CHECK(*later == row.outcome);
  }
}

TEST_CASE("device session: a login is encrypted if the device requires it and then has no plain text") {
  // A modulus of 1,024 bits for this test.
  const std::string modulus = "c" + std::string(254, '7') + "1";
  Desk desk;
  const auto got = desk.use();
  desk.calls.answer(info("SYNO", true));
  desk.calls.answer(error(101));
  CHECK(desk.calls.asked.back().target.starts_with("/dsm/webapi/encryption.cgi?api=SYNO.API.Encryption"));
  desk.calls.answer(R"({"data":{"cipherkey":"__cIpHeRtExT","ciphertoken":"__cIpHeRtOkEn","public_key":")" + modulus +
                    R"(","server_time":1700000000},"success":true})");
  auto fields = desk.calls.fields();
  CHECK(fields["method"] == "login");
  CHECK(fields["client_time"] == "1700000000");
  CHECK(fields["__cIpHeRtExT"].starts_with(R"({"rsa":")"));
  CHECK(fields.count("passwd") + fields.count("account") == 0);
  desk.calls.answer(session(1));
  CHECK(*got == "1 session-id-1 token-1");
}

TEST_CASE("device session: after several refused calls, the first one opens a new session once") {
  Desk desk;
  desk.open();
  const auto first = desk.renew(1), second = desk.renew(1);
  const auto third = desk.use();
  CHECK(desk.calls.asked.size() == 3);  // the API.Info for logins is known by now
  CHECK(first->empty());
  desk.calls.answer(session(2));
  for (const auto& got : {first, second, third}) CHECK(*got == "2 session-id-2 token-2");
  CHECK(*desk.renew(1) == "2 session-id-2 token-2");  // refused before, and reported after
  CHECK(desk.calls.asked.size() == 3);
}

TEST_CASE("device session: a device token replaces the code in later logins") {
  Desk desk("123456");
  (void)desk.use();
  desk.calls.answer(info());
  desk.calls.answer(error(403));
  CHECK(desk.calls.fields()["otp_code"] == "123456");
  CHECK(desk.calls.fields()["enable_device_token"] == "yes");
  desk.calls.answer(session(1));
  const auto again = desk.renew(1);
  CHECK(desk.calls.fields()["device_id"] == "device-id-1");
  CHECK(desk.calls.fields().count("otp_code") == 0);
  desk.calls.answer(session(2));
  CHECK(*again == "2 session-id-2 token-2");
}

TEST_CASE("device session: a code is used once, and then the user is prompted for each login") {
  Desk desk("123456", "654321");
  (void)desk.use();
  desk.calls.answer(info());
  desk.calls.answer(error(403));
  desk.calls.answer(R"({"data":{"sid":"session-id-1"},"success":true})");
  CHECK(desk.prompts == 0);
  const auto again = desk.renew(1);
  desk.calls.answer(error(403));
  CHECK(desk.prompts == 1);
  CHECK(desk.calls.fields()["otp_code"] == "654321");
  desk.calls.answer(error(403));
  CHECK(desk.prompts == 1);
  CHECK(again->find("error 403") != std::string::npos);
}

TEST_CASE("device session: an unreachable device is tried again by later callers, but not by waiting ones") {
  Desk desk;
  const auto first = desk.use(), second = desk.use();
  desk.calls.fail("timeout while connecting to the device");
  CHECK(*first == "not logged in at the device: timeout while connecting to the device");
  CHECK(*second == *first);
  CHECK(desk.calls.asked.size() == 1);
  const auto later = desk.use();
  desk.calls.answer(info());
  desk.calls.answer(session(1));
  CHECK(*later == "1 session-id-1 token-1");
}

TEST_CASE("device session: close logs out an open session once over the given calls") {
  for (const bool is_open : {false, true}) {
    CAPTURE(is_open);
    Desk desk;
    if (is_open) desk.open();
    FakeCalls last;
    int ended = 0;
    desk.session.close(last, [&ended] { ++ended; });
    REQUIRE(last.asked.size() == (is_open ? 1 : 0));
    if (is_open) {
      CHECK(last.fields()["method"] == "logout");
      CHECK(last.fields()["_sid"] == "session-id-1");
      CHECK(last.asked[0].headers.first("X-SYNO-TOKEN") == "token-1");
      last.fail("gone");
    }
    CHECK(ended == 1);
    desk.session.close(last, [&ended] { ++ended; });
    CHECK(last.asked.size() == (is_open ? 1 : 0));
  }
}
