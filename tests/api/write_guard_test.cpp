#include "api/write_guard.h"

#include <catch2/catch.hpp>

#include "api/catalog.h"
#include "tests/api/requests.h"

namespace tapedeck::api {
namespace {

Effect effect_of(std::string_view api, std::string_view method) {
  return WriteGuard::effect(Call(std::string(api), "1", std::string(method), {}));
}

Effect effect_of(const http::Request& request) { return WriteGuard::effect(request, "/dsm"); }

std::string compound_target(std::string_view parts) {
  return "/webapi/entry.cgi?api=SVC.Entry.Request&version=1&method=request&compound=" + http::percent_encode(parts);
}

}  // namespace

TEST_CASE("write guard: uses the catalog with any label and case") {
  for (const CatalogOperation& operation : catalog()) {
    INFO(operation.api << " " << operation.method);
    Effect expected = operation.changes_state ? Effect::write : Effect::read;
    if (operation.api == "API.Auth") expected = Effect::session;
    std::string upper(operation.method);
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    CHECK(effect_of("SVC." + std::string(operation.api), operation.method) == expected);
    CHECK(effect_of("SYNO." + std::string(operation.api), upper) == expected);
  }
}

TEST_CASE("write guard: outside of the catalog, only methods with a read verb are reads") {
  for (const std::string_view verb :
       {"get",      "getinfo",      "get_config", "GetInfo",   "list",   "list_share",  "LIST",
        "info",     "query",        "status",     "load",      "load_x", "check",       "check_availability",
        "download", "download_zip", "thumb",      "thumbnail", "stream", "stream_open", "view",
        "Export",   "\"get\"",      "keep_alive"}) {
    INFO(verb);
    CHECK(effect_of("SVC.Unknown.Api", verb) == Effect::read);
    CHECK(effect_of("SVC.Core.System", verb) == Effect::read);
  }
  for (const std::string_view verb :
       {"set",      "start",        "delete", "shutdown", "reboot", "apply",       "record",
        "update",   "create",       "widget", "forget",   "unlist", "information", "statusset",
        "queryset", "export_start", "upload", "review",   " get",   "login",       "request"}) {
    INFO(verb);
    CHECK(effect_of("SVC.Unknown.Api", verb) == Effect::write);
  }
}

TEST_CASE("write guard: calls that begin, continue, or end a session are no writes") {
  for (const std::string_view method : {"login", "logout", "resume", "token", "\"resume\""}) {
    INFO(method);
    CHECK(effect_of("SVC.API.Auth", method) == Effect::session);
    CHECK(effect_of("SVC.API.Auth.Made.Up", method) == Effect::session);
  }
  CHECK(effect_of("SVC.API.Encryption", "getinfo") == Effect::read);
  CHECK(effect_of("SVC.API.Auth.UIConfig", "get") == Effect::read);
  CHECK(effect_of("SVC.API.Auth", "set") == Effect::write);
  CHECK(effect_of("SVC.Core.Made.Up", "resume") == Effect::write);
}

TEST_CASE("write guard: an unrecognized call is a write") {
  CHECK(WriteGuard::effect(Call("", "1", "get", {})) == Effect::write);
  CHECK(WriteGuard::effect(Call("SVC.X", "", "get", {})) == Effect::write);
  CHECK(WriteGuard::effect(Call("SVC.X", "1", "", {})) == Effect::write);
  CHECK(effect_of(call_with("a=1")) == Effect::read);
  CHECK(effect_of(call_with("method=set")) == Effect::write);
  CHECK(effect_of(call_with("api=SVC.Y")) == Effect::write);
}

TEST_CASE("write guard: a compound has the worst effect of its parts") {
  const std::pair<std::string_view, Effect> rows[] = {
      {R"([])", Effect::read},
      {R"([{"api":"SVC.Core.Network","version":1,"method":"get"}])", Effect::read},
      {R"([{"api":"SVC.Core.Network","version":1,"method":"get"},{"api":"SVC.API.Auth","version":1,"method":"login"}])",
       Effect::session},
      {R"([{"api":"SVC.Core.System","version":1,"method":"reboot"},{"api":"SVC.X","version":1,"method":"get"}])",
       Effect::write},
      {R"([{"api":"SVC.X","version":1,"method":"get","method":"set"}])", Effect::write},
      {R"([{"api":"SVC.X","version":1}])", Effect::write},
      {R"([{"api":"SVC.Entry.Request","version":1,"method":"request",
            "compound":[{"api":"SVC.X","version":1,"method":"get"}]}])",
       Effect::read},
      {R"([{"api":"SVC.Entry.Request","version":1,"method":"request",
            "compound":[{"api":"SVC.X","version":1,"method":"set"}]}])",
       Effect::write},
      {R"([{"api":"SVC.X")", Effect::write},
      {R"("[]")", Effect::write},
      {"", Effect::write},
  };
  for (const auto& [json, expected] : rows) {
    INFO(json);
    CHECK(effect_of(get(compound_target(json))) == expected);
  }
  CHECK(effect_of(get("/webapi/entry.cgi?api=SVC.Entry.Request&version=1&method=request")) == Effect::write);
  CHECK(effect_of(get(compound_target("[]") + "&compound=[]")) == Effect::write);
  CHECK(effect_of("SVC.Entry.Request", "get") == Effect::read);
}

