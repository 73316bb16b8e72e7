#include "api/request_key.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "api/key_text.h"
#include "tests/api/requests.h"

using namespace std::string_view_literals;

namespace tapedeck::api {
namespace {

constexpr std::string_view entry = "/webapi/entry.cgi?";

std::string key_of_query(std::string_view query) { return key(get(std::string(entry).append(query))); }

}  // namespace

TEST_CASE("key: a call is its API, version, method, and parameters") {
  struct Row {
    std::string_view query;
    std::string_view expected;
  };
  const Row rows[] = {
      {"api=SVC.Core.Network&version=1&method=get", "SVC.Core.Network/1/get"},
      {"api=SVC.Core.AppPortal&version=1&method=list&additional=%5B%22default_setting%22%5D",
       R"(SVC.Core.AppPortal/1/list?additional=["default_setting"])"},
      {"api=SVC.X&version=2&method=GetInfo&b=1&a=2&_sid=made-up", "SVC.X/2/getinfo?a=2&b=1"},
      {"api=SVC.X&version=1&method=get&q=a%26b%3Dc%25%3C%3E%23+%2B", "SVC.X/1/get?q=a%26b%3Dc%25%3C%3E%23%20%2B"},
      {"api=SVC.X&version=1&method=get&q=%C3%A9%E2%82%AC%F0%9F%98%80",
       "SVC.X/1/get?q=\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
      {"api=SVC.X&version=1&method=get&q=%ff%C3%28%ED%A0%80%C0%80", "SVC.X/1/get?q=%FF%C3(%ED%A0%80%C0%80"},
      {"api=SVC.X&version=1&method=get&q=%1b%5b2J%7f%c2%9b", "SVC.X/1/get?q=%1B[2J%7F%C2%9B"},
      {"api=SVC.X/Y?&version=1/2&method=g/t@/x", "SVC.X%2FY%3F/1%2F2/g%2Ft@%2Fx"},
      // missing names are empty, and a request without an API is not a call
      {"api=SVC.X&method=get", "SVC.X//get"},
      {"", "GET /webapi/entry.cgi"},
      {"version=1&a=b", "GET /webapi/entry.cgi?a=b&version=1"},
  };
  for (const Row& row : rows) {
    INFO("query " << row.query);
    CHECK(key_of_query(row.query) == row.expected);
  }
}

TEST_CASE("key: requests with the same meaning have equal keys") {
  const std::pair<std::string_view, std::string_view> rows[] = {
      // order of parameters
      {"a=1&b=2", "b=2&a=1"},
      {"a=1&b=3&a=2", "b=3&a=1&a=2"},
      // JSON text
      {"items=ALL", "items=%22ALL%22"},
      {"v=1", "v=%221%22"},
      {"v=true", "v=True"},
      {"v=true", "v=%22true%22"},
      {"v=[%22a%22,%22b%22]", "v=[+%22a%22,%20%22b%22+]"},
      {"v=a,b", "v=[%22a%22,%22b%22]"},
      {"v={%22a%22:1,%22b%22:[2]}", "v={%22b%22:[%222%22],+%22a%22:%221%22}"},
      {"v=", "v"},
      {"v=", "v=%22%22"},
      // percent-encoding
      {"path=/a+b", "path=%2Fa%20b"},
      {"q=%zz", "q=%25zz"},
      {"q=b=c", "q=b%3Dc"},
      {"%61=1", "a=1"},
      // volatile and secret parameters
      {"a=1", "a=1&_sid=s&SynoToken=t"},
      {"a=1&client_time=1&_dc=2", "a=1&client_time=3"},
      {"a=1&_=1700000000000", "a=1&_=1700000000001"},
      {"a=1&_=1700000000000", "a=1"},
  };
  for (const auto& [one, other] : rows) {
    INFO(one << " and " << other);
    CHECK(key(call_with(one)) == key(call_with(other)));
  }
}

TEST_CASE("key: requests with different meanings have different keys") {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"v=1", "v=1.0"},
      {"v=1", "v=01"},
      {"v=", ""},
      {"v=%22%22", ""},
      {"v=ALL", "v=all"},
      {"v=word", "v=[%22word%22]"},
      {"v=[%22a%22,%22b%22]", "v=[%22b%22,%22a%22]"},
      {"v=%22[1]%22", "v=[1]"},
      {"v=a&v=b", "v=b&v=a"},
      {"v=a&v=a", "v=a"},
      {"v=a&v=b", "v=a,b"},
      {"v=%ff", "v=%fe"},
      {"v=%ff", "v=%25FF"},
      {"v=%3CSESSION_ID%3E", "v=%253CSESSION_ID%253E"},
      {"account=ada", "account=bob"},
      {"sid=1", "_sid=1"},
      {"a=1%26b=2", "a=1&b=2"},
      {"synotoken=1", ""},
      // secrets that only logins have
      {"device_id=1", "device_id=3"},
      {"passwd=1", "passwd=2"},
      {"otp_code=1", ""},
      {"device_name=1", "device_name=2"},
      {"client=1", "client=2"},
      {"__cIpHeRtExT=1", "__cIpHeRtExT=2"},
      {"ik_message=1", ""},
      {"mimeType=1", "mimeType=2"},
  };
  for (const auto& [one, other] : rows) {
    INFO(one << " and " << other);
    CHECK(key(call_with(one)) != key(call_with(other)));
  }
}

