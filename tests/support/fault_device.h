#pragma once
// A device with broken responses over raw POSIX sockets, because HTTP libraries do not produce faults. A parameter of
// the target selects the fault: "…&fault=cut-length".

#include <memory>
#include <string>
#include <vector>

namespace tapedeck::tests {

/// Serves from construction to destruction, with a thread for each connection.
class FaultDevice {
 public:
  /// Throws std::runtime_error if it cannot listen.
  FaultDevice();
  ~FaultDevice();
  FaultDevice(const FaultDevice&) = delete;
  FaultDevice& operator=(const FaultDevice&) = delete;

  /// Returns "http://127.0.0.1:40123".
  [[nodiscard]] std::string url() const;
  /// Returns the number of requests with this fault.
  [[nodiscard]] unsigned asked(const std::string& fault) const;
  /// Returns the number of requests whose head was read.
  [[nodiscard]] unsigned requests() const;
  /// Returns the maximum number of simultaneous connections.
  [[nodiscard]] unsigned connections() const;

  /// Returns the names of all faults. With "none", the response is valid.
  [[nodiscard]] static const std::vector<std::string>& faults();
  /// Returns the body of every valid response, and of the valid part of a broken one.
  [[nodiscard]] static std::string body();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Returns a loopback port on which nobody listens.
[[nodiscard]] unsigned closed_port();

}  // namespace tapedeck::tests