TEST_CASE("write guard: a request that is not a call is classified by its verb") {
  for (const std::string_view verb : {"GET", "HEAD", "OPTIONS"}) {
    CHECK(effect_of({std::string(verb), "/x", 1, {}, {}}) == Effect::read);
  }
  for (const std::string_view verb : {"POST", "PUT", "DELETE", "PATCH", "get", "PROPFIND"}) {
    CHECK(effect_of({std::string(verb), "/x", 1, {}, {}}) == Effect::write);
  }
  CHECK(effect_of({"OPTIONS", "/webapi/entry.cgi?api=SVC.X&version=1&method=get", 1, {}, {}}) == Effect::read);
}

TEST_CASE("write guard: messages of socket.io are reads, and its path hides no call") {
  const auto effect = [](const char* target) {
    return WriteGuard::effect(http::Request{"POST", target, 1, {}, "42[\"join\",1]"}, {});
  };
  CHECK(effect("/socket.io/?EIO=4&transport=polling&sid=x") == Effect::read);
  CHECK(effect("/synoscgi.sock/socket.io/?EIO=3&transport=polling") == Effect::read);
  for (const char* target : {"/socket.io/", "/socket.io/?EIO=x", "/socket.io/other?EIO=4",
                             "/webapi/entry.cgi/socket.io/?EIO=4", "/webapi/entry.cgi?EIO=4&a=/socket.io/"}) {
    CAPTURE(target);
    CHECK(effect(target) == Effect::write);
  }
}

TEST_CASE("write guard: no spelling of a request hides a write") {
  const std::string reboot = "api=SVC.Core.System&version=1&method=reboot";
  const std::string info = "api=SVC.Core.System&version=1&method=info";
  const http::Request rows[] = {
      get("/webapi/entry.cgi?" + reboot),
      get("/dsm/webapi/entry.cgi?" + reboot),
      get("//webapi/entry.cgi?" + reboot),
      get("/x/../webapi/entry.cgi?" + reboot),
      get("/webapi/entry%2ecgi?" + reboot),
      get("/dsm/%2e%2e/webapi/entry.cgi?" + reboot),
      get("/webapi/entry.cgi/SVC.Core.System?version=1&method=Reboot"),
      {"HEAD", "/webapi/entry.cgi?" + reboot, 1, {}, {}},
      {"OPTIONS", "/webapi/entry.cgi?" + reboot, 1, {}, {}},
      post_form("/webapi/entry.cgi", reboot),
      post_form("/webapi/entry.cgi?" + info, reboot),
      post_form("/webapi/entry.cgi?" + reboot, info),
      post_form("/webapi/entry.cgi?method=reboot", info),
      {"POST", "/webapi/entry.cgi", 1, http::Headers{{"Content-Type", "text/plain"}}, reboot},
      {"POST", "/webapi/entry.cgi?" + info, 1, {}, "method=reboot&no form"},
      {"POST", "/webapi/entry.cgi?" + info, 1, {}, R"({"method":"reboot"})"},
      {"POST", "/webapi/entry.cgi?" + reboot, 1, {}, R"({"method":"info"})"},
      get("/photo/webapi/entry.cgi?" + reboot),
      get("/x.php?" + reboot),
  };
  for (const http::Request& request : rows) {
    INFO(request.method << " " << request.target << " " << request.body);
    CHECK(effect_of(request) == Effect::write);
  }
  CHECK(effect_of(post_form("/webapi/entry.cgi?" + info, info)) == Effect::read);
  CHECK(effect_of({"POST", "/webapi/entry.cgi", 1, {}, R"({"api":"SVC.Core.System","version":1,"method":"info"})"}) ==
        Effect::read);
  CHECK(effect_of(get("/photo/webapi/entry.cgi?" + info)) == Effect::read);
}

