#include "http/io/untaken.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>

namespace tapedeck::http {

std::size_t untaken_bytes(int socket) {
  int bytes = 0;
  return ::ioctl(socket, SIOCOUTQ, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

}  // namespace tapedeck::http
