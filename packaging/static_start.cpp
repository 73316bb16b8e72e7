// Runs before main() in the static program. The system could load modules into it at run time that are compiled for
// another copy of glibc or OpenSSL, and these can crash it.

#include <nss.h>
#include <openssl/crypto.h>

namespace {

/// Looks names up only in /etc/hosts and DNS, whatever /etc/nsswitch.conf adds (mDNS, systemd), and reads no
/// openssl.cnf, which can name providers.
[[gnu::constructor]] void load_no_modules() {
  __nss_configure_lookup("hosts", "files dns");
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
}

}  // namespace
