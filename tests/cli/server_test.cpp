// Starting and ending the threads of a server.

#include <catch2/catch.hpp>
#include <future>
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

TEST_CASE("server: run() ends all loops and rethrows an exception of a loop's thread") {
  for (const unsigned threads : {1U, 2U, 4U}) {
    CAPTURE(threads);
    cli::Server server(on_free_port(), threads);
    server.main_loop().post([] { throw std::runtime_error("no more"); });
    auto ended = std::async(std::launch::async, [&server] { server.run(); });
    const bool in_time = ended.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
    CHECK(in_time);
    if (!in_time) server.shut_down();
    CHECK_THROWS_WITH(ended.get(), "no more");
  }
}

TEST_CASE("server: shutting down ends every thread") {
  for (const unsigned threads : {1U, 3U}) {
    cli::Server server(on_free_port(), threads);
    server.main_loop().post([&server] { server.shut_down(); });
    CHECK_NOTHROW(server.run());
  }
}
