// bench_make_load: a load as a folder: load.cassette (through the product's own writer), files/ (the same bodies for a
// static server) and plan.lua (for wrk).

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "bench/load.h"
#include "cassettes/finish/finish.h"
#include "cassettes/write/cassette_writer.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::bench {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Keeps the writer's queue short, as a recorder's clients do: they wait for the commit.
class Window {
 public:
  void enter() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return open_ < most; });
    ++open_;
  }
  void leave(bool committed) {
    const std::scoped_lock lock(mutex_);
    --open_;
    if (!committed) ++lost_;
    room_.notify_one();
  }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  static constexpr int most = 4096;
  std::mutex mutex_;
  std::condition_variable room_;
  int open_ = 0;
  std::uint64_t lost_ = 0;
};

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
  scrubbers::Scrubber scrubber{scrubbers::ScrubberOptions{}};
  cassettes::TakeInfo take;
  take.tool_version = TAPEDECK_VERSION;
  take.scrub_policy = scrubber.rules().fingerprint();
  take.started_us = load.interaction(0).started_us;
  auto writer = std::make_unique<cassettes::CassetteWriter>(path, take);
  Window window;
  std::uint64_t bytes = 0;
  const Clock::time_point start = Clock::now();
  for (std::uint64_t n = 0; n < load.plan().count; ++n) {
    const api::Interaction interaction = load.interaction(n);
    bytes += interaction.response.body.size();
    window.enter();
    writer->append(scrubber.scrub(interaction), [&window](bool committed) { window.leave(committed); });
  }
  writer->flush();
  if (window.lost() > 0) throw std::runtime_error(fmt::format("{} interactions were not committed", window.lost()));
  const double appended = seconds_since(start);
  cassettes::FinishOptions options;
  options.scrubber = &scrubber;
  const cassettes::FinishReport report = cassettes::finish(std::move(writer), options);
  if (!report.finished) throw std::runtime_error("not finished: " + report.failure);
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
  app.add_option("--count", plan.count, "Distinct calls")->check(CLI::Range(1, 1'000'000))->capture_default_str();
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
