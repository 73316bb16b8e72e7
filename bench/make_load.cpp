// bench_make_load: a load as a folder: load.cassette (through the product's own writer), files/ (the same bodies for a
// static server) and plan.lua (for wrk).

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "bench/load.h"
#include "bench/tape_maker.h"

namespace tapedeck::bench {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

void write_files(const Load& load, const std::filesystem::path& folder) {
  for (std::uint64_t n = 0; n < load.plan().count; ++n) {
    const std::filesystem::path file = folder / Load::file(n).substr(1);
    if (n % 1000 == 0) std::filesystem::create_directories(file.parent_path());
    write_text(file, load.body(n));
  }
}

/// Returns the bytes of all bodies.
std::uint64_t write_cassette(const Load& load, const std::string& path) {
  TapeMaker tape(path);
  std::uint64_t bytes = 0;
  const Clock::time_point start = Clock::now();
  for (std::uint64_t n = 0; n < load.plan().count; ++n) {
    const api::Interaction interaction = load.interaction(n);
    bytes += interaction.response.body.size();
    tape.add(interaction);
  }
  const double appended = seconds_since(start);
  tape.finish();
  fmt::print("{} interactions, {} bytes, appended in {:.2f} s, finished in {:.2f} s\n", load.plan().count, bytes,
             appended, seconds_since(start) - appended);
  return bytes;
}

void make(const LoadPlan& plan, const std::filesystem::path& folder, bool files) {
  const Load load(plan);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::uint64_t bytes = write_cassette(load, (folder / "load.cassette").string());
  if (files) write_files(load, folder / "files");
  write_text(folder / "plan.lua", load.lua());
  // The last file, so that a folder that has it is whole.
  write_text(folder / "body_bytes", fmt::format("{}\n", bytes));
}

}  // namespace
}  // namespace tapedeck::bench

int main(int argc, char** argv) {
  CLI::App app("Makes a load for the benchmarks");
  tapedeck::bench::LoadPlan plan;
  std::string folder;
  bool no_files = false;
  app.add_option("folder", folder, "Emptied and filled")->required();
  app.add_option("--count", plan.count, "Distinct calls")->check(CLI::Range(1, 10'000'000))->capture_default_str();
  app.add_option("--exact", plan.exact_bytes, "Size of every body, instead of log-normal sizes");
  app.add_flag("--no-files", no_files, "No static files");
  CLI11_PARSE(app, argc, argv);
  try {
    tapedeck::bench::make(plan, folder, !no_files);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_make_load: {}\n", error.what());
    return 1;
  }
}
