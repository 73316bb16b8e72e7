#pragma once
// What the .cpp files of http/ need of an event loop; Asio itself stays in them.

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
  /// 64 KiB into which any socket of this loop reads before it knows what to keep: an idle connection owns no buffer.
  /// Its content is gone with the next read of any connection.
  [[nodiscard]] std::span<char> scratch();

 private:
  friend class EventLoop;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// How often deadlines are looked at: a twentieth of the shortest one, 5 to 250 ms. One sweep over all connections of
/// a loop is far cheaper than a timer armed for each read and write.
[[nodiscard]] std::chrono::milliseconds sweep_period(std::initializer_list<std::chrono::milliseconds> deadlines);

}  // namespace tapedeck::http
