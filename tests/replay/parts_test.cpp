// Single calls that were recorded inside of compounds alone (semantics §2, §5).
#include <catch2/catch.hpp>

#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::login;
using testing::ok;
using testing::record;

constexpr std::string_view sid_a = "AAAA-recorded-session-one-0123456789";
constexpr std::string_view sid_b = "BBBB-recorded-session-two-0123456789";
constexpr std::string_view get_text = "SVC.Core.Terminal/1/get";
constexpr std::string_view set_text = "SVC.Core.Terminal/1/set?enable=true";

const std::string get_part = R"({"api":"SVC.Core.Terminal","version":1,"method":"get"})";
const std::string set_part = R"({"api":"SVC.Core.Terminal","version":1,"method":"set","enable":true})";

std::string compound(const std::vector<std::string>& parts) {
  std::string list;
  for (const std::string& part : parts) list.append(list.empty() ? "" : ",").append(part);
  return "SVC.Entry.Request/1/request?compound=[" + list + "]";
}

std::string answer(const std::vector<std::string>& results) {
  std::string list;
  for (const std::string& result : results) {
    list.append(list.empty() ? "" : ",")
        .append(R"({"api":"SVC.Core.Terminal","method":"m","version":1,)" + result + "}");
  }
  return R"({"data":{"has_fail":false,"result":[)" + list + R"(]},"success":true})";
}

std::string n(int number) { return R"("data":{"n":)" + std::to_string(number) + R"(},"success":true)"; }
const std::string done = R"("success":true)";
std::string refused(int code) { return R"("error":{"code":)" + std::to_string(code) + R"(},"success":false)"; }

ReplayOptions playing(const testing::TestCassette& cassette) {
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  return options;
}

/// The bodies of so many answers in a session.
std::vector<std::string> bodies(ReplayHandler& handler, std::string_view text, std::string_view sid, int times) {
  std::vector<std::string> found;
  const std::string mark = text.find('?') == std::string_view::npos ? "?" : "&";
  for (int i = 0; i < times; ++i) {
    found.push_back(call(handler, std::string(text) + mark + "_sid=" + std::string(sid)).body);
  }
  return found;
}

std::string whole(int number) { return "{" + n(number) + "}"; }

using Bodies = std::vector<std::string>;

TEST_CASE("parts: a call that was recorded in compounds advances like any sequence") {
  const auto cassette =
      cassette_with({login("ann", sid_a), record(compound({get_part, get_part}), answer({n(1), n(2)}), sid_a),
                     record(compound({get_part}), answer({n(3)}), sid_a)});
  ReplayHandler handler(playing(cassette), 1);
  const std::string ann = log_in(handler, "ann");
  CHECK(bodies(handler, get_text, ann, 4) == Bodies{whole(1), whole(2), whole(3), whole(3)});
  CHECK(bodies(handler, get_text, log_in(handler, "bob"), 1) == Bodies{whole(1)});
  const http::Response one = call(handler, get_text);
  CHECK(outcome(one) == "recorded");
  CHECK(one.headers.first("X-Tapedeck-Match") == "part of a recorded compound");
  // In a compound that was not recorded, too.
  const std::string again = log_in(handler, "cid");
  CHECK(bodies(handler, compound({get_part, get_part, get_part, get_part}), again, 1)
            .front()
            .find(R"("n":3},"method":"get","success":true,"version":1}]})") != std::string::npos);
}

TEST_CASE("parts: a part that writes divides the lane and counts as a write") {
  const auto cassette = cassette_with(
      {login("ann", sid_a), record(compound({get_part, set_part, get_part}), answer({n(1), done, n(2)}), sid_a),
       record(compound({get_part}), answer({n(3)}), sid_a)});
  ReplayHandler handler(playing(cassette), 1);
  const std::string ann = log_in(handler, "ann");
  CHECK(bodies(handler, get_text, ann, 3) == Bodies{whole(1), whole(1), whole(1)});
  CHECK(bodies(handler, set_text, ann, 1) == Bodies{std::string(ok)});
  CHECK(bodies(handler, get_text, ann, 3) == Bodies{whole(2), whole(3), whole(3)});
}

