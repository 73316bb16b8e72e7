#pragma once

#include <memory>

#include "http/device/device_connection.h"
#include "http/io/byte_stream.h"

namespace tapedeck::http {

/// The device's side of a connection that another protocol has taken over.
[[nodiscard]] std::unique_ptr<ByteStream> make_stream(std::shared_ptr<DeviceConnection> connection);

}  // namespace tapedeck::http
