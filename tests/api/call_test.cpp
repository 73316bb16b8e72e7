#include "api/call.h"

#include <catch2/catch.hpp>

#include "tests/api/requests.h"

namespace tapedeck::api {
namespace {

/// Returns "api/version/method@prefix?name=value&…" with decoded values, or "none" for a request that is not a call.
std::string spelled(const std::optional<Call>& call) {
  if (!call) return "none";
  std::string text = call->api() + "/" + call->version() + "/" + call->method();
  if (!call->prefix().empty()) text += "@" + call->prefix();
  char mark = '?';
  for (const Param& param : call->params()) {
    text += mark + param.name + "=" + param.value;
    mark = '&';
  }
  return text;
}

std::string spelled_parts(const std::optional<std::vector<Call>>& parts) {
  if (!parts) return "none";
  std::string text;
  for (const Call& part : *parts) text += spelled(part) + ";";
  return text;
}

Call compound(std::string_view json) {
  Param param{"compound", std::string(json), RequestPart::target, {0, json.size()}, {}};
  return Call("SVC.Entry.Request", "1", "request", {param});
}

}  // namespace

TEST_CASE("call: reads a request from query, form, and path") {
  struct Row {
    http::Request request;
    std::string_view expected;
  };
  const std::string head = "api=SVC.X&version=1&method=get";
  const Row rows[] = {
      {get("/webapi/entry.cgi?" + head), "SVC.X/1/get"},
      {get("/webapi/query.cgi?" + head + "&query=all"), "SVC.X/1/get?query=all"},
      {get("/webapi/dsm/info.cgi?" + head), "SVC.X/1/get"},
      {get("/webapi/DownloadStation/task.cgi?" + head), "SVC.X/1/get"},
      {get("/webapi/" + std::string(55, '_') + "entry.cgi?" + head), "SVC.X/1/get"},
      {post_form("/webapi/entry.cgi", head + "&a=1"), "SVC.X/1/get?a=1"},
      // a name in the body replaces the same name in the query
      {post_form("/webapi/entry.cgi?" + head + "&a=1&b=2&a=3", head + "&a=4&a=5"), "SVC.X/1/get?b=2&a=4&a=5"},
      {post_form("/webapi/entry.cgi?api=SVC.X&version=1", "version=2&method=set"), "SVC.X/2/set"},
      // the API's name in the path
      {get("/webapi/entry.cgi/SVC.Core.AppPortal?version=1&method=list"), "SVC.Core.AppPortal/1/list"},
      {get("/webapi/entry.cgi/photo%20of%20us.jpg?" + head), "SVC.X/1/get@/webapi/entry.cgi/photo of us.jpg"},
      {get("/webapi/entry.cgi/SVC.X?" + head), "SVC.X/1/get"},
      {get("/webapi/entry.cgi/SVC.Y?" + head), "SVC.X/1/get@/webapi/entry.cgi/SVC.Y"},
      // quotes, as clients send them that write every value as JSON
      {get("/webapi/entry.cgi?api=%22SVC.X%22&version=%221%22&method=%22get%22"), "SVC.X/1/get"},
      {get("/webapi/entry.cgi/SVC.X?api=%22SVC.X%22&version=1&method=get"), "SVC.X/1/get"},
      {post_form("/webapi/entry.cgi", "api=\"SVC.X\"&version=1&method=\"get\"&a=1"), "SVC.X/1/get?a=1"},
      {get("/webapi/entry.cgi/?version=1&method=list"), "/1/list"},
      {post_form("/webapi/entry.cgi/SVC.Y", "version=1&method=list"), "SVC.Y/1/list"},
      // nothing else in the path is a name
      {get("/webapi/entry.cgi/SVC.Y/1/get"), "SVC.Y/1/get//"},
      // with and without the base path
      {get("/dsm/webapi/entry.cgi?" + head), "SVC.X/1/get"},
      {get("/webapi/../dsm//webapi/entry%2Ecgi?" + head), "SVC.X/1/get"},
      {get("/x/../webapi/./entry.cgi?" + head), "SVC.X/1/get"},
      {get("/%77ebapi/entry.cgi?" + head), "SVC.X/1/get"},
      // decoding
      {get("/webapi/entry.cgi?" + head + "&q=a=b=c&w=1+2%2B&e&&%zz=%ff"), "SVC.X/1/get?q=a=b=c&w=1 2+&e=&%zz=\xff"},
      {get("/webapi/entry.cgi?" + head + "&q=a?b"), "SVC.X/1/get?q=a?b"},
      {get("/webapi/entry.cgi?" + head + "&method=set"), "SVC.X/1/get?method=set"},
      {post_multipart("/webapi/entry.cgi", "AaB03x", "hello"),
       "SVC.FileStation.Upload/2/upload?path=/home/a b&file=hello"},
      // other prefixes, and other scripts that name an API and a method
      {get("/photo/webapi/entry.cgi?" + head), "SVC.X/1/get@/photo"},
      {get("/dsm/photo/webapi/entry.cgi/SVC.Y?version=1&method=get"), "SVC.Y/1/get@/photo"},
      {get("/mo/sharing//webapi/entry.cgi?" + head), "SVC.X/1/get@/mo/sharing"},
      {get("/a/webapi/b/webapi/entry.cgi?" + head), "SVC.X/1/get@/a/webapi/b"},
      {get("/photo/webapi/album.php?" + head), "SVC.X/1/get@/photo"},
      {get("/webman/login.cgi?" + head), "SVC.X/1/get@/webman/login.cgi"},
      {post_form("/x/y.php/z", head), "SVC.X/1/get@/x/y.php/z"},
      {get("/x/y.cgi/SVC.X?" + head), "SVC.X/1/get@/x/y.cgi"},
      {get("/webapi/entry.php?" + head), "SVC.X/1/get"},
      // not calls
      {get("/photo/webapi/album.php?version=1&method=get"), "none"},
      {get("/webman/login.cgi?api=SVC.X"), "none"},
      {get("/webman/login.cgi?api=&method=get"), "none"},
      {get("/webapi/.cgi?" + head), "none"},
      {get("/webapi/entry.cgix?" + head), "none"},
      {get("/"), "none"},
      {get("*"), "none"},
      {{"OPTIONS", "/webapi/entry.cgi?" + head, 1, {}, {}}, "none"},
      {{"HEAD", "/webapi/entry.cgi?" + head, 1, {}, {}}, "none"},
  };
  for (const Row& row : rows) {
    INFO("target " << row.request.target);
    CHECK(spelled(Call::from(row.request, "/dsm")) == row.expected);
    CHECK(spelled(Call::from(row.request, "/dsm/")) == row.expected);
  }
}

TEST_CASE("call: recognizes a form or JSON body without its Content-Type") {
  struct Row {
    std::string_view body, expected;
    bool is_opaque = false;
  };
  const Row rows[] = {
      {"api=SVC.X&version=1&method=get&a=1", "SVC.X/1/get?q=1&a=1"},
      {"a%5B%5D=1&b.c-d_e=&q=2", "SVC.X/9/list?a[]=1&b.c-d_e=&q=2"},
      {"a=1&b", "SVC.X/9/list?q=1", true},
      {"a=1&=2", "SVC.X/9/list?q=1", true},
      {"a b=1", "SVC.X/9/list?q=1", true},
      {"<a b=\"c\"/>", "SVC.X/9/list?q=1", true},
      {"a=1&b=2\n", "SVC.X/9/list?q=1&a=1&b=2\n"},
      // JSON
      {R"({"api":"SVC.Y","version":2,"method":"get","a":"x","l":[1, "b"],"n":1.0,"t":true})",
       R"(SVC.Y/2/get?q=1&a=x&l=[1, "b"]&n=1.0&t=true)"},
      {R"( {"q":{"deep":1},"s":"a,b","e":"a\"b","q":"again"} )",
       R"(SVC.X/9/list?q={"deep":1}&s="a,b"&e="a\"b"&q=again)"},
      {R"({})", "SVC.X/9/list?q=1"},
      {R"([1])", "SVC.X/9/list?q=1", true},
      {R"({"a":1)", "SVC.X/9/list?q=1", true},
  };
  for (const Row& row : rows) {
    for (const std::string_view type : {"", "text/plain", "application/octet-stream", "application/json"}) {
      CAPTURE(row.body, type);
      http::Request request{
          "POST", "/webapi/entry.cgi?api=SVC.X&version=9&method=list&q=1", 1, {}, std::string(row.body)};
      if (!type.empty()) request.headers.add("Content-Type", type);
      const std::optional<Call> call = Call::from(request);
      CHECK(spelled(call) == row.expected);
      CHECK(call->has_opaque_body() == row.is_opaque);
    }
  }
  const std::string long_body = "a=" + std::string(1 << 20, 'x');
  CHECK(Call::from({"POST", "/webapi/entry.cgi?api=SVC.X", 1, {}, long_body})->has_opaque_body());
  CHECK_FALSE(Call::from(post_form("/webapi/entry.cgi?api=SVC.X", long_body))->has_opaque_body());
}