TEST_CASE("parts: a compound that is played whole counts for each of its parts that write") {
  const std::string poll = "SVC.Core.SNMP/1/get";
  const auto other = std::string(R"({"api":"SVC.Core.SNMP","version":1,"method":"set","on":true})");
  const auto cassette =
      cassette_with({login("ann", sid_a), record(poll, whole(1), sid_a),
                     record(compound({set_part, other}), answer({done, done}), sid_a), record(poll, whole(2), sid_a)});
  ReplayHandler handler(playing(cassette), 1);
  const std::string ann = log_in(handler, "ann");
  CHECK(bodies(handler, poll, ann, 2) == Bodies{whole(1), whole(1)});
  (void)bodies(handler, compound({set_part, other}), ann, 1);
  CHECK(bodies(handler, poll, ann, 1) == Bodies{whole(2)});
  // One of the two alone does not do.
  const std::string bob = log_in(handler, "bob");
  (void)bodies(handler, set_text, bob, 1);
  CHECK(bodies(handler, poll, bob, 1) == Bodies{whole(1)});
  (void)bodies(handler, "SVC.Core.SNMP/1/set?on=true", bob, 1);
  CHECK(bodies(handler, poll, bob, 1) == Bodies{whole(2)});
}

TEST_CASE("parts: errors, labels and what is not there") {
  const auto cassette = cassette_with(
      {record(compound({get_part, set_part}), answer({refused(402), refused(105)})),
       record(compound({R"({"api":"SYNO.Core.User","version":1,"method":"get"})", get_part}), answer({n(5)}))});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(call(handler, get_text).body ==
        "{"
        R"("error":{"code":402},"success":false})");
  CHECK(call(handler, "SYNO.Core.Terminal/1/get").body == call(handler, get_text).body);
  CHECK(call(handler, set_text).body ==
        "{"
        R"("error":{"code":105},"success":false})");
  CHECK(call(handler, "SVC.Core.User/1/get").body == whole(5));
  CHECK(outcome(call(handler, "SVC.Core.Terminal/2/get")) == "miss");
  CHECK(outcome(call(handler, "SVC.Core.Terminal/1/get?more=1")) == "miss");
}

TEST_CASE("parts: a recording of the call alone goes before parts, a broken one does not") {
  const auto cassette =
      cassette_with({record(compound({get_part}), answer({n(1)})), record(get_text, whole(7)),
                     record(compound({set_part}), answer({done})), record(set_text, "{\"succ").broken("cut")});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(call(handler, get_text).body == whole(7));
  CHECK(call(handler, set_text).body == ok);
}

TEST_CASE("parts: lanes and takes choose among parts as they do among calls") {
  const auto at = [](testing::Recorded row, int ms) {
    return std::move(row).at(testing::fixture_start_us + ms * 1000, testing::fixture_start_us + ms * 1000 + 500);
  };
  const auto cassette = cassette_with({at(login("ann", sid_a), 1), at(login("bob", sid_b), 2),
                                       at(record(compound({get_part}), answer({n(1)}), sid_a), 3),
                                       at(record(compound({get_part}), answer({n(2)}), sid_b), 4),
                                       at(record("SVC.X/1/get", ok, sid_a), 5)});
  {
    ReplayHandler handler(playing(cassette), 1);
    const std::string first = log_in(handler, "zoe");
    const std::string second = log_in(handler, "zoe");
    CHECK(bodies(handler, get_text, second, 1) == Bodies{whole(2)});
    CHECK(bodies(handler, get_text, first, 1) == Bodies{whole(1)});
  }
  testing::record_take(cassette.path(), {record(compound({get_part}), answer({n(3)}))});
  testing::record_take(cassette.path(), {record(compound({get_part}), answer({refused(105)}))});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(call(handler, get_text).body == whole(3));
}

TEST_CASE("parts: a session's own values are spliced into a part, at its own places") {
  const std::string id(sid_a);
  const auto with_id = [](const std::string& sid) {
    return R"("data":{"link":"/d?_sid=)" + sid + R"("},"success":true)";
  };
  const auto cassette =
      cassette_with({login("ann", id), record(compound({get_part, set_part}), answer({with_id(id), with_id(id)}), id)});
  ReplayHandler handler(playing(cassette), 1);
  const std::string own = log_in(handler, "ann");
  CHECK(bodies(handler, set_text, own, 1) == Bodies{"{" + with_id(own) + "}"});
  CHECK(bodies(handler, get_text, own, 1) == Bodies{"{" + with_id(own) + "}"});
}

TEST_CASE("replay: a compound asks for no more than 32 MiB of recorded answers") {
  const std::string long_answer = R"({"data":")" + std::string(4u << 20, 'x') + R"(","success":true})";
  const auto cassette = cassette_with({record(get_text, long_answer)});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(call(handler, compound(std::vector<std::string>(7, get_part))).body.size() > 7 * (4u << 20));
  CHECK(call(handler, compound(std::vector<std::string>(8, get_part))).body == testing::error(120));
}

}  // namespace
}  // namespace tapedeck::replay
