// Measures replay without sessions: forms, misses, fallbacks, compounds, several cassettes, overlays.

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/list_row.h"
#include "bench/tape_maker.h"
#include "http/message/urlencoded.h"

namespace tapedeck::bench {
namespace {

constexpr std::uint64_t calls = 288;
constexpr const char* path = "/webapi/entry.cgi";

std::string query(const Load& load, std::uint64_t n) { return load.target(n).substr(std::string(path).size() + 1); }

std::string usual_cassette(const Setup& setup) { return load_folder(setup, {}, true).cassette(); }

/// Returns one part of a compound, which is the query as JSON.
nlohmann::ordered_json part(const Load& load, std::uint64_t n) {
  nlohmann::ordered_json call;
  for (const http::Pair& pair : http::parse_urlencoded(query(load, n))) {
    const auto value = nlohmann::ordered_json::parse(pair.value, nullptr, false);
    call[pair.name] = value.is_discarded() ? nlohmann::ordered_json(pair.value) : value;
  }
  return call;
}

/// Returns the text of `data` in a body of the load.
std::string data_of(const std::string& body) {
  const std::size_t begin = std::string("{\"data\":").size();
  return body.substr(begin, body.rfind(",\"success\"") - begin);
}

Step compound(const Load& load, std::uint64_t first) {
  constexpr std::uint64_t parts = 4;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  Step step{{}, {}, "builtin", {}, {"\"has_fail\":false"}, first / parts};
  for (std::uint64_t n = first; n < first + parts; ++n) {
    list.push_back(part(load, n));
    step.holds.push_back(data_of(load.body(n)));
  }
  step.target = fmt::format("{}?api=SVC.Entry.Request&version=1&method=request&mode=sequential&compound={}", path,
                            http::percent_encode(list.dump()));
  return step;
}

/// Writes one overlay for each operation, of three kinds in turn: another member, another value, another response.
std::string write_overlays(const Setup& setup, const Load& load) {
  const std::filesystem::path file = setup.work / "overlays-in-force.toml";
  std::ofstream out(file, std::ios::trunc);
  for (std::uint64_t n = 0; n < Load::operations; ++n) {
    const nlohmann::ordered_json call = part(load, n);
    out << fmt::format("[[overlay]]\nname = \"{}\"\ncall = \"{}/*/{}\"\n", n, call.at("api").get<std::string>(),
                       call.at("method").get<std::string>());
    const std::array<const char*, 3> answers{"patch = [ { op = \"add\", path = \"/data/laid\", value = \"over\" } ]\n",
                                             "merge = { data = { laid = \"over\" } }\n",
                                             "data = { laid = \"over\" }\n"};
    out << answers[n % answers.size()];
  }
  return file.string();
}

}  // namespace

void measure_forms(const Setup& setup, Report& report) {
  const Load load({});
  ListRow row{"forms", "replay, 288 POST forms", {usual_cassette(setup)}, {}};
  for (std::uint64_t n = 0; n < calls; ++n)
    row.steps.push_back({path, query(load, n), "recorded", load.body(n), {}, n});
  row.requests_at_least = 0.95;
  row.cpu_at_most = 1.1;
  measure_list(setup, row, report);
}

void measure_misses(const Setup& setup, Report& report) {
  const Load load({});
  ListRow row{"misses", "replay, 288 misses", {usual_cassette(setup)}, {}};
  for (std::uint64_t n = 0; n < calls; ++n)
    row.steps.push_back({load.target(n + 1'000 * calls), {}, "miss", {}, {"recorded only with other parameters"}, n});
  measure_list(setup, row, report);
}

void measure_fallbacks(const Setup& setup, Report& report) {
  ListRow row{"fallbacks", "replay, the three fallbacks", {}, {}};
  for (const char* call : {"SVC.Core.Network&version=1&method=get", "SVC.Core.AppPortal&version=1&method=list",
                           "SVC.Core.SecurityScan.Status&version=1&method=rule_get&items=ALL"})
    row.steps.push_back(
        {fmt::format("{}?api={}", path, call), {}, "fallback", {}, {"\"success\":true"}, row.steps.size()});
  measure_list(setup, row, report);
}

void measure_compounds(const Setup& setup, Report& report) {
  const Load load({});
  ListRow row{"compounds", "replay, compounds of four recorded calls", {usual_cassette(setup)}, {}};
  for (std::uint64_t n = 0; n < calls; n += 4) row.steps.push_back(compound(load, n));
  measure_list(setup, row, report);
}

void measure_ten(const Setup& setup, Report& report) {
  constexpr std::uint64_t cassettes = 10;
  const Load load({cassettes * calls});
  ListRow row{"ten", "replay, ten cassettes of 288", {}, {}};
  for (std::uint64_t i = 0; i < cassettes; ++i) {
    row.cassettes.push_back((setup.work / fmt::format("ten-{}.cassette", i)).string());
    TapeMaker tape(row.cassettes.back());
    for (std::uint64_t n = i * calls; n < (i + 1) * calls; ++n) {
      tape.add(load.interaction(n));
      row.steps.push_back({load.target(n), {}, "recorded", load.body(n), {}, n});
    }
    tape.finish();
  }
  measure_list(setup, row, report);
}

void measure_overlays(const Setup& setup, Report& report) {
  const Load load({});
  ListRow row{"overlays", "replay, 48 overlays, one in force for each call", {usual_cassette(setup)}, {}};
  for (std::uint64_t n = 0; n < calls; ++n)
    row.steps.push_back({load.target(n), {}, "overlay", {}, {"\"laid\":\"over\"", "\"success\":true"}, n});
  row.options = {"--overlay", write_overlays(setup, load)};
  measure_list(setup, row, report);
}

}  // namespace tapedeck::bench
