#include "http/io/tls.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/ssl/context.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "base/descriptor.h"
#include "base/digest.h"
#include "base/freed_by.h"
#include "base/text.h"
#include "http/io/tls_context.h"
#include "http/message/message.h"

namespace tapedeck::http {
namespace {

namespace ssl = boost::asio::ssl;

using X509Ptr = std::unique_ptr<X509, base::FreedBy<&X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, base::FreedBy<&EVP_PKEY_free>>;
using BioPtr = std::unique_ptr<BIO, base::FreedBy<&BIO_free_all>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, base::FreedBy<&X509_EXTENSION_free>>;

[[noreturn]] void fail(const std::string& why) { throw std::runtime_error(why); }

/// Returns the digits of a fingerprint, which may have colons and may be in either case.
std::string plain_hex(std::string_view text) {
  std::string hex;
  for (const char c : text) {
    if (c == ':' || c == ' ') continue;
    hex.push_back(base::fold(c));
  }
  return hex;
}

void add_extension(X509* certificate, int id, const std::string& value) {
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, nullptr, id, value.c_str()));
  if (!extension || X509_add_ext(certificate, extension.get(), -1) != 1)
    fail("cannot create a self-signed certificate");
}

bool is_address(const std::string& host) {
  in6_addr room{};
  return ::inet_pton(AF_INET, host.c_str(), &room) == 1 || ::inet_pton(AF_INET6, host.c_str(), &room) == 1;
}

std::string alternative_names(const std::string& host) {
  std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";
  const bool known = host.empty() || host == "localhost" || host == "127.0.0.1" || host == "::1";
  // A comma or line break in a name would create other names.
  const bool safe =
      host.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_:") == std::string::npos;
  if (!known && safe) names += (is_address(host) ? ",IP:" : ",DNS:") + host;
  return names;
}

X509Ptr make_certificate(EVP_PKEY* key, const std::string& host) {
  constexpr long ten_years = 10L * 365 * 24 * 3600;
  constexpr long a_day = 24L * 3600;  // for clients whose clock is slow
  X509Ptr certificate(X509_new());
  std::uint64_t serial = 0;
  if (!certificate || RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) != 1) {
    fail("cannot create a self-signed certificate");
  }
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial >> 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -a_day);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), ten_years);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME* name = X509_get_subject_name(certificate.get());
  const auto* common_name = reinterpret_cast<const unsigned char*>("tapedeck");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common_name, -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  add_extension(certificate.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(certificate.get(), NID_ext_key_usage, "serverAuth");
  add_extension(certificate.get(), NID_subject_alt_name, alternative_names(host));
  if (X509_sign(certificate.get(), key, EVP_sha256()) == 0) fail("cannot create a self-signed certificate");
  return certificate;
}

std::string pem_of(EVP_PKEY* key, X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  const bool written =
      bio && (key != nullptr ? PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1
                             : PEM_write_bio_X509(bio.get(), certificate) == 1);
  if (!written) fail("cannot write a certificate");
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<std::size_t>(length));
}

void write_file(const std::string& path, const std::string& text, mode_t mode) {
  if (!base::replace_file(path, text, mode)) {
    fail("cannot write " + path + ": " + std::generic_category().message(errno));
  }
}

/// Locks a folder, so that a second process that starts at the same time waits for the files of the first one. A
/// read-only folder needs no lock.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path)
      : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
    while (file_.open() && ::flock(file_.number(), LOCK_EX) != 0 && errno == EINTR) continue;
  }

 private:
  base::Descriptor file_;
};

/// Returns true if both files exist and the key belongs to the certificate. A process that was killed at startup may
/// have left files that do not match.
bool is_pair(const ServerTls& files) {
  const BioPtr cert_file(BIO_new_file(files.cert_file.c_str(), "r"));
  const BioPtr key_file(BIO_new_file(files.key_file.c_str(), "r"));
  if (!cert_file || !key_file) return false;
  const X509Ptr certificate(PEM_read_bio_X509(cert_file.get(), nullptr, nullptr, nullptr));
  const KeyPtr key(PEM_read_bio_PrivateKey(key_file.get(), nullptr, nullptr, nullptr));
  return certificate && key && X509_check_private_key(certificate.get(), key.get()) == 1;
}

std::string judged(const std::string& why, const std::string& seen) {
  return "the device certificate is not trusted (" + why + "); if this is your device, use --pin-sha256 " + seen;
}

}  // namespace

std::string fingerprint(X509* certificate) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  if (X509_digest(certificate, EVP_sha256(), digest, &length) != 1) fail("cannot hash a certificate");
  return base::to_hex(std::string_view(reinterpret_cast<const char*>(digest), length));
}