TEST_CASE("write guard: a multipart body that can be read in several ways is a write") {
  const std::string info = "/webapi/entry.cgi?api=SVC.Core.System&version=1&method=info";
  const auto sent = [&](const std::string& type, const std::string& body) {
    return effect_of({"POST", info, 1, http::Headers{{"Content-Type", type}}, body});
  };
  const std::string type = "multipart/form-data; boundary=XX", end = "--XX--\r\n";
  const auto part = [](const std::string& head, const std::string& content) {
    return "--XX\r\n" + head + "\r\n\r\n" + content + "\r\n";
  };
  const std::string named = "Content-Disposition: form-data; name=";
  const std::string fine = part(named + "\"a\"", "1"), reboot = part(named + "\"method\"", "reboot");
  for (const std::string& body : {
           fine + end,
           part(named + "a", "1") + end,
           part(named + "\"a\"", "") + "--XX--",
           part("content-disposition: form-data;name=\"a\"; filename=\"x.txt\"\r\nContent-Type: text/csv", "1") + end,
           part(named + "\"method\"", "info") + end,
       }) {
    INFO(body);
    CHECK(sent(type, body) == Effect::read);
    CHECK(sent("multipart/form-data; boundary=\"XX\"", body) == Effect::read);
  }
  const auto with_lines = [](std::string text, std::string_view by) {
    base::replace_all(text, "\r\n", by);
    return text;
  };
  for (const std::string& body : {
           reboot + end,
           fine + reboot + end,
           with_lines(reboot + end, "\n"),                          // line feeds alone
           fine + with_lines(reboot, "\n") + end,                   // also within a part
           reboot.substr(0, reboot.size() - 2),                     // no end
           fine + end + reboot + end,                               // behind the end
           "preamble\r\n" + reboot + end,                           // before the beginning
           part(named + "\"a\"; name=\"method\"", "reboot") + end,  // two names
           part(named + "\"a\"; name*=utf-8''method", "reboot") + end,
           part(named + "\"a\"\r\n" + named + "\"method\"", "reboot") + end,
           part(named + "\r\n \"method\"", "reboot") + end,  // a folded header
           part(named + "\"meth\\od\"", "reboot") + end,
           part(named + "\"method", "reboot") + end,
           part(named + "'method'", "reboot") + end,
           part(named + "\"Method\"", "reboot") + end,
           part(named + "\"method[]\"", "reboot") + end,
           part(named + "\"method \"", "reboot") + end,
           part(named + "\"method\"", "info") + part(named + "\"method\"", "reboot") + end,
           part("Content-Disposition: attachment; name=\"method\"", "reboot") + end,
           part("Content-Type: text/plain", "method=reboot") + end,  // no name
           part(named + "\"method\"\r\nContent-Transfer-Encoding: base64", "cmVib290") + end,
           part(named + "\"a\"\r\nContent-Type: multipart/mixed; boundary=YY", "--YY\r\n\r\n--YY--") + end,
           part(named + "\"a\"\r\nContent-Type: text/plain; charset=utf-16", "1") + end,
           part(named + "\"a\"", "1\n--XX\n" + named + "\"method\"\n\nreboot") + end,  // the boundary in a content
           std::string("method=reboot"),
           std::string(R"({"method":"reboot"})"),
       }) {
    INFO(body);
    CHECK(sent(type, body) == Effect::write);
  }
  for (const std::string other : {"multipart/mixed; boundary=XX", "multipart/form-data; boundary=YY; boundary=XX",
                                  "multipart/form-data", "multipart/form-data; boundary=X X", "text/plain", "image/png",
                                  "application/x-www-form-urlencoded", "multipart/form-data; boundary=\"X\\X\""}) {
    INFO(other);
    CHECK(sent(other, fine + end) == Effect::write);
  }
  http::Request twice{"POST", info, 1, http::Headers{{"Content-Type", type}, {"Content-Type", "text/plain"}},
                      fine + end};
  CHECK(effect_of(twice) == Effect::write);
}

