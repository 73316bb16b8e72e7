#include "tests/e2e/fault_client.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "tests/e2e/harness.h"
#include "tests/http/raw_socket.h"

namespace tapedeck::tests {

namespace {

using Clock = std::chrono::steady_clock;
using http::testing::RawSocket;

constexpr std::size_t keep = 1u << 16;

/// Reads a body piece by piece and detects its end. Long bodies are counted and not kept.
class BodyReader {
 public:
  explicit BodyReader(const std::string& head) {
    const std::size_t length = head.find("\r\nContent-Length: ");
    if (length != std::string::npos) left_ = std::stoull(head.substr(length + 18));
    chunked_ = head.find("\r\nTransfer-Encoding: chunked\r\n") != std::string::npos;
    if (chunked_) left_ = 0;
  }
  void take(std::string& bytes, Heard& heard) {
    while (!bytes.empty() && !over_ && (chunked_ && left_ == 0 ? take_size(bytes) : take_piece(bytes, heard))) continue;
  }
  [[nodiscard]] bool whole() const { return chunked_ ? over_ : left_ == 0; }

 private:
  bool take_piece(std::string& bytes, Heard& heard) {
    const std::size_t taken = std::min<std::size_t>(left_, bytes.size());
    heard.body_bytes += taken;
    if (heard.body.size() < keep) heard.body.append(bytes, 0, std::min(taken, keep - heard.body.size()));
    bytes.erase(0, taken);
    left_ -= taken;
    return taken > 0;
  }
  bool take_size(std::string& bytes) {
    const std::size_t begin = bytes.starts_with("\r\n") ? 2 : 0;
    const std::size_t end = bytes.find("\r\n", begin);
    if (end == std::string::npos) return false;
    left_ = std::stoull(bytes.substr(begin, end - begin), nullptr, 16);
    over_ = left_ == 0;
    bytes.erase(0, end + 2);
    return true;
  }

  std::uint64_t left_ = 0;
  bool chunked_ = false;
  bool over_ = false;
};

}  // namespace

std::uint16_t port_of(const std::string& url) {
  return static_cast<std::uint16_t>(std::stoul(url.substr(url.rfind(':') + 1)));
}

Heard ask(const std::string& url, const std::string& target, const std::string& method, const std::string& lines) {
  Heard heard;
  const auto began = Clock::now();
  RawSocket socket = RawSocket::connect(port_of(url));
  socket.send(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + lines + "\r\n");
  std::string bytes;
  std::optional<BodyReader> reader;
  while (socket.read_some(bytes, std::chrono::seconds(30))) {
    const std::size_t end = reader ? std::string::npos : bytes.find("\r\n\r\n");
    if (end != std::string::npos) {
      heard.head = bytes.substr(0, end + 2);
      heard.status = std::stoi(heard.head.substr(9, 3));
      bytes.erase(0, end + 4);
      reader.emplace(heard.head);
    }
    if (reader) reader->take(bytes, heard);
  }
  heard.whole = reader && reader->whole();
  heard.ended = !socket.timed_out();
  heard.took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began);
  return heard;
}

std::string target_with(const std::string& fault) {
  return "/webapi/entry.cgi?api=SVC.Core.Fault&version=1&method=get&fault=" + fault;
}

std::vector<Listed> listed(const std::string& cassette) {
  const Ran ran = run_tapedeck({"ls", "--json", cassette});
  if (ran.status != 0) throw std::runtime_error("ls ended with " + std::to_string(ran.status) + ": " + ran.err);
  std::vector<Listed> rows;
  for (const auto& entry : nlohmann::json::parse(ran.out)) {
    Listed row;
    entry.at("key").get_to(row.key);
    entry.at("completeness").get_to(row.completeness);
    row.reason = entry.value("reason", "");
    entry.at("status").get_to(row.status);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace tapedeck::tests