TEST_CASE("call: each parameter has its place in the raw text") {
  const http::Request request = post_form("/webapi/entry.cgi?api=SVC.X&q=%41+b", "method=get&r=%22x%22");
  const std::optional<Call> call = Call::from(request);
  REQUIRE(call);
  const auto raw = [&request](const Param* param) {
    REQUIRE(param != nullptr);
    const std::string& text = param->part == RequestPart::target ? request.target : request.body;
    return text.substr(param->raw.offset, param->raw.length);
  };
  CHECK(raw(call->param("q")) == "%41+b");
  CHECK(raw(call->param("r")) == "%22x%22");
  CHECK(call->value("q") == "A b");
  CHECK_FALSE(call->value("s"));
  const http::Request upload = post_multipart("/webapi/entry.cgi", "AaB03x", "hello");
  const std::optional<Call> uploaded = Call::from(upload);
  REQUIRE(uploaded);
  const Param* file = uploaded->param("file");
  REQUIRE(file != nullptr);
  CHECK(upload.body.substr(file->raw.offset, file->raw.length) == "hello");
  CHECK(file->filename == "x.txt");
}

TEST_CASE("call: a hole has a place in the value") {
  const http::Request request = call_with("q=%41%42SECRET%43&r=1");
  const Hole hole = hole_over(request, RequestPart::target, "SECRET", "PASSWORD");
  const std::optional<Call> call = Call::from(request, {}, {hole});
  REQUIRE(call);
  const Param* param = call->param("q");
  REQUIRE(param != nullptr);
  REQUIRE(param->holes.size() == 1);
  CHECK(param->holes[0].span == http::Span{2, 6});
  CHECK(param->holes[0].label == "PASSWORD");
  CHECK(call->param("r")->holes.empty());
}

