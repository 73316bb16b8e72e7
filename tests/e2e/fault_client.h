#pragma once
// A client of raw bytes, for facts that curl hides: how and when a response ended.

#include <chrono>
#include <string>
#include <vector>

namespace tapedeck::tests {

/// The response on a connection with one request that the server then closed.
struct Heard {
  int status = 0;
  std::string head, body;  ///< the body without chunk framing, up to `keep` bytes of it
  std::size_t body_bytes = 0;
  bool whole = false;  ///< the body has the length that its framing promises
  bool ended = false;  ///< false if no byte came before the timeout
  std::chrono::milliseconds took{0};
};

/// Returns the port of "http://127.0.0.1:PORT".
[[nodiscard]] std::uint16_t port_of(const std::string& url);
/// Sends a request with `Connection: close`. `lines` are more headers, each with its CRLF.
[[nodiscard]] Heard ask(const std::string& url, const std::string& target, const std::string& method = "GET",
                        const std::string& lines = {});
/// Returns the target of a call whose key names the fault.
[[nodiscard]] std::string target_with(const std::string& fault);

/// One interaction of `ls --json`.
struct Listed {
  std::string key, completeness, reason;
  int status = 0;
};
/// Throws std::runtime_error if ls fails.
[[nodiscard]] std::vector<Listed> listed(const std::string& cassette);

}  // namespace tapedeck::tests
