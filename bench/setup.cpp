#include "bench/setup.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <stdexcept>

#include "bench/client.h"
#include "cassettes/read/cassette_reader.h"

namespace tapedeck::bench {
namespace {

std::string folder_name(const LoadPlan& plan) {
  return plan.exact_bytes > 0 ? fmt::format("load-{}-of-{}", plan.count, plan.exact_bytes)
                              : fmt::format("load-{}", plan.count);
}

Server start(const Setup& setup, std::vector<std::string> argv, std::uint16_t port, const char* log) {
  Server server{Child(argv, setup.work / log), port};
  const Client ready(port);
  if (!server.child.running()) throw std::runtime_error(argv[1] + " has ended; see " + (setup.work / log).string());
  return server;
}

std::string listen(std::uint16_t port) { return fmt::format("127.0.0.1:{}", port); }

/// Returns false for a load of an earlier program, which would be converted at each start. The format number is
/// SQLite's user_version, four bytes in big-endian order.
bool has_todays_format(const std::filesystem::path& cassette) {
  std::array<char, 4> version{};
  std::ifstream file(cassette, std::ios::binary);
  file.seekg(60);
  file.read(version.data(), version.size());
  return file && version == std::array<char, 4>{0, 0, 0, cassettes::format_version};
}

}  // namespace

LoadFolder load_folder(const Setup& setup, const LoadPlan& plan, bool files) {
  LoadFolder load{plan, setup.work / folder_name(plan)};
  const std::filesystem::path done = load.folder / "body_bytes";
  std::vector<std::string> argv{(setup.tools / "bench_make_load").string(), load.folder.string(), "--count",
                                std::to_string(plan.count)};
  if (plan.exact_bytes > 0) argv.insert(argv.end(), {"--exact", std::to_string(plan.exact_bytes)});
  if (!std::filesystem::exists(done) || !has_todays_format(load.cassette()))
    fmt::print("{}: {}", load.folder.filename().string(), output_of(argv));
  if (files && !std::filesystem::exists(load.files())) {
    argv.emplace_back("--files");
    static_cast<void>(output_of(argv));
  }
  std::ifstream(done) >> load.body_bytes;
  return load;
}

std::vector<std::string> replay_command(const Setup& setup, const std::vector<std::string>& cassettes,
                                        std::uint16_t port) {
  std::vector<std::string> argv{setup.tapedeck.string(), "replay", "--listen", listen(port)};
  argv.insert(argv.end(), cassettes.begin(), cassettes.end());
  return argv;
}

Server start_replay(const Setup& setup, const std::vector<std::string>& cassettes,
                    const std::optional<http::ServerTls>& tls, const std::vector<std::string>& more) {
  const std::uint16_t port = free_port();
  std::vector<std::string> argv = replay_command(setup, cassettes, port);
  if (tls) argv.insert(argv.end(), {"--tls-cert", tls->cert_file, "--tls-key", tls->key_file});
  argv.insert(argv.end(), more.begin(), more.end());
  Server server = start(setup, argv, port, "replay.log");
  if (tls) server.scheme = "https";
  return server;
}

std::filesystem::path new_cassette(const Setup& setup, const std::string& name) {
  const std::filesystem::path cassette = setup.work / (name + ".cassette");
  for (const char* side : {"", ".recording", ".recording-wal", ".recording-shm"}) {
    std::filesystem::remove(cassette.string() + side);
  }
  return cassette;
}

Server start_record(const Setup& setup, const std::filesystem::path& cassette, std::uint16_t device) {
  const std::uint16_t port = free_port();
  return start(setup,
               {setup.tapedeck.string(), "record", "--listen", listen(port), "--device", "http://" + listen(device),
                cassette.string()},
               port, "record.log");
}

void check_same_bodies(const LoadFolder& load, std::uint16_t tapedeck_port, std::optional<std::uint16_t> files_port) {
  const Load made(load.plan);
  Client calls(tapedeck_port);
  const std::uint64_t step = load.plan.count <= 1000 ? 1 : load.plan.count / 500;
  for (std::uint64_t n = 0; n < load.plan.count; n += step) {
    const std::string body = made.body(n);
    const Answer answer = calls.get(made.target(n));
    if (answer.status != 200 || answer.body != body)
      throw std::runtime_error(
          fmt::format("tapedeck answers call {} with status {} and another body:\n{}", n, answer.status, answer.head));
    if (!files_port) continue;
    // One connection for each request, because nginx may close connections earlier.
    Client files(*files_port);
    if (files.get(Load::file(n)).body != body)
      throw std::runtime_error(fmt::format("nginx sends another body for {}", n));
  }
}

}  // namespace tapedeck::bench
