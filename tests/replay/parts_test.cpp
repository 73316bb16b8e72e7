// Calls that were recorded only inside of compounds (docs/replay.md).
#include <catch2/catch.hpp>

#include "replay/overlays/overlay_file.h"
#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::login;
using testing::ok;
using testing::record;

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

/// Returns the bodies of `times` responses in a session.
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

std::string get_in(ReplayHandler& handler, std::string_view text, http::Headers headers) {
  return call(handler, std::string(text) + (text.find('?') == std::string_view::npos ? "?" : "&") + "_sid=any-session",
              std::move(headers))
      .body;
}

TEST_CASE("parts: a call recorded in compounds advances like any sequence") {
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
  // Parts also work in a compound that was not recorded.
  const std::string again = log_in(handler, "cid");
  CHECK(bodies(handler, compound({get_part, get_part, get_part, get_part}), again, 1)
            .front()
            .find(R"("n":3},"method":"get","success":true,"version":1}]})") != std::string::npos);
}

TEST_CASE("parts: a part that writes counts as a write of the lane") {
  const auto cassette = cassette_with(
      {login("ann", sid_a), record(compound({get_part, set_part, get_part}), answer({n(1), done, n(2)}), sid_a),
       record(compound({get_part}), answer({n(3)}), sid_a)});
  ReplayHandler handler(playing(cassette), 1);
  const std::string ann = log_in(handler, "ann");
  CHECK(bodies(handler, get_text, ann, 3) == Bodies{whole(1), whole(1), whole(1)});
  CHECK(bodies(handler, set_text, ann, 1) == Bodies{std::string(ok)});
  CHECK(bodies(handler, get_text, ann, 3) == Bodies{whole(2), whole(3), whole(3)});
}

TEST_CASE("parts: a compound replayed as a whole counts once for each part that writes") {
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
  // One of the two alone is not enough.
  const std::string bob = log_in(handler, "bob");
  (void)bodies(handler, set_text, bob, 1);
  CHECK(bodies(handler, poll, bob, 1) == Bodies{whole(1)});
  (void)bodies(handler, "SVC.Core.SNMP/1/set?on=true", bob, 1);
  CHECK(bodies(handler, poll, bob, 1) == Bodies{whole(2)});
}

