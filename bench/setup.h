#pragma once
// What all measurements share: where things are, how long rounds last, loads and servers.

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
  std::filesystem::path packaged;  ///< the program of script/package's tarball; empty: it is not there
  std::filesystem::path work;      ///< loads, configurations, logs
  bool quick = false;

  [[nodiscard]] int rounds() const { return quick ? 3 : 5; }
  [[nodiscard]] double seconds() const { return quick ? 1 : 3; }
  /// The second load's size: a million, fewer when it must be quick.
  [[nodiscard]] std::uint64_t many() const { return quick ? 100'000 : 1'000'000; }
};

/// A load on disk.
struct LoadFolder {
  LoadPlan plan;
  std::filesystem::path folder;
  std::uint64_t body_bytes = 0;  ///< of all bodies

  [[nodiscard]] std::string cassette() const { return (folder / "load.cassette").string(); }
  [[nodiscard]] std::filesystem::path files() const { return folder / "files"; }
  [[nodiscard]] std::string lua() const { return (folder / "plan.lua").string(); }
};

/// Makes the load unless its folder is whole and newer than the tapedeck program's cassette format.
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
/// A path for a cassette to record; an earlier one of that name goes.
[[nodiscard]] std::filesystem::path new_cassette(const Setup& setup, const std::string& name);
[[nodiscard]] Server start_record(const Setup& setup, const std::filesystem::path& cassette, std::uint16_t device);

/// Asks both for `count` calls spread over the load and compares each body with the plan's. Throws when any differs.
void check_same_bodies(const LoadFolder& load, std::uint16_t tapedeck_port, std::optional<std::uint16_t> files_port);

/// Exec to first answer of the packaged program, with its goal; of the program that was built, without, where there is
/// no package.
[[nodiscard]] Row start_row(const Setup& setup, const LoadFolder& load, const std::string& id);

// The measurements; each puts its rows into the report.
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
