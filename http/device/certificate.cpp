#include "http/device/certificate.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/ssl/context.hpp>
#include <cerrno>
#include <ctime>
#include <memory>
#include <system_error>

#include "base/descriptor.h"
#include "base/freed_by.h"
#include "base/system.h"
#include "http/io/tls_context.h"

namespace tapedeck::http {
namespace {

using Ssl = std::unique_ptr<SSL, base::FreedBy<&SSL_free>>;
using Certificate = std::unique_ptr<X509, base::FreedBy<&X509_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, base::FreedBy<&GENERAL_NAMES_free>>;
using Bio = std::unique_ptr<BIO, base::FreedBy<&BIO_free_all>>;
using Addresses = std::unique_ptr<addrinfo, base::FreedBy<&freeaddrinfo>>;

timeval time_of(std::chrono::milliseconds time) {
  return {static_cast<time_t>(time.count() / 1000), static_cast<suseconds_t>(time.count() % 1000 * 1000)};
}

void limit_time(int socket, std::chrono::milliseconds patience) {
  const timeval time = time_of(patience);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

/// Connects a socket whose calls do not wait, and makes its calls wait from then on. Returns false with errno set.
bool connects(int socket, const addrinfo& address, std::chrono::milliseconds patience) {
  if (::connect(socket, address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return false;
    pollfd connecting{socket, POLLOUT, 0};
    int error = ETIMEDOUT;
    socklen_t size = sizeof error;
    if (::poll(&connecting, 1, static_cast<int>(patience.count())) > 0) {
      ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    errno = error;
    if (error != 0) return false;
  }
  limit_time(socket, patience);
  return ::fcntl(socket, F_SETFL, 0) == 0;
}

/// Sets `failure` if it does not return a connection.
base::Descriptor connected(const BaseUrl& device, std::chrono::milliseconds patience,
                           std::optional<std::string>& failure) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(device.host.c_str(), std::to_string(device.port).c_str(), &hints, &found);
  const Addresses all(found);
  if (error != 0) failure = gai_strerror(error);
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    base::Descriptor socket(base::stream_socket(one->ai_family, base::Calls::never_wait));
    if (socket.open() && connects(socket.number(), *one, patience)) {
      failure.reset();
      return socket;
    }
    failure = std::generic_category().message(errno);
  }
  return {};
}

std::string text_of(const X509_NAME* name) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (!bio || X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB) < 0) return {};
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::vector<std::string> names_of(X509* certificate) {
  std::vector<std::string> names;
  const Names all(static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(all.get(), i);
    if (name->type == GEN_DNS) {
      names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                         static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
    } else if (name->type == GEN_IPADD) {
      const int size = ASN1_STRING_length(name->d.iPAddress);
      char text[INET6_ADDRSTRLEN] = "";
      ::inet_ntop(size == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(name->d.iPAddress), text, sizeof text);
      if (size == 4 || size == 16) names.emplace_back(text);
    }
  }
  return names;
}

std::int64_t seconds(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? static_cast<std::int64_t>(timegm(&parts)) : 0;
}

SeenCertificate seen(X509* certificate, const BaseUrl& device) {
  SeenCertificate seen;
  seen.subject = text_of(X509_get_subject_name(certificate));
  seen.names = names_of(certificate);
  seen.not_before = seconds(X509_get0_notBefore(certificate));
  seen.not_after = seconds(X509_get0_notAfter(certificate));
  seen.fingerprint = fingerprint(certificate);
  seen.names_host = X509_check_ip_asc(certificate, device.host.c_str(), 0) == 1 ||
                    X509_check_host(certificate, device.host.c_str(), device.host.size(), 0, nullptr) == 1;
  return seen;
}

}  // namespace

std::optional<std::string> why_not_connected(const BaseUrl& device, std::chrono::milliseconds patience) {
  std::optional<std::string> failure;
  (void)connected(device, patience, failure);
  return failure;
}

TlsLook look_at_tls(const BaseUrl& device, const ClientTls& options, std::chrono::milliseconds connecting,
                    std::chrono::milliseconds answering) {
  TlsContext context(options);
  TlsLook look;
  const base::Descriptor socket = connected(device, connecting, look.failure);
  look.is_connected = socket.open();
  if (!look.is_connected) return look;
  limit_time(socket.number(), answering);
  const Ssl connection(SSL_new(context.context().native_handle()));
  ERR_clear_error();
  const bool ready = connection && SSL_set_fd(connection.get(), socket.number()) == 1 &&
                     context.prepare(connection.get(), device.host);
  if (!ready || SSL_connect(connection.get()) != 1) {
    const unsigned long error = ERR_get_error();
    const char* const reason = error != 0 ? ERR_reason_error_string(error) : nullptr;
    look.failure = reason != nullptr ? reason : "the connection was closed without a response";
    return look;
  }
  const Certificate certificate(SSL_get1_peer_certificate(connection.get()));
  if (!certificate) return look;
  look.certificate = seen(certificate.get(), device);
  look.certificate->fault = context.judge(connection.get());
  return look;
}

}  // namespace tapedeck::http
