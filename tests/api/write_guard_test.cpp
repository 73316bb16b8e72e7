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
  CHECK(effect_of({"POST", "/webapi/entry.cgi?" + info, 1, {}, "a binary body"}) == Effect::read);
  CHECK(effect_of({"POST", "/webapi/entry.cgi", 1, {}, R"({"api":"SVC.Core.System","version":1,"method":"info"})"}) ==
        Effect::read);
  CHECK(effect_of(get("/photo/webapi/entry.cgi?" + info)) == Effect::read);
}

}  // namespace tapedeck::api
