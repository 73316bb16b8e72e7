#pragma once
// How a secret may stand in a text, each form made here by hand: what the scrubber must find, without asking it.

#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::tests {

struct SecretForm {
  std::string name;
  std::string (*make)(std::string_view secret);
};

/// Every form of docs/scrubbing.md, and the two-level ones that traffic shows.
[[nodiscard]] const std::vector<SecretForm>& secret_forms();

/// Forms that nothing can be put in the place of: what has one is kept without its bodies.
[[nodiscard]] const std::vector<SecretForm>& odd_forms();

/// A zip file with one deflated entry.
[[nodiscard]] std::string zip_of(std::string_view content);

/// `bytes` packed as a Content-Encoding says: gzip, deflate, br or zstd.
[[nodiscard]] std::string packed(std::string_view bytes, const std::string& encoding);

}  // namespace tapedeck::tests
