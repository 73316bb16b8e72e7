#pragma once
// What posix.cpp needs from darwin.cpp or portable.cpp, besides base/system.h.

namespace tapedeck::base {

/// Sets the options that the system needs for a new socket.
void prepare_socket(int socket);

}  // namespace tapedeck::base
