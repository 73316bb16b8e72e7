#pragma once
// A device that breaks its answers, over raw POSIX sockets: no HTTP library stands in the way of a fault. A request
// asks for its fault by a parameter of its target: "…&fault=cut-length".

#include <memory>
#include <string>
#include <vector>

namespace tapedeck::tests {

/// Serves from construction to destruction, a thread for each connection.
class FaultDevice {
 public:
  /// Throws std::runtime_error when it cannot listen.
  FaultDevice();
  ~FaultDevice();
  FaultDevice(const FaultDevice&) = delete;
  FaultDevice& operator=(const FaultDevice&) = delete;

  /// "http://127.0.0.1:40123".
  [[nodiscard]] std::string url() const;
  /// How many requests asked for this fault.
  [[nodiscard]] unsigned asked(const std::string& fault) const;
  /// Requests whose head was read, all together.
  [[nodiscard]] unsigned requests() const;
  /// Connections that were open at the same time, at most.
  [[nodiscard]] unsigned connections() const;

  /// The names that may stand behind "fault="; "none" is a sound answer.
  [[nodiscard]] static const std::vector<std::string>& faults();
  /// The body of every sound answer, and of the sound part of a broken one.
  [[nodiscard]] static std::string body();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A loopback port on which nobody listens.
[[nodiscard]] unsigned closed_port();

}  // namespace tapedeck::tests
