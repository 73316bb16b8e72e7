#pragma once
// Finds the first address of a host that accepts a connection (RFC 8305, "happy eyeballs", simplified), so that an
// unreachable IPv6 address does not hide a working IPv4 address.

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <vector>

namespace tapedeck::http {

/// Returns the resolver's addresses with alternating families, beginning with the first address (§4).
[[nodiscard]] std::vector<boost::asio::ip::tcp::endpoint> interleaved(
    const boost::asio::ip::tcp::resolver::results_type& found);

/// Starts one attempt after another: the next one starts when the last one has failed, or after 250 ms (§5). The first
/// success wins, and the others are closed. Call it on its loop's thread.
class ConnectRace : public std::enable_shared_from_this<ConnectRace> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using Error = boost::system::error_code;
  using Done = std::function<void(Error, Socket)>;

  ConnectRace(boost::asio::io_context& context, std::vector<boost::asio::ip::tcp::endpoint> addresses)
      : context_(context), timer_(context), addresses_(std::move(addresses)) {}

  /// Calls back once, after it has returned, with a connected socket or with the error of the last address that failed.
  void start(Done done);
  /// Ends the race with an aborted error, unless it is over.
  void cancel() { end(boost::asio::error::operation_aborted, Socket(context_)); }

 private:
  void attempt();
  void attempted(std::size_t which, Error error);
  void end(Error error, Socket socket);

  boost::asio::io_context& context_;
  boost::asio::steady_timer timer_;
  std::vector<boost::asio::ip::tcp::endpoint> addresses_;
  std::vector<std::unique_ptr<Socket>> sockets_;  ///< sockets of the attempts so far; null for failed ones
  std::size_t under_way_ = 0;
  Done done_;
};

}  // namespace tapedeck::http
