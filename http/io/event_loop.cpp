#include "http/io/event_loop.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <utility>

#include "http/io/event_loop_impl.h"

namespace tapedeck::http {
namespace {

namespace net = boost::asio;

/// A timer that restarts itself until its task returns false. Its completion handler keeps it alive.
class Repeater : public std::enable_shared_from_this<Repeater> {
 public:
  Repeater(net::io_context& context, std::chrono::milliseconds period, std::function<bool()> task)
      : timer_(context), period_(period), task_(std::move(task)) {}

  void arm() {
    timer_.expires_after(period_);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (error) return;
      try {
        if (self->task_()) self->arm();
      } catch (...) {
        self->arm();
        throw;
      }
    });
  }

 private:
  net::steady_timer timer_;
  std::chrono::milliseconds period_;
  std::function<bool()> task_;
};

class SignalWatch : public std::enable_shared_from_this<SignalWatch> {
 public:
  SignalWatch(net::io_context& context, std::function<void(int)> task) : signals_(context), task_(std::move(task)) {}

  void add(int signal) { signals_.add(signal); }
  void arm() {
    signals_.async_wait([self = shared_from_this()](const boost::system::error_code& error, int signal) {
      if (error) return;
      self->arm();
      self->task_(signal);
    });
  }

 private:
  net::signal_set signals_;
  std::function<void(int)> task_;
};

}  // namespace

EventLoop::EventLoop() : impl_(std::make_unique<Impl>()) {}
EventLoop::~EventLoop() {
  // Destroys the tasks that did not run. What they own may call post(), so `impl_` stays until then; the pointer's own
  // destructor would reset it first (libc++).
  delete impl_.get();
  (void)impl_.release();
}

void EventLoop::run() { impl_->context.run(); }
void EventLoop::stop() { impl_->context.stop(); }
void EventLoop::post(std::function<void()> task) { net::post(impl_->context, std::move(task)); }

void EventLoop::after(std::chrono::milliseconds delay, std::function<void()> task) {
  const auto timer = std::make_shared<net::steady_timer>(impl_->context, delay);
  timer->async_wait([timer, task = std::move(task)](const boost::system::error_code& error) {
    if (!error) task();
  });
}

void EventLoop::every(std::chrono::milliseconds period, std::function<bool()> task) {
  std::make_shared<Repeater>(impl_->context, period, std::move(task))->arm();
}

void EventLoop::on_signal(std::initializer_list<int> signals, std::function<void(int)> task) {
  const auto watch = std::make_shared<SignalWatch>(impl_->context, std::move(task));
  for (const int signal : signals) watch->add(signal);
  watch->arm();
}

std::chrono::milliseconds sweep_period(std::initializer_list<std::chrono::milliseconds> deadlines) {
  using std::chrono::milliseconds;
  const milliseconds shortest = std::min(deadlines);
  return std::clamp(shortest / 20, milliseconds{5}, milliseconds{250});
}

}  // namespace tapedeck::http
