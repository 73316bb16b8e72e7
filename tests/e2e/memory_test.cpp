// Tests clients that request long responses and stop reading: memory stays below 64 MB and the buffer limit, and
// clients that continue get all of it.

#include <catch2/catch.hpp>
#include <thread>

#include "tests/e2e/fault_client.h"
#include "tests/e2e/harness.h"
#include "tests/http/raw_socket.h"
#include "tests/support/needs.h"
#include "tests/support/proc.h"

namespace tapedeck::tests::memory_cases {
namespace {

using namespace std::chrono_literals;
using http::testing::RawServer;
using http::testing::RawSocket;

constexpr std::size_t megabyte = 1u << 20;
constexpr std::size_t file_bytes = 9 * megabyte;
constexpr std::size_t buffer_limit = 20 * megabyte;
constexpr int files = 4;

/// Returns a different text for each number, so that none is stored twice.
std::string file(int number) {
  const std::string line = "file " + std::to_string(number) + ", a line like any other, made up to fill a download\n";
  std::string text;
  text.reserve(file_bytes + line.size());
  while (text.size() < file_bytes) text += line;
  text.resize(file_bytes);
  return text;
}

std::string get(int number) { return "GET /files/" + std::to_string(number) + " HTTP/1.1\r\nHost: localhost\r\n\r\n"; }

/// Serves the files on one connection after another.
class FileDevice {
 public:
  FileDevice() : thread_([this] { serve(); }) {}
  ~FileDevice() {
    server_.stop();
    thread_.join();
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

 private:
  void serve() {
    for (RawSocket client = server_.accept(); client.fd() >= 0; client = server_.accept()) {
      const std::string request = client.read_message();
      if (request.empty()) continue;
      client.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: " +
                  std::to_string(file_bytes) + "\r\n\r\n");
      client.send(file(std::stoi(request.substr(request.find("/files/") + 7))));
    }
  }
  RawServer server_;
  std::thread thread_;
};

std::size_t body_bytes(const std::string& message) { return message.size() - message.find("\r\n\r\n") - 4; }

void record_files(const TempDir& folder, const std::string& cassette) {
  const FileDevice device;
  Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
  for (int number = 0; number < files; ++number) {
    RawSocket client = RawSocket::connect(port_of(recorder.url()));
    client.send(get(number));
    REQUIRE(body_bytes(client.read_message()) == file_bytes);
  }
  recorder.child().signal(SIGTERM);
  const std::optional<int> status = recorder.child().wait(100s);  // long bodies are compressed and searched
  REQUIRE((status == 0 || status == 3));                          // 3: the disk was too slow for one of them
}

TEST_CASE("memory: replay keeps no more of long responses in memory than its buffers while clients do not read") {
  const TempDir folder;
  const std::string cassette = folder / "files.cassette";
  record_files(folder, cassette);
  write_file(folder / "long.json", file(0));
  struct Row {
    std::string overlay;  ///< overlay for each requested file
    std::vector<std::string> options;
    int used = files;
    bool is_read = false;
  };
  const std::vector<Row> rows = {
      {"", {}, files, true},
      {"", {"--delay", "400ms"}},
      {"status = 503\nheaders = { X-A = \"b\" }", {}},
      {"status = 503\ndelay = \"400ms\"", {}},
      {"fault = \"cut\"", {}},
      {"file = \"long.json\"", {}, 1},
      {"file = \"long.json\"\ndelay = \"400ms\"", {}, 1},
  };
  for (std::size_t i = 0; i < rows.size(); i += is_long() ? 1 : 3) {
    const Row& row = rows[i];
    CAPTURE(row.overlay, row.options);
    std::vector<std::string> command = {"replay", cassette, "--buffer", std::to_string(buffer_limit)};
    command.insert(command.end(), row.options.begin(), row.options.end());
    if (!row.overlay.empty()) {
      std::string text;
      for (int number = 0; number < row.used; ++number) {
        text += "[[overlay]]\npath = \"GET /files/" + std::to_string(number) + "\"\n" + row.overlay + "\n";
      }
      write_file(folder / "o.toml", text);
      command.insert(command.end(), {"--overlay", folder / "o.toml"});
    }
    Server replay(folder.path(), command);
    const std::size_t idle = memory_of(replay.child().pid(), "VmHWM");  // memory of the program itself
    std::vector<RawSocket> clients;
    for (int i = 0; i < 12; ++i) {
      clients.push_back(RawSocket::connect(port_of(replay.url())));
      clients.back().send(get(i % row.used));
    }
    std::this_thread::sleep_for(1s);  // longer than the delays
    if (row.is_read) {
      for (RawSocket& client : clients) CHECK(body_bytes(client.read_message()) == file_bytes);
    }
    const std::size_t most = memory_of(replay.child().pid(), "VmHWM");
    CAPTURE(most / megabyte);
    if (memory_counts) CHECK(most - idle < buffer_limit + 24 * megabyte);
    clients.clear();
    CHECK(replay.stop() == 0);
  }
}

}  // namespace
}  // namespace tapedeck::tests::memory_cases
