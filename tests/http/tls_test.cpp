#include "http/io/tls.h"

#include <openssl/ssl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "base/digest.h"
#include "http/io/tls_context.h"
#include "tests/http/relay_fixture.h"

namespace tapedeck::http {
namespace {

using testing::body_of;
using testing::EchoHandler;
using testing::RawSocket;
using testing::status_of;
using testing::TestProxy;
using testing::TestServer;

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("tapedeck-tls-" + base::to_hex(base::random_bytes(8)))) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// A TLS client that uses only OpenSSL and trusts any certificate.
class TlsClient {
 public:
  TlsClient(std::uint16_t port, int highest_version = 0)
      : socket_(RawSocket::connect(port)), context_(SSL_CTX_new(TLS_client_method())) {
    // Old versions require security level 0 in OpenSSL.
    if (highest_version != 0) {
      SSL_CTX_set_security_level(context_, 0);
      SSL_CTX_set_min_proto_version(context_, TLS1_VERSION);
      SSL_CTX_set_max_proto_version(context_, highest_version);
    }
    tls_ = SSL_new(context_);
    SSL_set_fd(tls_, socket_.fd());
    connected_ = SSL_connect(tls_) == 1;
  }
  ~TlsClient() {
    SSL_free(tls_);
    SSL_CTX_free(context_);
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  void send(const std::string& bytes) { SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size())); }
  [[nodiscard]] std::string read_all() {
    std::string all;
    char buffer[16384];
    for (int count = SSL_read(tls_, buffer, sizeof buffer); count > 0; count = SSL_read(tls_, buffer, sizeof buffer)) {
      all.append(buffer, static_cast<std::size_t>(count));
    }
    return all;
  }
  /// Returns true if the connection ended with close_notify.
  [[nodiscard]] bool ended_cleanly() const { return (SSL_get_shutdown(tls_) & SSL_RECEIVED_SHUTDOWN) != 0; }

 private:
  RawSocket socket_;
  SSL_CTX* context_;
  SSL* tls_ = nullptr;
  bool connected_ = false;
};

const std::string tls_request = "GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

