// Measures the way from a key to the bytes of a response.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "bench/load.h"
#include "bench/micro/support.h"
#include "cassettes/finish/finish.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/write/cassette_writer.h"
#include "replay/recorded/playable.h"
#include "replay/sessions/session.h"

namespace tapedeck::bench {
namespace {

constexpr std::uint64_t stored = 10'000;

/// Returns the path of a cassette with 10,000 interactions.
const std::string& stored_cassette() {
  static const std::string path = [] {
    const std::string file = new_folder() + "/stored.cassette";
    scrubbers::Scrubber scrubber{scrubbers::ScrubberOptions{}};
    cassettes::Take take;
    take.scrub_policy = scrubber.rules().fingerprint();
    auto writer = std::make_unique<cassettes::CassetteWriter>(file, take);
    const Load load({stored});
    for (std::uint64_t n = 0; n < stored; ++n) writer->append(scrubber.scrub(load.interaction(n)), [](bool) {});
    cassettes::FinishOptions options;
    options.scrubber = &scrubber;
    if (!cassettes::finish(std::move(writer), options).finished) throw std::runtime_error("not finished");
    return file;
  }();
  return path;
}

std::vector<std::string> stored_keys() {
  const Load load({stored});
  std::vector<std::string> keys;
  for (std::uint64_t n = 0; n < stored; ++n)
    keys.push_back(api::KeyPolicy::current().key(load.interaction(n).request, {}, {}).text);
  return keys;
}

void lookup(benchmark::State& state) {
  const cassettes::CassetteReader reader(stored_cassette());
  const std::vector<std::string> keys = stored_keys();
  std::size_t at = 0;
  for ([[maybe_unused]] auto _ : state) {
    at = (at + 7919) % keys.size();
    const auto sequences = reader.sequences(keys[at]);
    if (sequences.empty()) return state.SkipWithError("a key is missing");
    benchmark::DoNotOptimize(reader.answer(sequences.front(), 0));
  }
  state.SetItemsProcessed(state.iterations());
}

/// Returns a response of 2 kB with the session's ID in a cookie and twice in the body.
cassettes::PlayedAnswer answer_with_ids() {
  using namespace std::string_literals;
  const std::string placeholder = "<SESSION_ID>";
  cassettes::PlayedAnswer answer;
  answer.id = "0123456789abcdef";
  answer.reason = "OK";
  answer.headers = std::make_shared<const http::Headers>(http::Headers{
      {"Content-Type", "application/json; charset=\"UTF-8\""}, {"Set-Cookie", "id=" + placeholder + "; path=/"}});
  answer.body = "{\"data\":{\"sid\":\"" + placeholder + "\",\"text\":\"" + std::string(1900, 'x') +
                "\",\"url\":\"/dl?_sid=" + placeholder + "\"},\"success\":true}";
  const auto row = [&](scrubbers::Part part, std::size_t offset) {
    scrubbers::Redaction redaction;
    redaction.part = part;
    redaction.offset = offset;
    redaction.length = placeholder.size();
    redaction.secret_class = scrubbers::SecretClass::session_id;
    redaction.whose = scrubbers::Whose::own;
    redaction.shape = "86:base64url";
    answer.redactions.push_back(redaction);
  };
  row(scrubbers::Part::response_headers, answer.headers->to_text().find(placeholder));
  row(scrubbers::Part::response_body, answer.body.find(placeholder));
  row(scrubbers::Part::response_body, answer.body.rfind(placeholder));
  return answer;
}

void splice(benchmark::State& state) {
  const auto playable = std::make_shared<const replay::Playable>(answer_with_ids(), false);
  const auto account = std::make_shared<replay::Account>("somebody");
  const replay::Session session(account, 0, {}, 0);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(playable->prepare(session, {}));
  state.SetItemsProcessed(state.iterations());
}

void prepare_plain(benchmark::State& state) {
  cassettes::PlayedAnswer answer = answer_with_ids();
  answer.redactions.clear();
  const auto playable = std::make_shared<const replay::Playable>(std::move(answer), false);
  const auto account = std::make_shared<replay::Account>("somebody");
  const replay::Session session(account, 0, {}, 0);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(playable->prepare(session, {}));
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(lookup)->Name("lookup");
BENCHMARK(splice)->Name("splice");
BENCHMARK(prepare_plain)->Name("prepare, nothing to splice");

}  // namespace
}  // namespace tapedeck::bench
