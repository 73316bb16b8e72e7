#include "base/digest.h"

#include <catch2/catch.hpp>

namespace tapedeck::base {
namespace {

TEST_CASE("digest: SHA-256 and HMAC give the published values") {
  CHECK(to_hex(sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(to_hex(sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // RFC 4231, test case 2
  CHECK(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(to_hex(hmac_sha256("", "")) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST_CASE("digest: returns the requested number of random bytes") {
  CHECK(random_bytes(0).empty());
  CHECK(random_bytes(33).size() == 33);
  CHECK(random_bytes(16) != random_bytes(16));
}

}  // namespace
}  // namespace tapedeck::base