TEST_CASE("tls: a self-signed certificate is created once and kept") {
  const Folder folder;
  const ServerTls first = self_signed(folder.path() + "/sub", "nas.example");
  const std::string print = certificate_fingerprint(first.cert_file);
  CHECK(print.size() == 64);
  CHECK(certificate_fingerprint(self_signed(folder.path() + "/sub", "nas.example").cert_file) == print);
  struct stat info {};
  REQUIRE(::stat(first.key_file.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK_THROWS_AS(certificate_fingerprint(folder.path() + "/none"), std::runtime_error);
  CHECK_THROWS_AS(self_signed("/proc/none", "a"), std::runtime_error);
}

TEST_CASE("tls: the listener supports TLS 1.2 and 1.3 and sends close_notify") {
  const Folder folder;
  EchoHandler handler;
  TestServer server(handler, {}, 1, self_signed(folder.path(), "localhost"));
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient client(server.port(), version);
    REQUIRE(client.connected());
    client.send(tls_request);
    CHECK(body_of(client.read_all()) == "GET /x []");
    CHECK(client.ended_cleanly());
  }
  CHECK_FALSE(TlsClient(server.port(), TLS1_1_VERSION).connected());
  CHECK(handler.handled == 2);
}

TEST_CASE("tls: large bodies and pipelined requests pass in both directions") {
  const Folder folder;
  EchoHandler handler;
  TestServer server(handler, {}, 1, self_signed(folder.path(), "localhost"));
  TlsClient client(server.port());
  const std::string body(3'000'000, 'b');
  std::thread sender(
      [&client, &body] { client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n" + body + tls_request); });
  sender.join();
  const std::string all = client.read_all();
  CHECK(all.find("POST / [" + body + "]") != std::string::npos);
  CHECK(all.ends_with("GET /x []"));
}

TEST_CASE("tls: the listener survives a plain request and an interrupted handshake") {
  const Folder folder;
  EchoHandler handler;
  Limits limits;
  limits.head_time = std::chrono::milliseconds(200);
  TestServer server(handler, limits, 1, self_signed(folder.path(), "localhost"));
  RawSocket plain = server.connect();
  plain.send(tls_request);
  (void)plain.read_all();
  CHECK_FALSE(plain.timed_out());
  RawSocket slow = server.connect();
  slow.send("\x16\x03\x01");
  (void)slow.read_all();
  CHECK_FALSE(slow.timed_out());
  CHECK(handler.handled == 0);
}

TEST_CASE("tls: an invalid certificate file is named in one line") {
  const Folder folder;
  const ServerTls good = self_signed(folder.path(), "localhost");
  std::ofstream(folder.path() + "/junk") << "junk";
  EchoHandler handler;
  const testing::Loops loops;
  const auto listen = [&](const ServerTls& tls) {
    const Listener listener(loops.all(), ListenerOptions{Endpoint{"127.0.0.1", 0}, {}, tls}, handler);
  };
  CHECK_THROWS_WITH(listen({folder.path() + "/none", good.key_file}), Catch::Contains("certificate"));
  CHECK_THROWS_WITH(listen({good.cert_file, folder.path() + "/junk"}), Catch::Contains("key"));
}

struct Judged {
  std::string answer;
  Relayed story;
  int handled;
};

Judged ask_device(const ClientTls& tls, const ServerTls& files, const std::string& host = "127.0.0.1") {
  EchoHandler handler;
  TestServer device(handler, {}, 1, files, "0.0.0.0");
  RelayOptions options;
  options.tls = tls;
  TestProxy proxy(device.port(), options, true, host);
  Judged judged;
  judged.answer = proxy.ask("/x");
  judged.story = proxy.keeper().next();
  judged.handled = handler.handled;
  return judged;
}

TEST_CASE("tls: checks the device's certificate before it sends a byte of the request") {
  const Folder folder;
  const ServerTls files = self_signed(folder.path(), "nas.example");
  const std::string print = certificate_fingerprint(files.cert_file);
  std::string spelled;
  for (std::size_t i = 0; i < print.size(); i += 2) spelled += (i == 0 ? "" : ":") + print.substr(i, 2);
  for (char& c : spelled) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));

  const struct {
    std::string name;
    ClientTls tls;
    std::string host;
    bool trusted;
    std::string why;
  } rows[] = {
      {"insecure", {true, {}, {}}, "127.0.0.1", true, ""},
      {"pin", {false, {}, print}, "127.0.0.1", true, ""},
      {"pin with colons", {false, {}, spelled}, "127.0.0.1", true, ""},
      {"as its own CA", {false, files.cert_file, {}}, "127.0.0.1", true, ""},
      {"as its own CA by name", {false, files.cert_file, {}}, "localhost", true, ""},
      {"another pin",
       {false, {}, std::string(64, '0')},
       "127.0.0.1",
       false,
       "it does not match the pinned fingerprint"},
      {"system CAs", {false, {}, {}}, "127.0.0.1", false, "self"},
      {"wrong host", {false, files.cert_file, {}}, "127.0.0.2", false, "IP address mismatch"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const Judged judged = ask_device(row.tls, files, row.host);
    CHECK(judged.handled == (row.trusted ? 1 : 0));
    CHECK(status_of(judged.answer) == (row.trusted ? "200" : "502"));
    if (row.trusted) continue;
    CHECK(judged.story.ending == Ending::unreachable);
    CHECK(judged.story.detail.find(row.why) != std::string::npos);
    CHECK(judged.story.detail.find("use --pin-sha256 " + print) != std::string::npos);
    CHECK(judged.story.detail.find("use --pin-sha256 " + print) != std::string::npos);
  }
}

TEST_CASE("tls: no spelling of the host disables the check of the certificate's name") {
  const Folder folder;
  const ServerTls files = self_signed(folder.path(), "nas.example");
  const ClientTls by_name{false, files.cert_file, {}};
  // Each of these names leads to this machine, and none is in the certificate.
  for (const std::string host : {"127.1", "127.0.1", "2130706433", "127.000.000.001", "127.0.0.2", "0.0.0.0", "0"}) {
    CAPTURE(host);
    const Judged judged = ask_device(by_name, files, host);
    CHECK(judged.handled == 0);
    CHECK(status_of(judged.answer) == "502");
    CHECK(judged.story.detail.find("mismatch") != std::string::npos);
  }
  CHECK(ask_device(by_name, files, "127.0.0.1").handled == 1);
  CHECK(ask_device(by_name, files, "localhost").handled == 1);
}

TEST_CASE("tls: two processes that create a certificate at the same time get one pair") {
  constexpr int rounds = 20;
  constexpr int starts = 4;
  for (int round = 0; round < rounds; ++round) {
    const Folder folder;
    std::vector<std::thread> threads;
    std::atomic<int> good = 0;
    for (int i = 0; i < starts; ++i) {
      threads.emplace_back([&] {
        try {
          // Throws if the key belongs to another certificate.
          const TlsContext context(self_signed(folder.path(), "nas.example"));
          ++good;
        } catch (const std::exception&) {
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    REQUIRE(good == starts);
  }
}

TEST_CASE("tls: replaces incomplete files of a killed process") {
  const Folder folder, other;
  const ServerTls files = self_signed(folder.path(), "nas.example");
  const ServerTls others = self_signed(other.path(), "nas.example");
  std::filesystem::copy_file(others.key_file, files.key_file, std::filesystem::copy_options::overwrite_existing);
  CHECK_THROWS_WITH(TlsContext(files), Catch::Contains("key"));
  const TlsContext mended(self_signed(folder.path(), "nas.example"));
  std::filesystem::remove(files.cert_file);
  const TlsContext again(self_signed(folder.path(), "nas.example"));
}

TEST_CASE("tls: invalid options are refused immediately") {
  EventLoop loop;
  RelayOptions options;
  options.device = BaseUrl{true, "nas.example", 443, ""};
  options.tls.ca_file = "/nowhere/ca.pem";
  CHECK_THROWS_WITH(Relay(loop, options), Catch::Contains("/nowhere/ca.pem"));
  options.tls = ClientTls{false, std::nullopt, "abc"};
  CHECK_THROWS_WITH(Relay(loop, options), Catch::Contains("64 hex digits"));
}

TEST_CASE("tls: a device without TLS is unreachable") {
  testing::FakeDevice device([](RawSocket& socket, int) {
    std::string hello;
    socket.read_some(hello);
    socket.send("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  RelayOptions options;
  options.tls.insecure = true;
  TestProxy proxy(device.port(), options, true);
  CHECK(status_of(proxy.ask()) == "502");
  const Relayed story = proxy.keeper().next();
  CHECK(story.ending == Ending::unreachable);
  CHECK(story.detail.find("TLS handshake") != std::string::npos);
}

}  // namespace
}  // namespace tapedeck::http