TEST_CASE("call: ignores the API's first label and the case of the method") {
  for (const std::string_view api : {"SVC.API.Auth", "SYNO.API.Auth", "X.API.Auth"}) {
    const Call call(std::string(api), "6", "LogIn", {});
    CHECK(call.is_login());
    CHECK_FALSE(call.is_logout());
    CHECK(call.folded_method() == "login");
    CHECK(call.name().full() == api);
    CHECK(call.complete());
  }
  CHECK_FALSE(Call("API.Auth", "6", "login", {}).is_login());
  CHECK_FALSE(Call("SVC.API.Auth", "6", "", {}).complete());
  CHECK(ApiName::split("Plain").rest == "Plain");
  CHECK(ApiName::split("Plain").full() == "Plain");
  CHECK(Call("SVC.API.Info", "1", "query", {}).is_info());
  CHECK(Call("SVC.Entry.Request", "1", "request", {}).is_compound());
}

TEST_CASE("compound: parts are calls with JSON text as values") {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {R"([{"api":"SVC.A","method":"get","version":1}])", "SVC.A/1/get;"},
      {R"( [ {"version" : "2", "api":"SVC.A","method":"list", "x" : [ "a", 1 ] , "items":"ALL"} ,{"api":"SVC.B"}] )",
       R"(SVC.A/2/list?x=[ "a", 1 ]&items="ALL";SVC.B//;)"},
      {R"([{"api":"SVC.A","method":"get","version":1,"o":{"}":"]\"","n":-1.50e3},"t":true,"e":""}])",
       R"(SVC.A/1/get?o={"}":"]\"","n":-1.50e3}&t=true&e="";)"},
      {R"([{"\u0061pi":"SVC.\u0041","method":"get","version":1}])", "SVC.A/1/get;"},
      {R"([{"api":"SVC.A","method":"get","version":1,"method":"set"}])", R"(SVC.A/1/get?method="set";)"},
      {R"([{"api":["SVC.A"],"method":null,"version":1}])", R"(["SVC.A"]/1/null;)"},
      {"[]", ""},
      {"[{}]", "//;"},
      {"", "none"},
      {"{}", "none"},
      {"[1]", "none"},
      {R"([{"api":"SVC.A"},[]])", "none"},
      {R"([{"api":"SVC.A"})", "none"},
      {R"("[{}]")", "none"},
      {R"([{"api":"SVC.A"}] [])", "none"},
  };
  for (const auto& [json, expected] : rows) {
    INFO(json);
    CHECK(spelled_parts(compound(json).parts()) == expected);
  }
  CHECK_FALSE(compound(std::string_view("[]\0[{}]", 7)).parts());
  CHECK_FALSE(Call("SVC.Entry.Request", "1", "request", {}).parts());
  const std::string deep = R"([{"x":)" + std::string(200'000, '[') + std::string(200'000, ']') + "}]";
  REQUIRE(compound(deep).parts());
  CHECK(compound(deep).parts()->front().value("x")->size() == 400'000);
}

TEST_CASE("compound: a part has the key of the same call alone") {
  const auto parts =
      compound(R"([{"api":"SVC.X","method":"Get","version":1,"v":["a", 1],"w":"ALL","t":true}])").parts();
  REQUIRE(parts);
  CHECK(KeyPolicy::current().key(parts->front()).text == key(call_with("w=ALL&v=[%22a%22,%221%22]&t=True")));
}

TEST_CASE("compound: a part has the holes that lie in it") {
  const http::Request request =
      get("/webapi/entry.cgi?api=SVC.Entry.Request&version=1&method=request&compound="
          "[{%22api%22:%22SVC.A%22,%22version%22:1,%22method%22:%22get%22,%22id%22:<TASK_ID>,%22x%22:%22y%22},"
          "{%22api%22:%22SVC.B%22,%22version%22:1,%22method%22:%22get%22,%22s%22:%22a-SECRET%22}]");
  const std::optional<Call> call = Call::from(request, {},
                                              {hole_over(request, RequestPart::target, "<TASK_ID>", "TASK_ID:1"),
                                               hole_over(request, RequestPart::target, "SECRET", "PASSWORD")});
  REQUIRE(call);
  const auto parts = call->parts();
  REQUIRE(parts);
  REQUIRE(parts->size() == 2);
  CHECK((*parts)[0].value("id") == "<TASK_ID>");
  CHECK((*parts)[0].value("x") == "\"y\"");
  CHECK(KeyPolicy::current().key((*parts)[0]).text == "SVC.A/1/get?id=<TASK_ID:1>&x=y");
  CHECK(KeyPolicy::current().key((*parts)[1]).text == "SVC.B/1/get?s=a-<PASSWORD>");
}

}  // namespace tapedeck::api
