#pragma once
// Contains what all measurements share: paths, durations of rounds, loads, and servers.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/child.h"
#include "bench/load.h"
#include "bench/nginx.h"
#include "bench/report.h"
#include "http/io/tls.h"

namespace tapedeck::bench {

struct Setup {
  std::filesystem::path tools;     ///< the folder of bench_make_load and bench_micro
  std::filesystem::path tapedeck;  ///< the program
  std::filesystem::path packaged;  ///< the program of script/package's archive; empty: missing
  std::filesystem::path work;      ///< loads, configurations, logs
  bool quick = false;

  [[nodiscard]] int rounds() const { return quick ? 3 : 5; }
  [[nodiscard]] double seconds() const { return quick ? 1 : 3; }
  /// Returns the size of the second load: a million, or fewer for quick runs.
  [[nodiscard]] std::uint64_t many() const { return quick ? 100'000 : 1'000'000; }
};

/// A load on disk.
struct LoadFolder {
  LoadPlan plan;
  std::filesystem::path folder;
  std::uint64_t body_bytes = 0;  ///< the size of all bodies

  [[nodiscard]] std::string cassette() const { return (folder / "load.cassette").string(); }
  [[nodiscard]] std::filesystem::path files() const { return folder / "files"; }
  [[nodiscard]] std::string lua() const { return (folder / "plan.lua").string(); }
};

/// Makes the load, unless its folder is complete and newer than the cassette format of the program.
[[nodiscard]] LoadFolder load_folder(const Setup& setup, const LoadPlan& plan, bool files);

/// A running `tapedeck replay` or `tapedeck record`.
struct Server {
  Child child;
  std::uint16_t port = 0;
  std::string scheme = "http";
  [[nodiscard]] std::string url() const { return scheme + "://127.0.0.1:" + std::to_string(port); }
};
[[nodiscard]] std::vector<std::string> replay_command(const Setup& setup, const std::vector<std::string>& cassettes,
                                                      std::uint16_t port);
[[nodiscard]] Server start_replay(const Setup& setup, const std::vector<std::string>& cassettes,
                                  const std::optional<http::ServerTls>& tls = {},
                                  const std::vector<std::string>& more = {});
/// Returns a path for a new cassette, and removes an earlier one.
[[nodiscard]] std::filesystem::path new_cassette(const Setup& setup, const std::string& name);
[[nodiscard]] Server start_record(const Setup& setup, const std::filesystem::path& cassette, std::uint16_t device);

/// Requests `count` calls of the load from both and compares each body with the plan's. Throws if one differs.
void check_same_bodies(const LoadFolder& load, std::uint16_t tapedeck_port, std::optional<std::uint16_t> files_port);

/// Measures exec to first response of the packaged program, with a goal, or else of the built one, without a goal.
[[nodiscard]] Row start_row(const Setup& setup, const LoadFolder& load, const std::string& id);

// The measurements. Each adds its rows to the report.
void measure_replay(const Setup& setup, Report& report);
void measure_forms(const Setup& setup, Report& report);
void measure_ids(const Setup& setup, Report& report);
void measure_sequences(const Setup& setup, Report& report);
void measure_logins(const Setup& setup, Report& report);
void measure_misses(const Setup& setup, Report& report);
void measure_fallbacks(const Setup& setup, Report& report);
void measure_compounds(const Setup& setup, Report& report);
void measure_ten(const Setup& setup, Report& report);
void measure_overlays(const Setup& setup, Report& report);
void measure_threads(const Setup& setup, Report& report);
void measure_tls(const Setup& setup, Report& report);
void measure_record(const Setup& setup, Report& report);
void measure_finish(const Setup& setup, Report& report);
void measure_single_client(const Setup& setup, Report& report);
void measure_start(const Setup& setup, Report& report);
void measure_million(const Setup& setup, Report& report);
void measure_ten_million(const Setup& setup, Report& report);
void measure_size(const Setup& setup, Report& report);
void measure_scrub(const Setup& setup, Report& report);
void measure_growth(const Setup& setup, Report& report);

}  // namespace tapedeck::bench
