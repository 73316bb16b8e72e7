// Starting and ending the threads of a server.

#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>

#include "cli/running/server.h"

using namespace tapedeck;

namespace {

cli::ServerOptions on_free_port() {
  cli::ServerOptions options;
  options.listen = "127.0.0.1:0";
  return options;
}

}  // namespace

TEST_CASE("server: an exception ends only the task that has thrown it") {
  for (const unsigned threads : {1U, 2U, 4U}) {
    CAPTURE(threads);
    cli::Server server(on_free_port(), threads);
    server.main_loop().post([] { throw std::runtime_error("no more"); });
    server.main_loop().post([] { throw 7; });
    int ticks = 0;
    server.main_loop().every(std::chrono::milliseconds(1), [&] {
      if (++ticks < 3) throw std::runtime_error("not yet");
      server.shut_down();
      return false;
    });
    CHECK_NOTHROW(server.run());
    CHECK(ticks == 3);
  }
}

TEST_CASE("server: shutting down ends every thread") {
  for (const unsigned threads : {1U, 3U}) {
    cli::Server server(on_free_port(), threads);
    server.main_loop().post([&server] { server.shut_down(); });
    CHECK_NOTHROW(server.run());
  }
}