TEST_CASE("parts: errors, labels, and missing calls") {
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

TEST_CASE("parts: a complete recording of the call alone takes precedence over parts") {
  const auto cassette =
      cassette_with({record(compound({get_part}), answer({n(1)})), record(get_text, whole(7)),
                     record(compound({set_part}), answer({done})), record(set_text, "{\"succ").broken("cut")});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(call(handler, get_text).body == whole(7));
  CHECK(call(handler, set_text).body == ok);
}

/// Returns the target of a compound of gets that was not recorded as a whole.
std::string made_up(const std::vector<int>& numbers) {
  std::string list;
  for (const int number : numbers) {
    list.append(list.empty() ? "" : ",")
        .append(R"({"api":"SVC.Core.Terminal","data":{"n":)" + std::to_string(number) +
                R"(},"method":"get","success":true,"version":1})");
  }
  return R"({"data":{"has_fail":false,"result":[)" + list + R"(]},"success":true})";
}

/// Recorded interactions by take, and the expected responses of one session.
struct Told {
  std::string what;
  std::vector<std::vector<testing::Recorded>> takes;
  std::vector<std::string> asked;
  Bodies told;  ///< responses to the last text
};

void check(const Told& row) {
  CAPTURE(row.what);
  const testing::TestCassette cassette;
  for (const auto& take : row.takes) testing::record_take(cassette.path(), take);
  ReplayHandler handler(playing(cassette), 1);
  const std::string sid = log_in(handler, "zoe");
  for (std::size_t i = 0; i + 1 < row.asked.size(); ++i) (void)bodies(handler, row.asked[i], sid, 1);
  CHECK(bodies(handler, row.asked.back(), sid, static_cast<int>(row.told.size())) == row.told);
}

TEST_CASE("parts: a valid session gets another response than the end of a different session") {
  const std::string get(get_text), set(set_text), sid(sid_a);
  const std::string two = compound({get_part, set_part});
  const std::string ended = "{" + refused(119) + "}", failed = "{" + refused(402) + "}";
  const auto rec = [&](const std::string& text, const std::string& body) { return record(text, body, sid); };
  const auto in = login("ann", sid);
  const auto ends = rec(two, answer({refused(119), refused(119)}));
  const std::vector<Told> rows = {
      {"alone after the end, and as a part before",
       {{in, rec(compound({get_part}), answer({n(1)})), rec(get, ended)}},
       {get},
       {whole(1), whole(1)}},
      {"as a part after the end, and alone before",
       {{in, rec(get, whole(1)), rec(compound({get_part}), answer({refused(119)}))}},
       {get},
       {whole(1), whole(1)}},
      {"only as a part after the end, in another compound",
       {{in, rec(get, whole(1)), rec(compound({get_part}), answer({refused(119)}))}},
       {compound({get_part, get_part})},
       {made_up({1, 1})}},
      {"a compound, and once more after the end",
       {{in, rec(two, answer({n(1), done})), ends}},
       {two},
       {answer({n(1), done}), answer({n(1), done})}},
      {"of which a part is asked for alone", {{in, rec(two, answer({n(1), done})), ends}}, {get}, {whole(1), whole(1)}},
      {"a compound in another take",
       {{in, rec(two, answer({n(1), done}))}, {in, ends}},
       {two},
       {answer({n(1), done}), answer({n(1), done})}},
      {"and where nothing else is known of it, it is what the device says",
       {{in, ends}},
       {two},
       {answer({refused(119), refused(119)})}},
      {"the take of the session's write has the call after its end alone",
       {{in, rec(get, whole(1))}, {in, rec(set, std::string(ok)), rec(get, ended)}},
       {get, set, get},
       {whole(1), whole(1)}},
      {"the newest take has it after its end alone, and an older one another error",
       {{in, rec(get, failed)}, {in, rec(get, ended)}},
       {get},
       {failed, failed}},
      {"no take has anything else", {{in, rec(get, ended)}, {in, rec(get, ended)}}, {get}, {ended}},
  };
  for (const Told& row : rows) check(row);
}

TEST_CASE("parts: a call recorded only after its session's end does not belong to the lane") {
  const auto at = [](testing::Recorded row, int ms) {
    return std::move(row).at(testing::fixture_start_us + ms * 1000, testing::fixture_start_us + ms * 1000 + 500);
  };
  const std::string ended = "{" + refused(119) + "}";
  const auto cassette =
      cassette_with({at(login("ann", sid_a), 1), at(login("ann", sid_b), 2), at(record(get_text, ended, sid_a), 3),
                     at(record(get_text, whole(2), sid_b), 4), at(record("SVC.X/1/get", ok, sid_a), 5)});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(bodies(handler, get_text, log_in(handler, "zoe"), 2) == Bodies{whole(2), whole(2)});
}

TEST_CASE("parts: a part is preferred if it is nearer to the state after the client's writes") {
  const std::string get(get_text), set(set_text), sid(sid_a);
  const auto rec = [&](const std::string& text, const std::string& body) { return record(text, body, sid); };
  const auto in = login("ann", sid);
  const auto alone = [&](int number) { return rec(get, whole(number)); };
  const auto part = [&](int number) { return rec(compound({get_part}), answer({n(number)})); };
  const auto write = rec(set, std::string(ok));
  const std::string setting = compound({set_part, get_part});
  const auto set_and_get = [&](int number) { return rec(setting, answer({done, n(number)})); };
  const auto failing = rec(get, "{" + refused(402) + "}");
  const std::vector<Told> rows = {
      {"only as a part after the write", {{in, alone(1), set_and_get(2)}}, {get, set, get}, {whole(2), whole(2)}},
      {"a write that is made in the compound", {{in, alone(1), set_and_get(2)}}, {get, setting, get}, {whole(2)}},
      {"not before the write", {{in, alone(1), set_and_get(2)}}, {get}, {whole(1), whole(1)}},
      {"only as a part before the write", {{in, part(1), write, alone(2)}}, {get}, {whole(1), whole(1)}},
      {"and alone after it", {{in, part(1), write, alone(2)}}, {get, set, get}, {whole(2), whole(2)}},
      {"by turns", {{in, alone(1), write, part(2), write, alone(3)}}, {get, set, get}, {whole(2), whole(2)}},
      {"and on", {{in, alone(1), write, part(2), write, alone(3)}}, {get, set, get, set, get}, {whole(3), whole(3)}},
      {"both behind writes that are not made", {{in, write, part(1), write, alone(2)}}, {get}, {whole(1), whole(1)}},
      {"as it was recorded", {{in, alone(1), part(2), alone(3)}}, {get, compound({get_part}), get}, {whole(3)}},
      {"in the same state it is the one alone", {{in, part(1), alone(2), part(3)}}, {get}, {whole(2), whole(2)}},
      {"the take of the write has it as a part",
       {{in, part(1), set_and_get(2)}, {in, alone(9)}},
       {get, set, get},
       {whole(2), whole(2)}},
      {"the newest take has it alone", {{in, part(1), set_and_get(2)}, {in, alone(9)}}, {get}, {whole(9), whole(9)}},
      {"the newest take has it as a part", {{in, alone(1)}, {in, part(9)}}, {get}, {whole(9), whole(9)}},
      {"the newest take in which it succeeded has it as a part", {{in, part(1)}, {in, failing}}, {get}, {whole(1)}},
      {"or alone",
       {{in, alone(1)}, {in, rec(compound({get_part}), answer({refused(402)}))}},
       {get},
       {whole(1), whole(1)}},
  };
  for (const Told& row : rows) check(row);
}

TEST_CASE("parts: X-Tapedeck-Match marks each response that comes from a part") {
  const auto cassette =
      cassette_with({record(get_text, whole(1)), record(compound({set_part, get_part}), answer({done, n(2)}))});
  ReplayHandler handler(playing(cassette), 1);
  const auto match = [&](std::string_view text) {
    return std::string(call(handler, text).headers.first("X-Tapedeck-Match").value_or("none"));
  };
  CHECK(match(get_text) == "none");
  CHECK(match(set_text) == "part of a recorded compound");
  CHECK(match(get_text) == "part of a recorded compound");
  CHECK(handler.stats().out_of_order == 0);
}

TEST_CASE("parts: a part in the session's lane takes precedence over another lane's recording") {
  const auto at = [](testing::Recorded row, int ms) {
    return std::move(row).at(testing::fixture_start_us + ms * 1000, testing::fixture_start_us + ms * 1000 + 500);
  };
  const auto cassette =
      cassette_with({at(login("ann", sid_a), 1), at(login("ann", sid_b), 2),
                     at(record(compound({get_part}), answer({n(1)}), sid_a), 3),
                     at(record(get_text, whole(2), sid_b), 4), at(record("SVC.X/1/get", ok, sid_a), 5)});
  ReplayHandler handler(playing(cassette), 1);
  const std::string first = log_in(handler, "zoe");
  CHECK(bodies(handler, get_text, log_in(handler, "zoe"), 1) == Bodies{whole(2)});
  CHECK(bodies(handler, get_text, first, 1) == Bodies{whole(1)});
}

TEST_CASE("parts: in a recorded scope a call is replayed as a part after the write, and alone as recorded") {
  const std::string get(get_text), setting = compound({set_part, get_part});
  const auto cassette = cassette_with({record(get, whole(1), sid_a).in_scope("t"),
                                       record(setting, answer({done, n(2)}), sid_a).in_scope("t"),
                                       record(get, "{" + refused(119) + "}", sid_a).in_scope("u"),
                                       record(compound({get_part}), answer({n(3)}), sid_a).in_scope("u")});
  ReplayHandler handler(playing(cassette), 1);
  const auto told = [&](std::string_view scope, std::string_view text) {
    http::Headers headers;
    if (!scope.empty()) headers.add("X-Tapedeck-Scope", scope);
    return get_in(handler, text, headers);
  };
  CHECK(told("t", get) == whole(1));
  CHECK(told("t", set_text) == ok);
  CHECK(told("t", get) == whole(2));
  CHECK(told("u", get) == "{" + refused(119) + "}");
}

TEST_CASE("parts: lanes and takes apply to parts as to calls") {
  const auto at = [](testing::Recorded row, int ms) {
    return std::move(row).at(testing::fixture_start_us + ms * 1000, testing::fixture_start_us + ms * 1000 + 500);
  };
  const auto cassette = cassette_with({at(login("ann", sid_a), 1), at(login("ann", sid_b), 2),
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

TEST_CASE("parts: a recorded compound that cannot be replayed is not composed of its parts") {
  const std::string sid(sid_a), one = compound({get_part}), two = compound({get_part, set_part});
  const auto secret = [](std::string_view value) { return compound({get_part}) + "&password=" + std::string(value); };
  const auto cassette =
      cassette_with({login("ann", sid), record(one, answer({n(1)}), sid), record(two, "{\"succ", sid).broken("cut"),
                     record(set_text, ok, sid), record(secret("hunter2hunter"), answer({n(2)}), sid),
                     record(secret(sid), answer({n(3)}), sid)});
  ReplayOptions options = playing(cassette);
  options.at_end = AtEnd::miss;
  ReplayHandler handler(options, 1);
  const auto miss = [&](const std::string& text) {
    const http::Response response = call(handler, text + "&_sid=any-session");
    return outcome(response) + ": " + std::string(response.headers.first("X-Tapedeck-Miss").value_or(""));
  };
  CHECK(miss(one) == "recorded: ");
  CHECK(miss(one) == "miss: the recorded sequence is over");
  CHECK(miss(two) == "miss: 1 recordings of it exist, but all are broken or withheld");
  CHECK(miss(secret("another-one")) == "miss: 2 recordings differ only in redacted parameters");
  // A compound that was not recorded is composed.
  CHECK(miss(compound({set_part})) == "builtin: ");
  // So is one that an overlay needs part by part.
  handler.overlays().post(read_posted_overlays(R"([{"call":"Core.Terminal/1/set","data":{"by":"hand"}}])"));
  const std::string apart = call(handler, two + "&_sid=another-session").body;
  CHECK(apart.find(R"("data":{"by":"hand"})") != std::string::npos);
  CHECK(apart.find(n(1).substr(0, n(1).find(','))) != std::string::npos);
}

TEST_CASE("parts: a redacted value matches any other, and a miss lists parts of compounds") {
  const std::string sid(sid_a);
  const auto check_part = [](std::string_view name, std::string_view password) {
    return R"({"api":"SVC.Core.User","version":1,"method":"check","name":")" + std::string(name) + R"(","password":")" +
           std::string(password) + R"("})";
  };
  const auto check_text = [](std::string_view name, std::string_view password) {
    return "SVC.Core.User/1/check?name=" + std::string(name) + "&password=" + std::string(password);
  };
  const std::string page_part = R"({"api":"SVC.Core.Page","version":1,"method":"list","limit":10})";
  const auto compounds = [&](std::string_view scope) {
    std::vector<testing::Recorded> rows = {
        login("ann", sid), record(compound({check_part("joe", "hunter2hunter"), page_part}), answer({n(1), n(2)}), sid),
        record(compound({check_part("sue", "hunter2hunter")}), answer({n(3)}), sid),
        record(compound({check_part("sue", sid)}), answer({n(4)}), sid)};
    for (testing::Recorded& row : rows) row.interaction.scope = scope;
    return rows;
  };
  struct Row {
    std::string text, body, match;  ///< for a miss, `body` is the reason
  };
  const std::string redacted = "part of a recorded compound, redacted=password";
  const std::vector<Row> rows = {
      {check_text("joe", "hunter2hunter"), whole(1), redacted},
      {check_text("joe", "another-one"), whole(1), redacted},
      {compound({check_part("joe", "another-one")}), "", ""},
      {check_text("jim", "hunter2hunter"), "", "`name` differs"},
      {check_text("sue", "another-one"), "", "2 recordings differ only in redacted parameters"},
      {"SVC.Core.Page/1/list?limit=20", "", "`limit` differs"},
      {"SVC.Core.Page/7/list?limit=10", "", "the version differs"},
      {"SVC.Core.Page/1/other", "", "no cassette contains this method, and it is not a known method"},
      {"SVC.Core.None/1/list", "", "no cassette contains this API, and it is not a known API"},
  };
  for (const std::string scope : {"", "t"}) {
    const auto cassette = cassette_with(compounds(scope));
    ReplayHandler handler(playing(cassette), 1);
    for (const Row& row : rows) {
      CAPTURE(scope, row.text);
      http::Headers headers;
      if (!scope.empty()) headers.add("X-Tapedeck-Scope", scope);
      const std::string mark = row.text.find('?') == std::string::npos ? "?" : "&";
      const http::Response response = call(handler, row.text + mark + "_sid=any-session", headers);
      if (row.match.empty()) {
        CHECK(outcome(response) == "builtin");
        CHECK(response.body.find(R"("n":1)") != std::string::npos);
      } else if (row.body.empty()) {
        CHECK(response.headers.first("X-Tapedeck-Miss").value_or("none") == row.match);
      } else {
        CHECK(response.body == row.body);
        CHECK(response.headers.first("X-Tapedeck-Match").value_or("none") == row.match);
      }
    }
  }
  const auto cassette = cassette_with(compounds(""));
  ReplayHandler handler(playing(cassette), 1);
  const std::string miss = call(handler, "SVC.Core.Page/1/list?limit=20").body;
  CHECK(miss.find(R"("code":100)") != std::string::npos);
  CHECK(miss.find("SVC.Core.Page/1/list?limit=10") != std::string::npos);
  ReplayOptions ignoring = playing(cassette);
  ignoring.match_rules.push_back({"Core.Page", "", {"limit"}, {}, false});
  ReplayHandler loose(ignoring, 1);
  CHECK(call(loose, "SVC.Core.Page/1/list?limit=20").body == whole(2));
}

TEST_CASE("parts: a session's own values are inserted at their places in a part") {
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

TEST_CASE("replay: a compound gets at most 32 MiB of recorded responses") {
  const std::string long_answer = R"({"data":")" + std::string(4u << 20, 'x') + R"(","success":true})";
  const auto cassette = cassette_with({record(get_text, long_answer)});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(call(handler, compound(std::vector<std::string>(7, get_part))).body.size() > 7 * (4u << 20));
  CHECK(call(handler, compound(std::vector<std::string>(8, get_part))).body == testing::error(120));
}

}  // namespace
}  // namespace tapedeck::replay
