// Sends and receives the bytes of a connection: through readiness and plain calls, or through the TLS stream.
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <type_traits>
#include <utility>

#include "base/system.h"
#include "http/io/event_loop_impl.h"
#include "http/server/connection.h"
#include "http/server/connection_group.h"

namespace tapedeck::http {
namespace {

namespace net = boost::asio;
using tcp = net::ip::tcp;
using error_code = boost::system::error_code;
using Plain = tcp::socket;
using Tls = net::ssl::stream<tcp::socket>;

constexpr std::size_t tls_record = 16 * 1024;
constexpr std::size_t read_bytes = 4 * 1024;

template <class Stream>
class StreamConnection final : public Connection {
 public:
  StreamConnection(ConnectionGroup& group, Stream stream) : Connection(group), stream_(std::move(stream)) {}

  void begin() override {
    if constexpr (is_tls) {
      begin_handshake();
      stream_.async_handshake(net::ssl::stream_base::server, [self = me()](const error_code& error) {
        if (error || self->is_closed()) return self->close();
        self->become_idle();
        self->want_input();
      });
    } else {
      become_idle();
      want_input();
    }
  }

 private:
  static constexpr bool is_tls = std::is_same_v<Stream, Tls>;

  std::shared_ptr<StreamConnection> me() { return std::static_pointer_cast<StreamConnection>(shared_from_this()); }
  tcp::socket& socket() {
    if constexpr (is_tls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  void want_input() override {
    if (reading_ || is_closed()) return;
    reading_ = true;
    if (buffer_.empty() && is_tls) buffer_.resize(read_bytes);
    const bool in_bulk = !is_tls && takes_body();  // the loop's large buffer is faster
    if (!buffer_.empty() && !in_bulk) return read_into_buffer();
    socket().async_wait(tcp::socket::wait_read, [self = me()](const error_code& error) {
      self->reading_ = false;
      if (self->is_closed()) return;
      if (error) return self->close();
      // An active connection gets a buffer of its own, because each wait for readiness costs one epoll_ctl.
      self->buffer_.resize(read_bytes);
      self->receive();
    });
  }

  void read_into_buffer() {
    stream_.async_read_some(net::buffer(buffer_), [self = me()](const error_code& error, std::size_t count) {
      self->reading_ = false;
      if (self->is_closed()) return;
      if (error == net::error::operation_aborted) return self->grew_cold();
      if (error == net::error::eof || (is_tls && error)) return self->end_of_input();
      if (error) return self->close();
      self->take(std::string_view(self->buffer_.data(), count));
    });
  }

  /// Reads the available bytes through the loop's large buffer.
  void receive() {
    const std::span<char> scratch = group_->loop().impl().scratch;
    const ssize_t count = ::recv(socket().native_handle(), scratch.data(), scratch.size(), 0);
    if (count > 0) return take(std::string_view(scratch.data(), static_cast<std::size_t>(count)));
    if (count == 0) return end_of_input();
    if (errno == EAGAIN || errno == EINTR) return want_input();
    close();
  }

  void grew_cold() {
    std::string().swap(buffer_);
    want_input();
  }

  void release_buffer() override {
    if (is_tls || buffer_.empty() || !reading_) return;
    error_code ignored;
    socket().cancel(ignored);
  }

  void flush() override {
    if (writing_ || is_closed()) return;
    if constexpr (is_tls) {
      flush_tls();
    } else {
      flush_plain();
    }
  }

  void flush_plain() {
    while (!out().empty()) {
      std::array<iovec, 64> parts;
      msghdr message{};
      message.msg_iov = parts.data();
      for (const std::string_view piece : out().front()) {
        if (message.msg_iovlen == parts.size()) break;
        parts[message.msg_iovlen++] = iovec{const_cast<char*>(piece.data()), piece.size()};
      }
      const ssize_t count = ::sendmsg(socket().native_handle(), &message, base::without_sigpipe);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return wait_for_room();
      if (count < 0) return close();
      wrote(static_cast<std::size_t>(count));
      if (is_closed()) return;
    }
  }

  void wait_for_room() {
    writing_ = true;
    wrote(0);  // starts the deadline for the client to receive it
    stream_.async_wait(tcp::socket::wait_write, [self = me()](const error_code& error) {
      self->writing_ = false;
      if (self->is_closed()) return;
      if (error) return self->close();
      self->flush();
    });
  }

  void flush_tls() {
    if (out().empty()) return;
    record_.clear();
    for (const std::string_view piece : out().front()) {
      record_.append(piece.substr(0, tls_record - record_.size()));
      if (record_.size() == tls_record) break;
    }
    writing_ = true;
    wrote(0);
    stream_.async_write_some(net::buffer(record_), [self = me()](const error_code& error, std::size_t count) {
      self->writing_ = false;
      if (self->is_closed()) return;
      if (error) return self->close();
      self->wrote(count);
      self->flush();
    });
  }

  [[nodiscard]] Endpoint local() override { return local_endpoint(socket().native_handle()); }
  [[nodiscard]] std::size_t untaken() override { return base::unacknowledged_bytes(socket().native_handle()); }

  bool end_output() override {
    if constexpr (is_tls) {
      stream_.async_shutdown([self = me()](const error_code&) { self->close(); });
      return true;
    } else {
      error_code ignored;
      stream_.shutdown(tcp::socket::shutdown_send, ignored);
      return false;
    }
  }

  void start_timer(std::chrono::microseconds delay) override {
    if (!timer_) timer_ = std::make_unique<net::steady_timer>(socket().get_executor());
    timer_->expires_after(delay);
    timer_->async_wait([self = me()](const error_code& error) {
      if (!error) self->timer_fired();
    });
  }

  void stop_timer() override {
    if (timer_) timer_->cancel();
  }

  void close_stream() override {
    error_code ignored;
    socket().close(ignored);
  }

  void reset_on_close() override {
    error_code ignored;
    socket().set_option(net::socket_base::linger(true, 0), ignored);
  }

  Stream stream_;
  std::unique_ptr<net::steady_timer> timer_;  ///< only few connections have one
  std::string buffer_;                        ///< buffer of the pending read; empty while a plain connection is idle
  std::string record_;                        ///< TLS only: output of one record
  bool reading_ = false;
  bool writing_ = false;
};

}  // namespace

std::shared_ptr<Connection> make_connection(ConnectionGroup& group, int socket) {
  net::io_context& context = group.loop().impl().context;
  // A socket that cannot be used fails at the first read, which closes the connection.
  error_code error;
  Plain plain(context);
  plain.assign(tcp::v4(), socket, error);
  if (error) ::close(socket);
  plain.non_blocking(true, error);
  TlsContext* const tls = group.shared().tls.get();
  if (!tls) return std::make_shared<StreamConnection<Plain>>(group, std::move(plain));
  Tls stream(std::move(plain), tls->context());
  return std::make_shared<StreamConnection<Tls>>(group, std::move(stream));
}

}  // namespace tapedeck::http
