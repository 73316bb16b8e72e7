#pragma once
// Checks a device for `tapedeck doctor` before it is recorded (docs/recording.md, "Check the device first"). Each
// finding names an observation and a remedy. Sends only API.Info, which needs no session and changes nothing.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "http/device/certificate.h"
#include "http/device/relay.h"

namespace tapedeck::proxy {

/// The result of connecting to a device, with a TLS handshake for https. No request is sent.
struct Contact {
  enum class Kind {
    good,
    unreachable,
    other_scheme,  ///< the port serves the other one of http and https
    untrusted,     ///< the options do not trust the certificate, whose `fault` says why
  };
  Kind kind = Kind::good;
  std::string why;  ///< for `unreachable` and `other_scheme`
  std::optional<http::SeenCertificate> certificate;
};
/// Blocks within the deadlines of `relay`. With `tries_tls`, a plain port is always tried with TLS; otherwise, on
/// loopback, only the usual https ports are, because tests and tunnels use the others.
[[nodiscard]] Contact contact(const http::RelayOptions& relay, bool tries_tls = false);
/// Returns the same address with the other scheme.
[[nodiscard]] http::BaseUrl with_other_scheme(http::BaseUrl device);
/// Returns text such as "the https port (often 5001)".
[[nodiscard]] std::string usual_port(const http::BaseUrl& device);

enum class Grade {
  good,  ///< no problem
  note,  ///< a recording works, but something may cause problems
  bad,   ///< a recording would not work
};
[[nodiscard]] std::string_view to_string(Grade grade);

struct Finding {
  Grade grade = Grade::good;
  std::string check;   ///< one word: "reach", "certificate", "redirect", …
  std::string what;    ///< a text for people, which may contain texts from the device
  std::string remedy;  ///< the remedy; never empty
};

struct Examination {
  std::vector<Finding> findings;  ///< in the order of the checks
  /// The base URL to record: the given one, or with the base path that was found.
  std::string device;
  std::string pin;  ///< fingerprint to pin if the certificate is not trusted
  [[nodiscard]] bool would_work() const;
};

struct ExaminationOptions {
  http::RelayOptions relay;
  /// Returns an environment variable, or nothing if it is not set.
  std::function<std::optional<std::string>(const char* name)> environment;
  std::int64_t now = 0;  ///< seconds since the epoch
};

/// Runs all checks. Blocks within the deadlines of `relay`.
[[nodiscard]] Examination examine(const ExaminationOptions& options);

/// Returns true if NO_PROXY covers the host: by "*", the name, or a domain.
[[nodiscard]] bool is_without_proxy(std::string_view no_proxy, std::string_view host);
/// Parses an HTTP date (RFC 9110 §5.6.7, preferred form) into seconds since the epoch.
[[nodiscard]] std::optional<std::int64_t> http_date(std::string_view text);

}  // namespace tapedeck::proxy
