#include "http/device/connect_race.h"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include "tests/http/raw_socket.h"

namespace tapedeck::http {
namespace {

using namespace std::chrono_literals;
using testing::RawServer;
using testing::RawSocket;
using tcp = boost::asio::ip::tcp;
using Clock = std::chrono::steady_clock;

tcp::endpoint at(std::uint16_t port) { return {boost::asio::ip::address_v4::loopback(), port}; }

/// A port that neither accepts nor refuses connections.
struct DeadServer {
  RawServer server{0};
  RawSocket waiting = RawSocket::connect(server.port());
};

std::uint16_t closed_port() { return RawServer().port(); }

struct Outcome {
  boost::system::error_code error;
  std::uint16_t port = 0;
  Clock::duration took{};
  int calls = 0;
};

Outcome race(std::vector<tcp::endpoint> addresses, std::chrono::milliseconds cancel_after = 0ms) {
  boost::asio::io_context context;
  Outcome outcome;
  const auto begin = Clock::now();
  const auto started = std::make_shared<ConnectRace>(context, std::move(addresses));
  started->start([&](boost::system::error_code error, tcp::socket socket) {
    outcome.error = error;
    outcome.took = Clock::now() - begin;
    ++outcome.calls;
    if (!error) outcome.port = socket.remote_endpoint().port();
  });
  boost::asio::steady_timer timer(context, cancel_after);
  if (cancel_after > 0ms) timer.async_wait([&started](const boost::system::error_code&) { started->cancel(); });
  context.run_for(10s);
  return outcome;
}

tcp::resolver::results_type found(const std::vector<std::string>& addresses) {
  std::vector<tcp::endpoint> endpoints;
  for (const std::string& address : addresses) endpoints.emplace_back(boost::asio::ip::make_address(address), 80);
  return tcp::resolver::results_type::create(endpoints.begin(), endpoints.end(), "nas.example", "80");
}

TEST_CASE("connect race: alternates between address families, beginning with the first address") {
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> rows = {
      {{"2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.1"},
       {"2001:db8::1", "192.0.2.1", "2001:db8::2", "2001:db8::3"}},
      {{"192.0.2.1", "2001:db8::1", "192.0.2.2"}, {"192.0.2.1", "2001:db8::1", "192.0.2.2"}},
      {{"192.0.2.1"}, {"192.0.2.1"}},
  };
  for (const auto& [addresses, expected] : rows) {
    std::vector<std::string> order;
    for (const tcp::endpoint& endpoint : interleaved(found(addresses))) order.push_back(endpoint.address().to_string());
    CHECK(order == expected);
  }
}

TEST_CASE("connect race: an address that does not respond does not delay the next one for long") {
  const DeadServer dead;
  const RawServer living;
  const Outcome outcome = race({at(dead.server.port()), at(dead.server.port()), at(living.port())});
  CHECK_FALSE(outcome.error);
  CHECK(outcome.port == living.port());
  CHECK(outcome.calls == 1);
  CHECK(outcome.took >= 500ms);  // two waits of 250 ms
  CHECK(outcome.took < 5s);      // an unreachable address takes minutes
}

TEST_CASE("connect race: continues immediately after an address that refuses") {
  const RawServer living;
  const Outcome outcome = race({at(closed_port()), at(closed_port()), at(living.port())});
  CHECK(outcome.port == living.port());
  CHECK(outcome.took < 250ms);
}

TEST_CASE("connect race: tries no other address if the first one responds") {
  const RawServer first;
  RawServer second;
  CHECK(race({at(first.port()), at(second.port())}).port == first.port());
  second.stop();
  CHECK(second.accept().fd() < 0);
}

TEST_CASE("connect race: reports the error if all addresses refuse") {
  const Outcome outcome = race({at(closed_port()), at(closed_port())});
  CHECK(outcome.error == boost::asio::error::connection_refused);
  CHECK(outcome.calls == 1);
}

TEST_CASE("connect race: cancel ends it immediately with one callback") {
  const DeadServer dead;
  const Outcome outcome = race({at(dead.server.port()), at(dead.server.port())}, 50ms);
  CHECK(outcome.error == boost::asio::error::operation_aborted);
  CHECK(outcome.took < 5s);
  CHECK(outcome.calls == 1);
}

}  // namespace
}  // namespace tapedeck::http
