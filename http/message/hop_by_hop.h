#pragma once
// Header lines that speak of one connection and not of the message (RFC 9110 §7.6.1).

#include "http/message/message.h"

namespace tapedeck::http {

/// Takes out Connection and what it lists, Keep-Alive, TE, Trailer, Transfer-Encoding, Upgrade and Proxy-….
void remove_hop_by_hop(Headers& headers);

}  // namespace tapedeck::http
