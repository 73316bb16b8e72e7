#pragma once
// The parts of an event loop that the .cpp files of http/ need.

#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "http/io/event_loop.h"

namespace tapedeck::http {

struct EventLoop::Impl {
  boost::asio::io_context context{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{context.get_executor()};
  /// Any socket of this loop reads into it first, so that idle connections need no buffer. The next read overwrites the
  /// content.
  std::array<char, 64 * 1024> scratch;
};

}  // namespace tapedeck::http
