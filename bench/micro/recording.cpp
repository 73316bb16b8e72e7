// Measures the work for each recorded response (scrubbing and appending), and the leak scan of a finished cassette.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string>

#include "bench/load.h"
#include "bench/micro/support.h"
#include "cassettes/write/cassette_writer.h"
#include "scan/leak_scan.h"

namespace tapedeck::bench {
namespace {

constexpr std::size_t large_body = 64 * 1024;

const std::vector<api::Interaction>& large_interactions() {
  static const std::vector<api::Interaction> all = [] {
    LoadPlan plan;
    plan.count = 48;
    plan.exact_bytes = large_body;
    const Load load(plan);
    std::vector<api::Interaction> made;
    for (std::uint64_t n = 0; n < plan.count; ++n) made.push_back(load.interaction(n));
    return made;
  }();
  return all;
}

constexpr std::string_view number_ahead = R"("n":1000000000,)";
constexpr std::size_t digits_at = 5;

/// No body occurs twice.
std::size_t scrub_one(scrubbers::Scrubber& scrubber, api::Interaction& interaction, std::size_t number,
                      benchmark::State& state) {
  fmt::format_to(interaction.response.body.data() + digits_at, "{}", 1'000'000'000 + number);
  const scrubbers::ScrubbedInteraction scrubbed = scrubber.scrub(interaction);
  if (scrubbed.record().completeness != api::Completeness::complete) state.SkipWithError("withheld");
  return interaction.response.body.size();
}

void scrub(benchmark::State& state, std::vector<api::Interaction> interactions) {
  for (api::Interaction& interaction : interactions) interaction.response.body.insert(1, number_ahead);
  scrubbers::Scrubber scrubber{scrubbers::ScrubberOptions{}};
  teach(scrubber, static_cast<int>(state.range(0)));
  std::size_t at = 0, bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    bytes += scrub_one(scrubber, interactions[at % interactions.size()], at, state);
    ++at;
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

/// Scans the same bytes once for a byte that does not occur.
void memory_scan(benchmark::State& state) {
  const std::vector<api::Interaction>& all = large_interactions();
  std::size_t at = 0, bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    const std::string& body = all[at++ % all.size()].response.body;
    benchmark::DoNotOptimize(std::memchr(body.data(), '\x01', body.size()));
    bytes += body.size();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

void leak_scan(benchmark::State& state) {
  scan::LearnedValues learned;
  for (int i = 0; i < state.range(0); ++i)
    learned.add(scrubbers::make_of_shape("20:alnum", "bench-" + std::to_string(i)));
  scan::ScanOptions options;
  options.learned = &learned;
  const std::vector<api::Interaction>& all = large_interactions();
  std::size_t at = 0, bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    const std::string& body = all[at++ % all.size()].response.body;
    benchmark::DoNotOptimize(scan::scan_bytes(body, "body", options));
    bytes += body.size();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

/// Appends and commits 288 interactions. The real time includes the writer's thread.
void append(benchmark::State& state) {
  const auto& all = usual_scrubbed();
  cassettes::Take take;
  take.scrub_policy = "bench";
  cassettes::CassetteWriter writer(new_folder() + "/append.cassette", take);
  for ([[maybe_unused]] auto _ : state) {
    for (const scrubbers::ScrubbedInteraction& interaction : all) writer.append(interaction, [](bool) {});
    writer.flush();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(all.size()));
}

void scrub_large(benchmark::State& state) { scrub(state, large_interactions()); }
void scrub_usual(benchmark::State& state) { scrub(state, usual_interactions()); }

BENCHMARK(scrub_large)->Name("scrub")->Arg(10)->Arg(2000);
BENCHMARK(scrub_usual)->Name("scrub, usual sizes")->Arg(10)->Arg(2000);
BENCHMARK(memory_scan)->Name("memchr");
BENCHMARK(leak_scan)->Name("leak scan")->Arg(10)->Arg(2000);
BENCHMARK(append)->Name("append")->UseRealTime();

}  // namespace
}  // namespace tapedeck::bench