ServerTls self_signed(const std::string& folder, const std::string& host) {
  const ServerTls files{folder + "/tapedeck-cert.pem", folder + "/tapedeck-key.pem"};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const FolderLock lock(folder + "/tapedeck-tls.lock");
  if (is_pair(files)) return files;
  if (error) fail("cannot create the folder " + folder + ": " + error.message());
  const KeyPtr key(EVP_EC_gen("P-256"));
  if (!key) fail("cannot create a key");
  const X509Ptr certificate = make_certificate(key.get(), host);
  write_file(files.key_file, pem_of(key.get(), nullptr), 0600);
  write_file(files.cert_file, pem_of(nullptr, certificate.get()), 0644);
  return files;
}

std::string certificate_fingerprint(const std::string& cert_file) {
  const BioPtr bio(BIO_new_file(cert_file.c_str(), "r"));
  const X509Ptr certificate(bio ? PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr) : nullptr);
  if (!certificate) fail("cannot read a certificate from " + cert_file);
  return fingerprint(certificate.get());
}

TlsContext::TlsContext(const ServerTls& options) : context_(std::make_unique<ssl::context>(ssl::context::tls_server)) {
  boost::system::error_code error;
  SSL_CTX_set_min_proto_version(context_->native_handle(), TLS1_2_VERSION);
  // Frees the record buffers of idle connections.
  SSL_CTX_set_mode(context_->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context_->native_handle(), SSL_OP_NO_RENEGOTIATION);
  context_->use_certificate_chain_file(options.cert_file, error);
  if (error) fail("the TLS certificate " + options.cert_file + " cannot be used: " + error.message());
  context_->use_private_key_file(options.key_file, ssl::context::pem, error);
  if (error) fail("the TLS key " + options.key_file + " cannot be used: " + error.message());
}

namespace {

/// Uses SSL_CERT_FILE and SSL_CERT_DIR, or else OpenSSL's default paths. A static program has the paths of Debian; if
/// they do not exist, uses the certificate file of other systems.
void trust_system(SSL_CTX* context) {
  SSL_CTX_set_default_verify_paths(context);
  const bool is_named = std::getenv(X509_get_default_cert_file_env()) || std::getenv(X509_get_default_cert_dir_env());
  const auto is_there = [](const char* path) { return access(path, R_OK) == 0; };
  if (is_named || is_there(X509_get_default_cert_file()) || is_there(X509_get_default_cert_dir())) return;
  for (const char* file :
       {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem"}) {
    if (is_there(file) && SSL_CTX_load_verify_file(context, file) == 1) return;
  }
}

}  // namespace

TlsContext::TlsContext(ClientTls options)
    : client_(std::move(options)), context_(std::make_unique<ssl::context>(ssl::context::tls_client)) {
  boost::system::error_code error;
  SSL_CTX_set_min_proto_version(context_->native_handle(), TLS1_2_VERSION);
  // Accepts any certificate in the handshake. judge() decides before a byte is sent and can report the fingerprint.
  context_->set_verify_mode(ssl::verify_none);
  if (client_.pin_sha256) {
    client_.pin_sha256 = plain_hex(*client_.pin_sha256);
    const bool shaped = client_.pin_sha256->size() == 64 && base::is_hex(*client_.pin_sha256);
    if (!shaped) fail("the pinned fingerprint must be a SHA-256 of 64 hex digits");
  }
  if (client_.ca_file) {
    context_->load_verify_file(*client_.ca_file, error);
    if (error) fail("the CA file " + *client_.ca_file + " cannot be used: " + error.message());
  } else if (!client_.insecure && !client_.pin_sha256) {
    trust_system(context_->native_handle());
  }
}

TlsContext::~TlsContext() = default;

bool TlsContext::prepare(ssl_st* connection, std::string host) const {
  X509_VERIFY_PARAM* wanted = SSL_get0_param(connection);
  if (is_address(host)) return X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1;
  if (host.ends_with('.')) host.pop_back();  // names in certificates and in RFC 6066 §3 have no final dot
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return !host.empty() &&
         SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data()) == 1 &&
         X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size()) == 1;
}

std::optional<std::string> TlsContext::judge(ssl_st* connection) const {
  if (client_.insecure) return std::nullopt;
  const X509Ptr leaf(SSL_get1_peer_certificate(connection));
  if (!leaf) return "the device sent no certificate";
  const std::string seen = fingerprint(leaf.get());
  if (client_.pin_sha256) {
    if (seen == *client_.pin_sha256) return std::nullopt;
    return judged("it does not match the pinned fingerprint", seen);
  }
  const long verdict = SSL_get_verify_result(connection);
  if (verdict == X509_V_OK) return std::nullopt;
  return judged(X509_verify_cert_error_string(verdict), seen);
}

std::string tls_library() { return OpenSSL_version(OPENSSL_VERSION); }

}  // namespace tapedeck::http
