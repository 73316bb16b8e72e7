#include "scan/fingerprint.h"

#include "base/digest.h"

namespace tapedeck::scan {

std::string slow_fingerprint(std::string_view text) {
  constexpr int rounds = 4096;
  base::Sha256 digest = base::sha256("tapedeck leak scan fingerprint 1\n" + std::string(text));
  const std::string_view bytes(reinterpret_cast<const char*>(digest.data()), digest.size());
  for (int i = 0; i < rounds; ++i) digest = base::sha256(bytes);
  return base::to_hex(bytes.substr(0, 16));
}

}  // namespace tapedeck::scan
