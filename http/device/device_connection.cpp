#include "http/device/device_connection.h"

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <type_traits>
#include <utility>

#include "http/io/event_loop_impl.h"

namespace tapedeck::http {
namespace {

namespace net = boost::asio;
using tcp = net::ip::tcp;
using error_code = boost::system::error_code;
using Plain = tcp::socket;
using Tls = net::ssl::stream<tcp::socket>;

constexpr std::size_t first_read = 8 * 1024;
constexpr std::size_t most_read = 64 * 1024;
constexpr std::size_t most_per_write = 64;  // pieces

std::string connect_failure(const error_code& error) {
  if (error == net::error::connection_refused) return "the device refused the connection";
  return "the device cannot be reached: " + error.message();
}

template <class Stream>
class StreamConnection final : public DeviceConnection, public std::enable_shared_from_this<StreamConnection<Stream>> {
 public:
  StreamConnection(EventLoop& loop, Stream stream, std::shared_ptr<TlsContext> tls)
      : loop_(loop), stream_(std::move(stream)), resolver_(loop.impl().context()), tls_(std::move(tls)) {}

  void open(const BaseUrl& device, std::function<void(std::string)> done) override {
    auto steps = open_steps(this->shared_from_this(), device, std::move(done));
    net::co_spawn(loop_.impl().context(), std::move(steps), net::detached);
  }

  void send(std::vector<std::string_view> pieces, std::function<void(bool)> done) override {
    unsent_.clear();
    for (const std::string_view piece : pieces) {
      if (!piece.empty()) unsent_.push_back(net::buffer(piece.data(), piece.size()));
    }
    next_ = 0;
    last_sent_ = Clock::now();
    send_some(std::move(done));
  }

  void read(std::function<void(std::string_view, Ended)> done) override {
    if (buffer_.size() < wanted_) buffer_.resize(wanted_);
    stream_.async_read_some(net::buffer(buffer_), [self = this->shared_from_this(), done = std::move(done)](
                                                      const error_code& error, std::size_t count) {
      if (error) return done({}, error == net::error::eof ? Ended::cleanly : Ended::badly);
      // A long answer is read in larger pieces.
      self->wanted_ = count == self->buffer_.size() ? most_read : self->wanted_;
      done(std::string_view(self->buffer_.data(), count), Ended::no);
    });
  }

  void close() override {
    error_code ignored;
    resolver_.cancel();
    socket().close(ignored);
  }

  [[nodiscard]] bool is_stale() override {
    char byte = 0;
    const ssize_t count = ::recv(socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count >= 0 || (errno != EAGAIN && errno != EINTR);
  }

 private:
  static constexpr bool is_tls = std::is_same_v<Stream, Tls>;

  tcp::socket& socket() {
    if constexpr (is_tls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  void send_some(std::function<void(bool)> done) {
    if (next_ == unsent_.size()) return done(true);
    const std::size_t count = std::min(most_per_write, unsent_.size() - next_);
    const auto first = unsent_.begin() + static_cast<std::ptrdiff_t>(next_);
    const std::vector<net::const_buffer> part(first, first + static_cast<std::ptrdiff_t>(count));
    stream_.async_write_some(part, [self = this->shared_from_this(), done = std::move(done)](const error_code& error,
                                                                                             std::size_t sent) mutable {
      if (error) return done(false);
      self->last_sent_ = Clock::now();
      while (self->next_ < self->unsent_.size() && sent >= self->unsent_[self->next_].size()) {
        sent -= self->unsent_[self->next_++].size();
      }
      if (sent > 0) self->unsent_[self->next_] += sent;
      self->send_some(std::move(done));
    });
  }

  // A static function with named locals: g++ 12 destroys some temporaries of a co_await expression twice.
  static net::awaitable<void> open_steps(std::shared_ptr<StreamConnection> self, BaseUrl device,
                                         std::function<void(std::string)> done) {
    std::string failure = co_await connect(self, device);
    if constexpr (is_tls) {
      if (failure.empty()) failure = co_await shake_hands(self, device.host);
    }
    done(std::move(failure));
  }

  static net::awaitable<std::string> connect(std::shared_ptr<StreamConnection> self, BaseUrl device) {
    error_code error;
    auto token = net::redirect_error(net::use_awaitable, error);
    const std::string port = std::to_string(device.port);
    const tcp::resolver::results_type found = co_await self->resolver_.async_resolve(device.host, port, token);
    if (error) co_return "the device's host name cannot be resolved: " + error.message();
    co_await net::async_connect(self->socket(), found, token);
    if (error) co_return connect_failure(error);
    self->socket().set_option(tcp::no_delay(true), error);
    self->socket().non_blocking(true, error);
    co_return std::string();
  }

  static net::awaitable<std::string> shake_hands(std::shared_ptr<StreamConnection> self, std::string host) {
    error_code error;
    auto token = net::redirect_error(net::use_awaitable, error);
    self->tls_->prepare(self->stream_.native_handle(), host);
    co_await self->stream_.async_handshake(net::ssl::stream_base::client, token);
    if (error) co_return "the TLS handshake with the device failed: " + error.message();
    co_return self->tls_->judge(self->stream_.native_handle()).value_or("");
  }

  EventLoop& loop_;
  Stream stream_;
  tcp::resolver resolver_;
  std::shared_ptr<TlsContext> tls_;
  std::string buffer_;
  std::size_t wanted_ = first_read;  ///< of the buffer
  std::vector<net::const_buffer> unsent_;
  std::size_t next_ = 0;
};

}  // namespace

std::shared_ptr<DeviceConnection> DeviceConnection::make(EventLoop& loop, std::shared_ptr<TlsContext> tls) {
  Plain socket(loop.impl().context());
  if (!tls) return std::make_shared<StreamConnection<Plain>>(loop, std::move(socket), nullptr);
  Tls stream(std::move(socket), tls->context());
  return std::make_shared<StreamConnection<Tls>>(loop, std::move(stream), std::move(tls));
}

}  // namespace tapedeck::http
