// Measures the way from the bytes of a request to its key.

#include <benchmark/benchmark.h>

#include <string>

#include "api/request_key.h"
#include "bench/micro/support.h"
#include "http/message/head_scanner.h"

namespace tapedeck::bench {
namespace {

std::vector<std::string> heads() {
  std::vector<std::string> out;
  for (const api::Interaction& interaction : usual_interactions()) {
    const http::Request& request = interaction.request;
    out.push_back(request.method + " " + request.target + " HTTP/1.1\r\n" + request.headers.to_text() +
                  "User-Agent: bench/1\r\nAccept-Encoding: gzip, deflate\r\nConnection: keep-alive\r\n\r\n");
  }
  return out;
}

void parse(benchmark::State& state) {
  const std::vector<std::string> all = heads();
  const http::HeadLimits limits;
  http::HeadScanner scanner(http::HeadScanner::Kind::request);
  http::Request request;
  std::size_t at = 0;
  for ([[maybe_unused]] auto _ : state) {
    const std::string& head = all[at++ % all.size()];
    scanner.reset();
    if (scanner.feed(head, limits) != http::HeadScanner::State::complete) return state.SkipWithError("refused");
    scanner.read(head, request);
    benchmark::DoNotOptimize(request);
  }
  state.SetItemsProcessed(state.iterations());
}

void key(benchmark::State& state) {
  const auto& all = usual_interactions();
  const api::KeyPolicy policy = api::KeyPolicy::current();
  std::size_t at = 0;
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(policy.key(all[at++ % all.size()].request, {}, {}));
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(parse)->Name("parse");
BENCHMARK(key)->Name("key");

}  // namespace
}  // namespace tapedeck::bench
