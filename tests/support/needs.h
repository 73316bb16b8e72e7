#pragma once
// Skips tests that need something that the machine does not have (docs/architecture.md).

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

namespace tapedeck::tests {

/// Returns true if the case must end because the machine does not have `what`. An end-to-end test is then shown as
/// skipped. If CI is set, fails the case, unless TAPEDECK_LACKS contains the word `what`, or only `script/test --all`
/// installs it and TAPEDECK_ALL is not set. Call it in the first line of a case, because an earlier failure would be
/// shown as skipped, too:
///     if (is_missing("mount", disk.is_mounted())) return;
[[nodiscard]] inline bool is_missing(std::string_view what, bool there) {
  if (there) return false;
  const char* const lacks = std::getenv("TAPEDECK_LACKS");
  const char* ci = std::getenv("CI");
  const std::string known = " " + std::string(lacks == nullptr ? "" : lacks) + " ";
  constexpr std::string_view only_for_all[] = {"mitmproxy", "nginx", "strace"};
  const bool is_extra = std::find(std::begin(only_for_all), std::end(only_for_all), what) != std::end(only_for_all);
  if (is_extra && std::getenv("TAPEDECK_ALL") == nullptr) ci = nullptr;
  const bool is_known = known.find(" " + std::string(what) + " ") != std::string::npos;
  if (ci != nullptr && *ci != '\0' && !is_known) FAIL("CI is set, and this machine has no " << what);
  std::cout << "SKIPPED: this machine has no " << what << std::endl;
  return true;
}

/// Returns true with `script/test --all`. Loops then have their full length, and all rows of tables are tested.
[[nodiscard]] inline bool is_long() { return std::getenv("TAPEDECK_LONG") != nullptr; }

/// Returns true if the machine has the IPv6 loopback address.
[[nodiscard]] inline bool has_ipv6() {
  const int socket = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  const bool bound = socket >= 0 && ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  if (socket >= 0) ::close(socket);
  return bound;
}

}  // namespace tapedeck::tests
