#include "inspector/token.h"

#include <cstddef>

#include "base/digest.h"

namespace tapedeck::inspector {

std::string make_token() {
  constexpr std::size_t bytes = 32;
  return base::to_hex(base::random_bytes(bytes));
}

bool same_token(std::string_view given, std::string_view token) {
  if (token.empty() || given.size() != token.size()) return false;
  // volatile keeps the compiler from ending the loop at the first difference.
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (given[i] ^ token[i]));
  }
  return difference == 0;
}

}  // namespace tapedeck::inspector