TEST_CASE("key: verb, path, and place of parameters do not change the key of a call") {
  const std::string expected = "SVC.X/1/get?a=1";
  const std::string query = "api=SVC.X&version=1&method=get&a=1";
  CHECK(key(get("/webapi/entry.cgi?" + query)) == expected);
  CHECK(key(get("/webapi/dsm/info.cgi?" + query)) == expected);
  CHECK(key(get("/dsm/webapi/entry.cgi?" + query), {}, "/dsm") == expected);
  CHECK(key(get("/webapi/entry.cgi/SVC.X?version=1&method=get&a=1")) == expected);
  CHECK(key(post_form("/webapi/entry.cgi", query)) == expected);
  CHECK(key(post_form("/webapi/entry.cgi?" + query, query)) == expected);
  CHECK(key(post_form("/webapi/entry.cgi?api=SVC.X&version=1&a=2", "method=get&a=1")) == expected);
  CHECK(key({"POST", "/webapi/entry.cgi", 1, {}, query}) == expected);
  CHECK(key({"POST", "/webapi/entry.cgi", 1, {}, R"({"api":"SVC.X","version":1,"method":"get","a":"1"})"}) == expected);
}

TEST_CASE("key: contains the prefix and a body without parameters") {
  const std::string query = "api=SVC.X&version=1&method=get&a=1";
  CHECK(key(get("/photo/webapi/entry.cgi?" + query)) == "SVC.X/1/get@/photo?a=1");
  CHECK(key(get("/x%3f y/webapi/entry.cgi?" + query)) == "SVC.X/1/get@/x%3F%20y?a=1");
  CHECK(key(get("/other.php?" + query)) == "SVC.X/1/get@/other.php?a=1");
  CHECK(key({"POST", "/webapi/entry.cgi?" + query, 1, {}, "hello"}) == "SVC.X/1/get?a=1#2cf24dba5fb0a30e");
  CHECK(key({"POST", "/photo/webapi/entry.cgi?api=SVC.X&version=1&method=get", 1, {}, "hello"}) ==
        "SVC.X/1/get@/photo#2cf24dba5fb0a30e");
  CHECK(key({"POST", "/webapi/entry.cgi", 1, {}, "hello"}) == "POST /webapi/entry.cgi #2cf24dba5fb0a30e");
  // A multipart body whose framing is broken.
  http::Request upload = post_multipart("/webapi/entry.cgi?" + query, "AaB03x", "hello");
  upload.body.resize(upload.body.size() - 8);
  CHECK(key(upload).starts_with("SVC.X/1/get?a=1#"));
  const RequestKey read = RequestKey::parse("SVC.X/1/get@/x%3F%20y?a=1&b=@/c#12<SECRET>");
  CHECK(read.is_call);
  CHECK(read.method == "get");
  CHECK(read.prefix == "/x? y");
  CHECK(read.item_text() == "a=1&b=@/c");
  CHECK(read.body() == "12<SECRET>");
  CHECK(read.with_label("SYNO") == "SYNO.X/1/get@/x%3F%20y?a=1&b=@/c#12<SECRET>");
}

