#pragma once
// Creates the forms of a secret in texts, which the scrubber must find, without the product's encoders.

#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::tests {

struct SecretForm {
  std::string name;
  std::string (*make)(std::string_view secret);
};

/// Returns every form of docs/secrets.md, and two-level ones that occur in traffic.
[[nodiscard]] const std::vector<SecretForm>& secret_forms();

/// Returns forms that cannot be replaced in place: an interaction with one is stored without bodies.
[[nodiscard]] const std::vector<SecretForm>& odd_forms();

/// Returns a zip file with one deflated entry.
[[nodiscard]] std::string zip_of(std::string_view content);

/// Returns `bytes` compressed by a Content-Encoding: gzip, deflate, br, or zstd.
[[nodiscard]] std::string packed(std::string_view bytes, const std::string& encoding);

}  // namespace tapedeck::tests
