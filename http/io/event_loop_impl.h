#pragma once
// The parts of an event loop that the .cpp files of http/ need.

#include <memory>
#include <span>

#include "http/io/event_loop.h"

namespace boost::asio {
class io_context;
}

namespace tapedeck::http {

struct EventLoop::Impl {
  Impl();
  ~Impl();
  [[nodiscard]] boost::asio::io_context& context();
  /// Returns 64 KiB into which any socket of this loop reads first, so that idle connections need no buffer. The next
  /// read overwrites the content.
  [[nodiscard]] std::span<char> scratch();

 private:
  friend class EventLoop;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Returns the interval between checks of deadlines: a twentieth of the shortest one, 5 to 250 ms. One check of all
/// connections is far cheaper than a timer for each read and write.
[[nodiscard]] std::chrono::milliseconds sweep_period(std::initializer_list<std::chrono::milliseconds> deadlines);

}  // namespace tapedeck::http