TEST_CASE("key: a login below API.Auth has no secrets in its key") {
  CHECK(key_of_query("api=SVC.API.Auth.Key&version=7&method=Login&passwd=p&device_id=d&client=c&x=1") ==
        "SVC.API.Auth.Key/7/login?x=1");
  CHECK(key_of_query("api=SVC.API.Auth.Key&version=7&method=get&device_id=d") == "SVC.API.Auth.Key/7/get?device_id=d");
}

TEST_CASE("key: a login has only the presence of its parameters in its key") {
  struct Row {
    std::string_view query;
    std::string_view expected;
  };
  const Row rows[] = {
      {"account=ada&passwd=made-up&format=sid&otp_code=123456&enable_device_token=yes&session=FileStation",
       "SVC.API.Auth/6/login?enable_device_token&format&otp_code"},
      {"account=bob&passwd=other&format=cookie&otp_code=&enable_device_token=no",
       "SVC.API.Auth/6/login?enable_device_token&format&otp_code"},
      {"account=bob&passwd=other", "SVC.API.Auth/6/login"},
      {"__cIpHeRtExT=%7B%22rsa%22%3A%22x%22%7D&client_time=1", "SVC.API.Auth/6/login"},
      {"enable_syno_token=yes&device_id=d&device_id=e", "SVC.API.Auth/6/login?device_id&enable_syno_token"},
  };
  for (const Row& row : rows) {
    INFO("query " << row.query);
    const std::string head = "api=SVC.API.Auth&version=6&method=login&";
    CHECK(key_of_query(head + std::string(row.query)) == row.expected);
    CHECK(key(post_form("/webapi/auth.cgi", head + std::string(row.query))) == row.expected);
  }
  CHECK(key_of_query("api=SYNO.API.Auth&version=6&method=Login&account=a") == "SYNO.API.Auth/6/login");
  CHECK(key_of_query("api=SVC.API.Auth&version=6&method=logout&_sid=made-up&session=DSM") ==
        "SVC.API.Auth/6/logout?session=DSM");
}

TEST_CASE("key: a redacted value appears as its label") {
  struct Row {
    std::string_view query;
    std::string_view redacted;
    std::string_view expected;
  };
  const Row rows[] = {
      {"taskid=FileStation_5", "FileStation_5", "taskid=<TASK_ID:1>"},
      {"taskid=FileStation%205", "FileStation%205", "taskid=<TASK_ID:1>"},
      {"taskid=%22FileStation_5%22", "FileStation_5", "taskid=<TASK_ID:1>"},
      {"v=[%22x%22,%22SECRET%22]", "SECRET", R"(v=["x","<TASK_ID:1>"])"},
      {"v=[1,+77+]", "77", R"(v=["1","<TASK_ID:1>"])"},
      {"v={%22b%22:1,%22a%22:%22pre-SECRET-post%22}", "SECRET", R"(v={"a":"pre-<TASK_ID:1>-post","b":"1"})"},
      {"v=SECRET,b", "SECRET", R"(v=["<TASK_ID:1>","b"])"},
      {"v=rtsp://SECRET@192.0.2.7/%26", "SECRET", "v=rtsp://<TASK_ID:1>@192.0.2.7/%26"},
      // a placeholder in JSON text
      {"v=[1,<TASK_ID>]", "<TASK_ID>", R"(v=["1","<TASK_ID:1>"])"},
      {"v=%3CTASK_ID%3E", "nothing of it", "v=%3CTASK_ID%3E"},
  };
  for (const Row& row : rows) {
    INFO("query " << row.query);
    const http::Request request = call_with(row.query);
    std::vector<Hole> holes;
    if (request.target.find(row.redacted) != std::string::npos) {
      holes.push_back(hole_over(request, RequestPart::target, row.redacted, "TASK_ID:1"));
    }
    CHECK(key(request, holes) == "SVC.X/1/get?" + std::string(row.expected));
    CHECK(KeyPolicy::current().key(request, {}, holes).has_holes == !holes.empty());
  }
}

