#pragma once
// Small bodies that decode to large ones.

#include <string>
#include <string_view>

namespace tapedeck::tests {

/// The number of zeros to which a bomb decodes. Creating the first bomb takes one or two seconds.
inline constexpr unsigned long long bomb_bytes = 300ull << 20;

[[nodiscard]] std::string gzip_of(std::string_view plain);
[[nodiscard]] std::string brotli_of(std::string_view plain);
[[nodiscard]] const std::string& gzip_bomb();
[[nodiscard]] const std::string& brotli_bomb();
[[nodiscard]] const std::string& zstd_bomb();

}  // namespace tapedeck::tests
