#include "bench/list_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/client.h"
#include "bench/rounds.h"
#include "bench/session_load.h"

namespace tapedeck::bench {
namespace {

constexpr int accounts = 997;  // coprime to every list's length, so that each call gets every ID

std::vector<std::string> log_in_all(std::uint16_t port) {
  Client client(port);
  std::vector<std::string> ids;
  for (int i = 0; i < accounts; ++i) {
    const Answer answer = client.get(SessionLoad::login_target(fmt::format("account{:03}", i)));
    ids.push_back(nlohmann::json::parse(answer.body).at("data").at("sid").get<std::string>());
  }
  return ids;
}

/// Runs replay and nginx with the same responses, and writes the files that wrk reads.
class ListBench {
 public:
  ListBench(const Setup& setup, const ListRow& row)
      : setup_(setup), row_(row), folder_(setup.work / row.name), replay_(start()) {
    std::filesystem::create_directories(folder_);
    if (row.ids == ListRow::Ids::logged_in) ids_ = log_in_all(replay_.port);
    const std::vector<std::string> bodies = check();
    write_step_files(row.steps, bodies, folder_ / "files");
    nginx_.emplace(Nginx::Options{Nginx::Role::files, setup.work / "nginx", folder_ / "files"});
    check_step_files(row.steps, bodies, nginx_->port());
    std::ofstream(ids_file()) << fmt::format("{}\n", fmt::join(ids_, "\n"));
    write_lists(row.steps);
  }

  std::vector<SideFigures> run() {
    const auto renew = [this] {
      if (row_.steps_of_round) write_lists(row_.steps_of_round(run_++));
    };
    return run_rounds({{ask(replay_.port, "calls.list"), &replay_.child, renew},
                       {ask(nginx_->port(), "files.list"), &nginx_->child()}},
                      setup_.rounds());
  }

  /// Checks that the responses are still the expected ones, and that none was different meanwhile.
  void end() {
    if (!row_.steps_of_round) check();
    if (const int status = replay_.child.stop(); status != 0)
      throw std::runtime_error(
          fmt::format("replay ended with {}; see {}", status, (setup_.work / "replay.log").string()));
  }

 private:
  /// If only recordings and built-in responses are expected, any other outcome changes the exit status.
  Server start() {
    std::vector<std::string> options = row_.options;
    const bool strict = std::all_of(row_.steps.begin(), row_.steps.end(), [](const Step& step) {
      return step.outcome == "recorded" || step.outcome == "builtin" || step.outcome == "overlay";
    });
    if (strict) options.push_back("--strict=miss,fallback,order,builtin-error");
    return start_replay(setup_, row_.cassettes, {}, options);
  }

  std::vector<std::string> check() {
    const std::string fresh = fmt::format("checked{}", ++checks_);
    return check_steps(row_.steps, replay_.port, [&](std::uint64_t place) {
      return row_.ids == ListRow::Ids::logged_in ? ids_[place % ids_.size()] : fresh;
    });
  }

  void write_lists(const Steps& steps) {
    write_list(steps, replay_.port, false, folder_ / "calls.list");
    write_list(steps, nginx_->port(), true, folder_ / "files.list");
  }

  [[nodiscard]] std::filesystem::path ids_file() const { return folder_ / "ids"; }

  [[nodiscard]] WrkOptions ask(std::uint16_t port, const char* list) const {
    WrkOptions wrk;
    wrk.url = fmt::format("http://127.0.0.1:{}", port);
    wrk.plan = folder_ / list;
    wrk.kind = WrkOptions::Kind::list;
    if (row_.ids == ListRow::Ids::logged_in) wrk.ids = ids_file();
    if (row_.ids == ListRow::Ids::fresh) wrk.ids = "fresh";
    wrk.seconds = setup_.seconds();
    return wrk;
  }

  const Setup& setup_;
  const ListRow& row_;
  const std::filesystem::path folder_;
  Server replay_;
  std::optional<Nginx> nginx_;
  std::vector<std::string> ids_;
  int run_ = 0, checks_ = 0;
};

}  // namespace

void measure_list(const Setup& setup, const ListRow& row, Report& report) {
  ListBench bench(setup, row);
  const std::vector<SideFigures> figures = bench.run();
  bench.end();
  const SideFigures &ours = figures[0], &theirs = figures[1];
  report.set(
      Row{row.name + ".requests", row.what, "/s", ours.per_second, theirs.per_second, "nginx", row.requests_at_least});
  report.set(Row{row.name + ".cpu",
                 row.what + ", CPU per request",
                 "µs",
                 ours.cpu_us,
                 theirs.cpu_us,
                 "nginx",
                 {},
                 row.cpu_at_most});
  report.set(Row{row.name + ".p99", row.what + ", p99", "µs", ours.p99_us, theirs.p99_us, "nginx"});
}

}  // namespace tapedeck::bench
