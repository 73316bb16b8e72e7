#include "http/device/device_connection.h"

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <cerrno>
#include <type_traits>
#include <utility>

#include "base/system.h"
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
constexpr std::size_t most_per_write = 64;  // buffers in one system call

std::string connect_failure(const error_code& error) {
  if (error == net::error::connection_refused) return "the device refused the connection";
  return "cannot reach the device: " + error.message();
}

template <class Stream>
class StreamConnection final : public DeviceConnection, public std::enable_shared_from_this<StreamConnection<Stream>> {
 public:
  StreamConnection(EventLoop& loop, Stream stream, std::shared_ptr<TlsContext> tls)
      : stream_(std::move(stream)), resolver_(loop.impl().context), tls_(std::move(tls)) {}

  void open(const BaseUrl& device, Opened done) override {
    resolver_.async_resolve(device.host, std::to_string(device.port),
                            [self = this->shared_from_this(), host = device.host, done = std::move(done)](
                                const error_code& error, const tcp::resolver::results_type& found) mutable {
                              if (error) return done("cannot resolve the host name of the device: " + error.message());
                              self->connect(found, std::move(host), std::move(done));
                            });
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
      // Long responses are read in larger pieces.
      self->wanted_ = count == self->buffer_.size() ? most_read : self->wanted_;
      done(std::string_view(self->buffer_.data(), count), Ended::no);
    });
  }

  void close() override {
    error_code ignored;
    resolver_.cancel();
    socket().close(ignored);
  }

  [[nodiscard]] std::size_t untaken() override { return base::unacknowledged_bytes(socket().native_handle()); }

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

  void connect(const tcp::resolver::results_type& found, std::string host, Opened done) {
    net::async_connect(socket(), found, [self = this->shared_from_this(), host = std::move(host), done = std::move(done)](
                                            const error_code& error, const tcp::endpoint& /*address*/) mutable {
      if (error) return done(connect_failure(error));
      error_code ignored;
      self->socket().set_option(tcp::no_delay(true), ignored);
      self->socket().non_blocking(true, ignored);
      self->shake_hands(std::move(host), std::move(done));
    });
  }

  void shake_hands(std::string host, Opened done) {
    if constexpr (is_tls) {
      if (!tls_->prepare(stream_.native_handle(), std::move(host))) return done("cannot check the name of the device");
      stream_.async_handshake(net::ssl::stream_base::client,
                              [self = this->shared_from_this(), done = std::move(done)](const error_code& error) {
                                if (error) return done("the TLS handshake with the device failed: " + error.message());
                                done(self->tls_->judge(self->stream_.native_handle()));
                              });
    } else {
      done(std::nullopt);
    }
  }

  Stream stream_;
  tcp::resolver resolver_;
  std::shared_ptr<TlsContext> tls_;
  std::string buffer_;
  std::size_t wanted_ = first_read;  ///< bytes of `buffer_` to use for the next read
  std::vector<net::const_buffer> unsent_;
  std::size_t next_ = 0;
};

}  // namespace

std::shared_ptr<DeviceConnection> DeviceConnection::make(EventLoop& loop, std::shared_ptr<TlsContext> tls) {
  Plain socket(loop.impl().context);
  if (!tls) return std::make_shared<StreamConnection<Plain>>(loop, std::move(socket), nullptr);
  Tls stream(std::move(socket), tls->context());
  return std::make_shared<StreamConnection<Tls>>(loop, std::move(stream), std::move(tls));
}

}  // namespace tapedeck::http
