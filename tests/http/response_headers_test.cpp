// Tests which headers the server adds and removes, for each way in which a handler can respond.

#include <catch2/catch.hpp>
#include <map>

#include "base/text.h"
#include "http/message/hop_by_hop.h"
#include "http/server/gate.h"
#include "tests/http/server_fixture.h"

namespace tapedeck::http::response_header_cases {
namespace {

using namespace testing;

const std::string page = "http://localhost:3000";

const std::map<std::string, std::function<void(Exchange&, const Response&)>> kinds = {
    {"whole", [](Exchange& exchange, const Response& response) { exchange.respond(response); }},
    {"shared body",
     [](Exchange& exchange, const Response& response) {
       const auto body = std::make_shared<const std::string>(response.body);
       exchange.respond(response, SharedBytes{*body, body});
     }},
    {"pieces",
     [](Exchange& exchange, const Response& response) {
       exchange.start(response);
       exchange.write(response.body);
       exchange.finish();
     }},
    {"prepared",
     [](Exchange& exchange, const Response& response) {
       struct Kept {
         std::string head, body;
         std::string_view piece;
       };
       const auto kept = std::make_shared<Kept>();
       Headers headers = response.headers;
       headers.erase_if([](const Header& line) { return is_servers_own(line.name); });
       kept->head = "HTTP/1.1 200 OK\r\n" + headers.to_text() +
                    "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
       kept->body = response.body;
       kept->piece = kept->body;
       exchange.respond(PreparedReply{kept->head, std::span(&kept->piece, 1), kept});
     }},
};

Headers headers_of(const std::string& answer) {
  const std::size_t begin = answer.find("\r\n") + 2;
  return Headers::from_text(std::string_view(answer).substr(begin, answer.find("\r\n\r\n") + 2 - begin));
}

std::vector<std::string> list_of(const Headers& headers, std::string_view name) {
  std::vector<std::string> items;
  for (std::string_view value : headers.all(name)) {
    while (!value.empty()) items.emplace_back(base::trim(base::take_until(value, ',')));
  }
  return items;
}

using Values = std::vector<std::string_view>;

}  // namespace

TEST_CASE("response headers: each has one value, however the handler responds") {
  struct Row {
    Headers given;
    std::vector<std::string> vary;  ///< for an allowed page
  };
  const Row rows[] = {
      {{}, {"Origin"}},
      {{{"Access-Control-Allow-Origin", "*"}, {"Vary", "Accept-Encoding"}}, {"Accept-Encoding", "Origin"}},
      {{{"access-control-allow-origin", "https://a.example"}, {"ACCESS-CONTROL-ALLOW-CREDENTIALS", "false"}},
       {"Origin"}},
      {{{"Access-Control-Allow-Origin", page}, {"Access-Control-Allow-Origin", "null"}, {"Vary", "Cookie, origin"}},
       {"Cookie", "origin"}},
      {{{"Vary", "*"}}, {"*"}},
  };
  const Headers never{{"Strict-Transport-Security", "max-age=1"},
                      {"Alt-Svc", "h3"},
                      {"Proxy-Status", "x"},
                      {"Upgrade", "h2c"},
                      {"TE", "trailers"},
                      {"Trailer", "X-A"},
                      {"Transfer-Encoding", "gzip"},
                      {"Keep-Alive", "1"}};
  for (const auto& [kind, respond] : kinds) {
    for (const Row& row : rows) {
      Response response;
      for (const Header& line : row.given) response.headers.add(line.name, line.value);
      for (const Header& line : never) response.headers.add(line.name, line.value);
      response.headers.add("Access-Control-Expose-Headers", "X-Device");
      response.headers.add("X-Device", "1");
      response.body = "body";
      CallHandler inner(
          [&, &respond = respond](const std::shared_ptr<Exchange>& exchange) { respond(*exchange, response); });
      GateOptions options;
      options.allow_hosts = {"*"};
      options.cors = {OriginPattern::parse(page)};
      http::Gate gate(options, inner);
      TestServer server(gate);
      for (const std::string method : {"GET", "HEAD"}) {
        for (const bool is_page : {true, false}) {
          CAPTURE(kind, row.given.to_text(), method, is_page);
          RawSocket socket = server.connect();
          socket.send(method + " / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" +
                      (is_page ? "Origin: " + page + "\r\n" : "") + "\r\n");
          const std::string answer = socket.read_all();
          CHECK(status_of(answer) == "200");
          const Headers headers = headers_of(answer);
          for (const Header& line : never) {
            if (line.name != "Transfer-Encoding") CHECK_FALSE(headers.contains(line.name));
          }
          CHECK(headers.all("Connection") == Values{"close"});
          CHECK(headers.all("Content-Length").size() + headers.all("Transfer-Encoding").size() == 1);
          CHECK(headers.all("X-Device") == Values{"1"});
          CHECK(list_of(headers, "Access-Control-Expose-Headers").front() == "X-Device");
          if (is_page) {
            CHECK(headers.all("Access-Control-Allow-Origin") == Values{page});
            CHECK(headers.all("Access-Control-Allow-Credentials") == Values{"true"});
            CHECK(list_of(headers, "Vary") == row.vary);
            CHECK(list_of(headers, "Access-Control-Expose-Headers").size() == 6);
          } else {
            CHECK(headers.all("Access-Control-Allow-Origin") == row.given.all("Access-Control-Allow-Origin"));
            CHECK(headers.all("Vary") == row.given.all("Vary"));
          }
        }
      }
    }
  }
}

TEST_CASE("response headers: an allowed page is forgotten at the next request of its connection") {
  EchoHandler inner;
  GateOptions options;
  options.allow_hosts = {"*"};
  options.cors = {OriginPattern::parse(page)};
  http::Gate gate(options, inner);
  TestServer server(gate);
  RawSocket socket = server.connect();
  socket.send(get("/a", "Origin: " + page + "\r\n") + get("/b"));
  CHECK(headers_of(socket.read_message()).contains("Access-Control-Allow-Origin"));
  CHECK_FALSE(headers_of(socket.read_message()).contains("Access-Control-Allow-Origin"));
}

}  // namespace tapedeck::http::response_header_cases
