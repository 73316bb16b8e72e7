#pragma once
// A control server on a replay handler, and a client that sends exact bytes.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "inspector/control_server.h"
#include "journal/journal.h"
#include "tests/replay/asking.h"

namespace tapedeck::inspector {

struct Said {
  int status = 0;  ///< 0 without a response
  std::string head, body;
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(body); }
};

/// Sends the bytes and reads until the end of the connection.
inline Said send_bytes(std::uint16_t port, std::string_view bytes) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) bytes = {};
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) break;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  std::string all;
  char piece[4096];
  for (ssize_t got = 0; (got = recv(socket, piece, sizeof piece, 0)) > 0;)
    all.append(piece, static_cast<std::size_t>(got));
  close(socket);
  Said said;
  const std::size_t end = all.find("\r\n\r\n");
  if (all.size() < 12 || end == std::string::npos) return said;
  said.status = std::stoi(all.substr(9, 3));
  said.head = all.substr(0, end);
  said.body = all.substr(end + 4);
  return said;
}

/// Returns a cassette with two keys, the second one with two responses.
inline testing::TestCassette small_cassette() {
  const std::string id = "0123456789abcdefSessionOne";
  return testing::cassette_with({
      testing::record("SVC.Core.A/1/get", testing::ok, id),
      testing::record("SVC.Core.B/1/get", R"({"data":1,"success":true})", id),
      testing::record("SVC.Core.B/1/get", R"({"data":2,"success":true})", id),
  });
}

class Controlled {
 public:
  explicit Controlled(std::size_t journal_capacity = 10'000, testing::TestCassette cassette = small_cassette(),
                      bool page = false)
      : cassette_(std::move(cassette)), journal(journal::JournalOptions{journal_capacity, "", most_kept_bytes}) {
    replay::ReplayOptions options;
    options.cassettes = {cassette_.path()};
    options.journal = &journal;
    handler = std::make_unique<replay::ReplayHandler>(options, 1);
    Subject subject{"replay", "http://127.0.0.1:1", &journal, handler.get(), {}, scope_calls(*handler)};
    subject.counters = [this] {
      return std::vector<std::pair<std::string, std::uint64_t>>{{"recorded", handler->stats().recorded},
                                                                {"miss", handler->stats().misses}};
    };
    server = std::make_unique<ControlServer>(http::Endpoint{"127.0.0.1", 0}, subject, page);
  }

  [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(server->port()); }
  /// Sends a valid request, or one with another body or path.
  [[nodiscard]] Said get(const std::string& target) const {
    return send_bytes(server->port(), "GET " + target + " HTTP/1.1\r\nHost: " + host() +
                                          "\r\nX-Tapedeck-Token: " + server->token() + "\r\n\r\n");
  }
  [[nodiscard]] Said post(const std::string& target, const std::string& body) const {
    return send_bytes(server->port(), post_bytes(target, body));
  }
  [[nodiscard]] std::string post_bytes(const std::string& target, const std::string& body) const {
    return "POST " + target + " HTTP/1.1\r\nHost: " + host() + "\r\nAuthorization: Bearer " + server->token() +
           "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  void ask(const std::string& key, const std::string& sid = "a-client-of-the-test") const {
    (void)replay::call(*handler, key + (key.find('?') == std::string::npos ? "?_sid=" : "&_sid=") + sid);
  }

 private:
  testing::TestCassette cassette_;

 public:
  journal::Journal journal;
  std::unique_ptr<replay::ReplayHandler> handler;
  std::unique_ptr<ControlServer> server;
};

}  // namespace tapedeck::inspector
