#pragma once
// Which of a host's addresses takes a connection first (RFC 8305, "happy eyeballs", in small): in series under one
// deadline, a dead IPv6 would hide a living IPv4.

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <vector>

namespace tapedeck::http {

/// The resolver's addresses, its first one first, the two families in turn (§4).
[[nodiscard]] std::vector<boost::asio::ip::tcp::endpoint> interleaved(
    const boost::asio::ip::tcp::resolver::results_type& found);

/// One attempt after the other, the next when the last one failed or was not through after 250 ms (§5); the first that
/// succeeds wins and the others are closed. For its loop's thread alone.
class ConnectRace : public std::enable_shared_from_this<ConnectRace> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using Error = boost::system::error_code;
  using Done = std::function<void(Error, Socket)>;

  ConnectRace(boost::asio::io_context& context, std::vector<boost::asio::ip::tcp::endpoint> addresses)
      : context_(context), timer_(context), addresses_(std::move(addresses)) {}

  /// Calls back once, later: with a connected socket, or with the error of the last address that failed.
  void start(Done done);
  /// Ends it as aborted, unless it is over.
  void cancel() { end(boost::asio::error::operation_aborted, Socket(context_)); }

 private:
  void attempt();
  void attempted(std::size_t which, Error error);
  void end(Error error, Socket socket);

  boost::asio::io_context& context_;
  boost::asio::steady_timer timer_;
  std::vector<boost::asio::ip::tcp::endpoint> addresses_;
  std::vector<std::unique_ptr<Socket>> sockets_;  ///< of the attempts so far; null for one that failed
  std::size_t under_way_ = 0;
  Done done_;
};

}  // namespace tapedeck::http