TEST_CASE("write guard: what cannot be read for sure is a write") {
  const std::string info = "api=SVC.Core.System&version=1&method=info", target = "/webapi/entry.cgi?" + info;
  const auto posted = [](const std::string& to, const std::string& type, const std::string& body) {
    const http::Headers headers = type.empty() ? http::Headers() : http::Headers{{"Content-Type", type}};
    return http::Request{"POST", to, 1, headers, body};
  };
  const std::string json = "application/json", form = "application/x-www-form-urlencoded";
  const std::string filler(2u << 20, 'x');
  const http::Request rows[] = {
      posted("/webapi/entry.cgi", json,
             R"({"api":"SVC.Core.System","version":1,"method":"info","a":")" + filler + "\"}"),
      posted(target, json, R"({"method":"reboot","a":")" + filler + "\"}"),
      posted(target, json, R"({"method":"reboot",})"),
      posted(target, json, R"([{"method":"reboot"}])"),
      posted(target, json, R"([{"\u006dethod":"reboot"}])"),
      posted(target, json, "\xEF\xBB\xBF{\"method\":\"reboot\"}"),
      posted(target, json, R"({"a":1} {"method":"reboot"})"),
      posted(target, json, R"({"Method":"reboot"})"),
      posted(target, form, R"({"method":"reboot"})"),
      posted(target, form, "a=1;method=reboot"),
      posted(target, form + "; charset=utf-16", "a=1"),
      posted(target, "", "a=1;METHOD=reboot"),
      posted(target, "text/xml", "<method>reboot</method>"),
      posted(target, "", "a binary body"),
      {"POST", target, 1, http::Headers{{"Content-Type", form}, {"Content-Encoding", "gzip"}}, "\x1f\x8b"},
      get("/webapi/entry.cgi;x?" + info),
      get("/webapi;x/entry.cgi?" + info),
      get("/webapi/entry.cgi%00?" + info),
      get("/webapi/entry.cgi%00.html?" + info),
      get("/webapi/entry.cgi%3bx?" + info),
      get("/webapi%5Centry.cgi?" + info),
      get("/webapi\\entry.cgi?" + info),
      get("/webapi/entry%252ecgi?" + info),
      get("/webapi/entry.cgi%20?" + info),
      get("/webapi/ENTRY.CGI?" + info),
      get("/webapi/entry.cgi?" + info + ";method=reboot"),
      get("/webapi/entry.cgi?api=SVC.X&version=1&method=get%20reboot"),
      get("/webapi/entry.cgi?api=SVC.X&version=1&method=get%00"),
      get("/webapi/entry.cgi?api=SVC.X%20&version=1&method=get"),
      get("/webapi/entry.cgi?" + info + "&method[]=reboot"),
      get("/webapi/entry.cgi?" + info + "&Method=reboot"),
      get("/webapi/entry.cgi?" + info + "&%20method=reboot"),
      get("/webman/other.cgi?method[]=reboot"),
      {"HEAD", "/webapi/entry.cgi;x?" + info, 1, {}, {}},
  };
  for (const http::Request& request : rows) {
    INFO(request.method << " " << request.target << " " << request.body.substr(0, 80));
    CHECK(effect_of(request) == Effect::write);
  }
  for (const http::Request& request : {
           posted(target, json, R"({"a":"1;method=x"})"),
           posted(target, json, R"([{"key":"a","value":"reboot"},1])"),
           posted(target, form, "a=1%3Bmethod&b=2;3"),
           posted("/webapi/entry.cgi", "", info),
           get("/webapi/entry.cgi?" + info + "&_version=1&apiName=x&methods=y"),
           get("/webapi/entry.cgi/a%3Bb%25.txt?" + info),
           get("/webman/index.cgi?launchApp=x"),
           get("/a;b.html?method=x"),
       }) {
    INFO(request.target << " " << request.body);
    CHECK(effect_of(request) == Effect::read);
  }
}

}  // namespace tapedeck::api
