// bench_make_load: writes a load as a folder: load.cassette (through the product's own writer), plan.lua (for wrk), and
// with --files, in a second run, files/ (the same bodies for a static server).

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

void make_cassette(const LoadPlan& plan, const std::filesystem::path& folder) {
  const Load load(plan);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::uint64_t bytes = write_cassette(load, (folder / "load.cassette").string());
  write_text(folder / "plan.lua", load.lua());
  // Written last, so that a folder with this file has a complete cassette.
  write_text(folder / "body_bytes", fmt::format("{}\n", bytes));
}

/// The folder of files gets its name when it is complete.
void make_files(const LoadPlan& plan, const std::filesystem::path& folder) {
  for (const char* name : {"files", "files.part"}) std::filesystem::remove_all(folder / name);
  write_files(Load(plan), folder / "files.part");
  std::filesystem::rename(folder / "files.part", folder / "files");
}

}  // namespace
}  // namespace tapedeck::bench

int main(int argc, char** argv) {
  CLI::App app("Makes a load for the benchmarks");
  tapedeck::bench::LoadPlan plan;
  std::string folder;
  bool only_files = false;
  app.add_option("folder", folder, "Emptied and filled")->required();
  app.add_option("--count", plan.count, "Distinct calls")->check(CLI::Range(1, 10'000'000))->capture_default_str();
  app.add_option("--exact", plan.exact_bytes, "Size of every body, instead of log-normal sizes");
  app.add_flag("--files", only_files, "The static files for a cassette that is there");
  CLI11_PARSE(app, argc, argv);
  try {
    only_files ? tapedeck::bench::make_files(plan, folder) : tapedeck::bench::make_cassette(plan, folder);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_make_load: {}\n", error.what());
    return 1;
  }
}
