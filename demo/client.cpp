#include "demo/client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/descriptor.h"
#include "http/message/url.h"
#include "http/message/urlencoded.h"

namespace tapedeck::demo {
namespace {

constexpr timeval patience{20, 0};

/// The body of the answer to one GET of a server on loopback.
std::string get(const http::BaseUrl& base, const std::string& target) {
  const auto fail = [&](const char* what) {
    throw std::runtime_error(std::string("the demo client ") + what + " " + base.origin());
  };
  base::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(base.port);
  inet_pton(AF_INET, base.host.c_str(), &address.sin_addr);
  if (connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("cannot reach");
  const std::string request =
      "GET " + target + " HTTP/1.1\r\nHost: " + base.authority() + "\r\nConnection: close\r\n\r\n";
  if (!base::write_all(socket.number(), request)) fail("cannot send a request to");
  std::string answer;
  char buffer[16'384];
  ssize_t got = 0;
  while ((got = recv(socket.number(), buffer, sizeof buffer, 0)) > 0)
    answer.append(buffer, static_cast<std::size_t>(got));
  const std::size_t end = answer.find("\r\n\r\n");
  if (got < 0 || end == std::string::npos) fail("received no response from");
  return answer.substr(end + 4);
}

std::string target_of(const DescribedCall& call) {
  const std::size_t version = call.call.find('/') + 1;
  const std::size_t method = call.call.find('/', version) + 1;
  std::string target = "/webapi/entry.cgi?api=" + call.call.substr(0, version - 1) +
                       "&version=" + call.call.substr(version, method - version - 1) +
                       "&method=" + call.call.substr(method);
  for (const auto& [name, value] : call.params) target += "&" + name + "=" + http::percent_encode(value);
  return target;
}

/// A member of an answer's data; empty without one.
std::string member(const std::string& body, const char* name) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("data") || !json["data"].is_object()) return {};
  const auto& data = json["data"];
  return data.contains(name) && data[name].is_string() ? data[name].get<std::string>() : std::string();
}

void blank(std::string& text, const std::string& value) {
  if (value.empty()) return;
  for (std::size_t at = text.find(value); at != std::string::npos; at = text.find(value)) {
    text.replace(at, value.size(), "…");
  }
}

}  // namespace

std::vector<Answered> walk_through(const Walk& walk, std::string_view base) {
  const http::BaseUrl server = http::BaseUrl::parse(std::string(base));
  std::vector<Answered> answers;
  std::vector<std::string> own;
  const auto ask = [&](const DescribedCall& call) {
    const std::string body = get(server, target_of(call));
    answers.push_back({call.call, body});
    return body;
  };
  const std::string login =
      ask({"SVC.API.Auth/7/login",
           {{"account", walk.account}, {"passwd", walk.password}, {"format", "sid"}, {"enable_syno_token", "yes"}}});
  const std::string sid = member(login, "sid"), token = member(login, "synotoken");
  if (sid.empty()) throw std::runtime_error("the demo client cannot log in at " + server.origin());
  for (DescribedCall call : walk.calls) {
    call.params.emplace_back("_sid", sid);
    call.params.emplace_back("SynoToken", token);
    own.push_back(member(ask(call), "ciphertoken"));
  }
  ask({"SVC.API.Auth/7/logout", {{"_sid", sid}}});
  own.insert(own.end(), {sid, token, member(login, "account")});
  for (Answered& answer : answers) {
    for (const std::string& value : own) blank(answer.body, value);
  }
  return answers;
}

}  // namespace tapedeck::demo
