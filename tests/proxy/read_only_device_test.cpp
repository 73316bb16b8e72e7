#include "proxy/read_only_device.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "http/server/local_exchange.h"

using namespace tapedeck;

namespace {

/// Keeps the requests that would be sent.
class Sent : public proxy::Device {
 public:
  void forward(std::shared_ptr<http::Exchange> /*exchange*/, http::Request head, std::string_view /*body*/,
               bool /*is_read*/, std::shared_ptr<http::RelayClient> /*client*/) override {
    targets.push_back(head.target);
  }
  std::vector<std::string> targets;
};

const std::string entry = "/dsm/webapi/entry.cgi";

http::Request asked(std::string verb, std::string target, std::string body = {}) {
  http::Request request{std::move(verb), std::move(target), 1, {}, std::move(body)};
  if (!request.body.empty()) request.headers.add("Content-Type", "application/x-www-form-urlencoded");
  return request;
}

}  // namespace

TEST_CASE("read-only device: sends reads and refuses all other requests") {
  const std::string read = "api=SYNO.Core.Network&version=1&method=get";
  const std::string write = "api=SYNO.Core.Terminal&version=3&method=set&enable_ssh=true";
  const std::string compound = "api=SYNO.Entry.Request&version=1&method=request&compound=";
  const std::string reading = R"([{"api":"SYNO.Core.Network","version":1,"method":"get"}])";
  const std::string mixed = R"([{"api":"SYNO.Core.Network","version":1,"method":"get"},)"
                            R"({"api":"SYNO.Core.Terminal","version":3,"method":"set"}])";
  const struct {
    http::Request request;
    bool is_sent;
  } rows[] = {
      {asked("GET", entry + "?" + read), true},
      {asked("POST", entry, read), true},
      {asked("POST", entry, compound + reading), true},
      {asked("GET", "/dsm/scripts/boot.js"), true},
      {asked("GET", entry + "?" + write), false},
      {asked("POST", entry, write), false},
      {asked("POST", entry, compound + mixed), false},
      {asked("POST", entry, compound + "[{"), false},
      {asked("POST", entry + "?" + read, write), false},  // devices differ in which of the two they use
      {asked("GET", entry + "?api=SYNO.API.Auth&version=6&method=login&account=a&passwd=b"), false},
      {asked("GET", entry + "?api=SYNO.API.Auth&version=6&method=logout"), false},
      {asked("GET", entry + "?api=SYNO.Core.Network&method=get"), false},
      {asked("GET", entry + "?api=SYNO.Never.Heard&version=1&method=frobnicate"), false},
      {asked("DELETE", "/dsm/scripts/boot.js"), false},
      {asked("POST", "/dsm/other", "x=1"), false},
  };
  for (const auto& row : rows) {
    INFO(row.request.method << " " << row.request.target << " " << row.request.body);
    Sent device;
    proxy::ReadOnlyDevice guarded(device, "/dsm");
    http::Request head = row.request;
    const std::string body = std::exchange(head.body, {});
    const auto exchange = std::make_shared<http::LocalExchange>(row.request);
    // The caller's classification does not matter.
    guarded.forward(exchange, head, body, true, nullptr);
    CHECK(device.targets.size() == (row.is_sent ? 1 : 0));
    CHECK(exchange->answers() == (row.is_sent ? 0 : 1));
    if (!row.is_sent) CHECK(exchange->response().headers.first("X-Tapedeck-Blocked") == "write");
  }
}
