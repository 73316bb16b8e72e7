#pragma once
// A client of raw bytes, for what curl would hide: how an answer ended, and when.

#include <chrono>
#include <string>
#include <vector>

namespace tapedeck::tests {

/// What came back on one connection that asked once and was then closed by the server.
struct Heard {
  int status = 0;
  std::string head, body;  ///< the body without chunk framing, at most `keep` bytes of it
  std::size_t body_bytes = 0;
  bool whole = false;  ///< the body is as long as its framing says
  bool ended = false;  ///< false: the server was still silent when patience ended
  std::chrono::milliseconds took{0};
};

/// The port behind "http://127.0.0.1:PORT".
[[nodiscard]] std::uint16_t port_of(const std::string& url);
/// Asks with `Connection: close`. `lines` are further header lines, each with its CRLF.
[[nodiscard]] Heard ask(const std::string& url, const std::string& target, const std::string& method = "GET",
                        const std::string& lines = {});
/// The target of a call whose key names the fault.
[[nodiscard]] std::string target_with(const std::string& fault);

/// One interaction as `ls --json` has it.
struct Listed {
  std::string key, completeness, reason;
  int status = 0;
};
/// Throws std::runtime_error when ls does not end with 0.
[[nodiscard]] std::vector<Listed> listed(const std::string& cassette);

}  // namespace tapedeck::tests
