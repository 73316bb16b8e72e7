#include "base/tls_library.h"

#include <openssl/crypto.h>

namespace tapedeck::base {

std::string tls_library() { return OpenSSL_version(OPENSSL_VERSION); }

}  // namespace tapedeck::base