TEST_CASE("key: a hole is compared by its label and not by its text") {
  const http::Request recorded = call_with("v=[%22<SESSION_ID>%22,1]&w=%3CSESSION_ID%3E");
  const http::Request live = call_with("w=ab%2Bcd&v=[%20%22ab%2Bcd%22,+%221%22]");
  const std::vector<Hole> in_recorded = {hole_over(recorded, RequestPart::target, "<SESSION_ID>", "SESSION_ID"),
                                         hole_over(recorded, RequestPart::target, "%3CSESSION_ID%3E", "SESSION_ID")};
  Hole second = hole_over(live, RequestPart::target, "ab%2Bcd", "SESSION_ID");
  Hole first = second;
  first.span.offset = live.target.rfind("ab%2Bcd");
  CHECK(key(recorded, in_recorded) == R"(SVC.X/1/get?v=["<SESSION_ID>","1"]&w=<SESSION_ID>)");
  CHECK(key(live, {first, second}) == key(recorded, in_recorded));
  second.label = "TASK_ID:1";
  CHECK(key(live, {first, second}) != key(recorded, in_recorded));
  CHECK(key(live) != key(recorded, in_recorded));
}

TEST_CASE("key: handles holes that overlap or extend beyond a value") {
  const http::Request request = call_with("v=abcdef");
  const std::size_t at = request.target.find("abcdef");
  CHECK(key(request, {{RequestPart::target, {0, 10'000}, "A"}}) == "SVC.X/1/get?v=<A>");
  CHECK(key(request, {{RequestPart::target, {at + 1, 2}, "A"}, {RequestPart::target, {at + 2, 3}, "B"}}) ==
        "SVC.X/1/get?v=a<A>def");
  CHECK(key(request, {{RequestPart::body, {at, 6}, "A"}}) == "SVC.X/1/get?v=abcdef");
  CHECK(key(request, {{RequestPart::target, {at, 6}, "x&<y"}}) == "SVC.X/1/get?v=<x%26%3Cy>");
}

TEST_CASE("key: an upload has its fields and the content of its file, but not the boundary") {
  const std::string one = key(post_multipart("/webapi/entry.cgi", "AaB03x", "hello"));
  CHECK(one == "SVC.FileStation.Upload/2/upload?file=@x.txt:2cf24dba5fb0a30e&path=/home/a%20b");
  CHECK(one == key(post_multipart("/webapi/entry.cgi", "other", "hello")));
  CHECK(one != key(post_multipart("/webapi/entry.cgi", "AaB03x", "world")));
  const http::Request request = post_multipart("/webapi/entry.cgi", "AaB03x", "hello");
  CHECK(key(request, {hole_over(request, RequestPart::body, "hello", "PASSWORD")}) != one);
}

TEST_CASE("key: the headers of a multipart field count, unless they state the default") {
  const auto upload = [](const std::string& head, bool is_file = true) {
    http::Request request;
    request.method = "POST";
    request.target = "/webapi/entry.cgi?api=SVC.X&version=1&method=upload";
    request.headers.add("Content-Type", "multipart/form-data; boundary=frontier");
    request.body = "--frontier\r\nContent-Disposition: form-data; name=\"f\"" +
                   std::string(is_file ? "; filename=\"a.txt\"" : "") + head + "\r\n\r\nhello\r\n--frontier--\r\n";
    return key(request);
  };
  const std::string plain = upload("");
  CHECK(plain == "SVC.X/1/upload?f=@a.txt:2cf24dba5fb0a30e");
  CHECK(upload("\r\nContent-Type: text/csv") == plain + "+text/csv");
  CHECK(upload("\r\nContent-Type: text/plain") == plain + "+text/plain");
  CHECK(upload("; filename*=UTF-8''b.txt") != plain);
  CHECK(upload("; filename*=UTF-8''b.txt") != upload("; filename*=UTF-8''c.txt"));
  CHECK(upload("\r\nContent-Transfer-Encoding: base64") != plain);
  CHECK(upload("\r\ncontent-transfer-encoding: binary\r\nContent-Length: 5") == plain);
  CHECK(upload("", false) == "SVC.X/1/upload?f=hello");
  CHECK(upload("\r\nContent-Type: text/plain; charset=utf-8", false) == upload("", false));
  CHECK(upload("\r\nContent-Type: application/json", false) == upload("", false) + "+application/json");
}

TEST_CASE("key: a request that is not a call has verb, path, query, and body") {
  const http::Headers json = {{"Content-Type", "application/json"}};
  struct Row {
    http::Request request;
    std::string_view expected;
  };
  const Row rows[] = {
      {get("/scripts/boot.js?v=2"), "GET /scripts/boot.js?v=2"},
      {get("/scripts/boot.js"), "GET /scripts/boot.js"},
      {get("/scripts/boot.js?"), "GET /scripts/boot.js"},
      {get("/a%20b%3f+?y=1&x=%222%22&_dc=77&_=7"), "GET /a%20b%3F%2B?x=2&y=1"},
      {get("/dsm/x.js"), "GET /x.js"},
      {get("/dsmx/x.js"), "GET /dsmx/x.js"},
      {{"POST", "/x", 1, json, "hello"}, "POST /x #2cf24dba5fb0a30e"},
      {{"OPTIONS", "/webapi/entry.cgi?api=SVC.X&version=1&method=get", 1, {}, {}},
       "OPTIONS /webapi/entry.cgi?api=SVC.X&method=get&version=1"},
      {post_form("/x", "_sid=made-up"), "POST /x"},
  };
  for (const Row& row : rows) {
    INFO("target " << row.request.target);
    CHECK(key(row.request, {}, "/dsm") == row.expected);
  }
}

TEST_CASE("key: the body of a request that is not a call has no boundary and no redacted text") {
  CHECK(key(post_form("/x", "a=1&b=2")) == key(post_form("/x", "b=2&a=1&_sid=made-up")));
  CHECK(key(post_form("/x", "a=1")) != key(post_form("/x", "a=2")));
  CHECK(key(post_multipart("/upload", "one", "hello")) == key(post_multipart("/upload", "two", "hello")));
  CHECK(key(post_multipart("/upload", "one", "hello")) != key(post_multipart("/upload", "one", "other")));
  const http::Request recorded{"PUT", "/x/<SESSION_ID>/y", 1, {}, "a<SESSION_ID>b"};
  const http::Request live{"PUT", "/x/0123/y", 1, {}, "a0123b"};
  const auto holes = [](const http::Request& request, std::string_view text) {
    return std::vector<Hole>{hole_over(request, RequestPart::target, text, "SESSION_ID"),
                             hole_over(request, RequestPart::body, text, "SESSION_ID")};
  };
  CHECK(key(recorded, holes(recorded, "<SESSION_ID>")) != key(live, holes(live, "0123")));
  CHECK(key(live) != key(live, holes(live, "0123")));
  CHECK(key(live, holes(live, "0123")).starts_with("PUT /x/<SESSION_ID>/y #redacted+"));
}

TEST_CASE("key: with_label replaces the first label") {
  const RequestKey call = KeyPolicy::current().key(call_with("a=1"), {}, {});
  CHECK(call.with_label("SYNO") == "SYNO.X/1/get?a=1");
  CHECK(call.with_label("") == "X/1/get?a=1");
  CHECK(KeyPolicy::current().key(get("/a/b"), {}, {}).with_label("SYNO") == "GET /a/b");
  CHECK(RequestKey::parse("Plain/1/get").with_label("SYNO") == "Plain/1/get");
}

TEST_CASE("key: leaves_out is true for exactly the listed names") {
  const std::string_view names[] = {"_sid", "SynoToken", "client_time", "_dc", "_"};
  const KeyPolicy policy = KeyPolicy::current();
  for (const std::string_view name : names) {
    INFO(name);
    CHECK(policy.leaves_out(name));
    for (std::size_t at = 0; at < name.size(); ++at) {
      std::string other(name);
      other[at] = static_cast<char>(other[at] ^ 0x20);
      CHECK_FALSE(policy.leaves_out(other));
    }
    CHECK_FALSE(policy.leaves_out(std::string(name) + "_"));
    CHECK_FALSE(policy.leaves_out(name.substr(1)));
  }
  CHECK_FALSE(policy.leaves_out(""));
}

TEST_CASE("key: rejects an unknown policy") {
  CHECK(KeyPolicy(KeyPolicy::current_number).number() == 2);
  CHECK_THROWS_AS(KeyPolicy(1), std::invalid_argument);
  CHECK_THROWS_AS(KeyPolicy(3), std::invalid_argument);
}

TEST_CASE("key: the set of escaped bytes is unchanged") {
  const auto expected = [](int byte, std::string_view also) {
    const char c = static_cast<char>(byte);
    const bool plain = byte > 0x20 && byte < 0x7f && ("%&=+<>#"sv.find(c) == ""sv.npos) && also.find(c) == also.npos;
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto value = static_cast<std::size_t>(byte);
    return plain ? std::string(1, c) : std::string("%") + digits[value >> 4] + digits[value & 15];
  };
  const std::pair<KeyTextPart, std::string_view> parts[] = {
      {KeyTextPart::value, ""}, {KeyTextPart::path, "?"}, {KeyTextPart::segment, "?/"}};
  for (const auto& [part, also] : parts) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = "before ";
      append_escaped(text, std::string("a") + static_cast<char>(byte) + "z", part);
      CHECK(text == "before a" + expected(byte, also) + "z");
    }
  }
  std::string text;
  append_escaped(text, "\xc2\x9b\xc2\xa0\xe2\x82\xac<\xe2\x82");
  CHECK(text == "%C2%9B\xc2\xa0\xe2\x82\xac%3C%E2%82");
}

namespace {

struct ExpectedItem {
  std::string name, value;
};

/// Returns a key's items built in the simple way: each one separately, then sorted.
std::vector<ExpectedItem> items_one_by_one(const std::vector<Param>& params) {
  std::vector<ExpectedItem> items;
  for (const Param& param : params) {
    if (KeyPolicy::current().leaves_out(param.name)) continue;
    ExpectedItem& item = items.emplace_back();
    append_escaped(item.name, param.name);
    append_key_value(item.value, param);
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const ExpectedItem& a, const ExpectedItem& b) { return a.name < b.name; });
  return items;
}

}  // namespace

TEST_CASE("key: parsing a key returns its parts") {
  std::mt19937 random(20240611);
  const auto below = [&random](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  const auto word = [&below](std::size_t longest) {
    constexpr std::string_view bytes = "ab.C/?&=%+<>#,\"[]{}: \n\xc3\xa9\xff\x00_1"sv;
    std::string text;
    for (std::size_t n = below(longest + 1); n > 0; --n) text += bytes[below(bytes.size())];
    return text;
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<Param> params;
    for (std::size_t n = below(24); n > 0; --n) {
      Param param{word(4), word(12), RequestPart::target, {}, {}};
      param.raw = {0, param.value.size()};
      if (below(4) == 0 && !param.value.empty()) param.holes.push_back({RequestPart::target, {0, 1}, "TASK_ID:2"});
      params.push_back(param);
    }
    const Call call(word(6), word(2), word(5), params);
    const RequestKey made = KeyPolicy::current().key(call);
    const RequestKey read = RequestKey::parse(made.text);
    INFO(made.text);
    REQUIRE(read.text == made.text);
    const std::vector<ExpectedItem> expected = items_one_by_one(params);
    const std::vector<RequestKey::Item> items = made.items();
    REQUIRE(items.size() == expected.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      REQUIRE(items[i].name == expected[i].name);
      REQUIRE(items[i].value == expected[i].value);
      REQUIRE(items[i].has_hole == (expected[i].value.find('<') != std::string::npos));
    }
    REQUIRE(read.items() == items);
    REQUIRE(read.is_call);
    REQUIRE(read.api.full() == made.api.full());
    REQUIRE(read.version == made.version);
    REQUIRE(read.method == made.method);
    REQUIRE(read.has_holes == made.has_holes);
    std::stable_sort(params.begin(), params.end(),
                     [](const Param& a, const Param& b) { return a.name.size() < b.name.size(); });
    REQUIRE(KeyPolicy::current().key(Call(call.api(), call.version(), call.method(), params)).text == made.text);
  }
}

TEST_CASE("key: parsing the key of a request that is not a call returns its verb and items") {
  const RequestKey made = KeyPolicy::current().key(post_form("/a?b=%20&c=", "x=1"), {}, {});
  const RequestKey read = RequestKey::parse(made.text);
  CHECK_FALSE(read.is_call);
  CHECK(read.method == "POST");
  REQUIRE(made.items().size() == 2);
  CHECK(made.items()[0] == RequestKey::Item{"b", "%20", false});
  CHECK(made.items()[1] == RequestKey::Item{"c", "", false});
  CHECK(read.items() == made.items());
  const RequestKey without_query = RequestKey::parse("POST /a #0123456789abcdef");
  CHECK(without_query.items().empty());
}

}  // namespace tapedeck::api
