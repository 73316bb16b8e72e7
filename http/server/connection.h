#pragma once
// A client connection: bytes in, complete requests to the handler, responses out, one after the other. It is a state
// machine, because a waiting connection should only cost a socket and a few hundred bytes. Deadlines are checked
// regularly (see sweep_period).
//
// Invariant, which its test names by number:
// 1. An exchange has one answer. Further ones are ignored, also after the connection has begun its next request. A
// whole
//    response after the beginning of another one closes the connection instead.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "http/io/buffer_charge.h"
#include "http/message/body_reader.h"
#include "http/message/head_scanner.h"
#include "http/message/url.h"
#include "http/server/connection_group.h"
#include "http/server/out_queue.h"
#include "http/server/response_writer.h"

namespace tapedeck::http {

/// Parses requests, calls the handler, and writes responses. Subclasses send and receive the bytes, with or without
/// TLS. Call it on its loop's thread.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Connection(ConnectionGroup& group) : group_(group.shared_from_this()) {}
  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  virtual void begin() = 0;
  /// Handles an expired deadline.
  void sweep(Clock::time_point now);
  /// Continues a request that waits for room in the buffers. Returns false if there is still no room.
  [[nodiscard]] bool try_again();
  /// Continues to read an upload that has waited (UploadQueue).
  void read_on();
  /// Closes if no request is being handled; otherwise closes after the current response, or soon if the connection has
  /// changed to another protocol.
  void close_when_idle();
  void close();
  /// Returns the bytes that wait for a client that would take longer than Limits::write_time for its response. Returns
  /// 0 for other clients.
  [[nodiscard]] std::size_t held_by_slow_client() const { return pace_ && pace_->is_slow ? out_.size() : 0; }
  /// Drops its response, because other requests wait for room in the buffers.
  void give_way();
  /// Sends the results of the requests so far, and reads more input if it can be used.
  void go_on();
  std::size_t slot = 0;  ///< its index in the group

  // The following functions are for ConnectionExchange.
  [[nodiscard]] const Request& request() const { return request_; }
  [[nodiscard]] Request take_request();
  [[nodiscard]] bool is_closed() const { return is<Closed>(); }
  /// Returns the address to which the client has connected.
  [[nodiscard]] virtual Endpoint local() = 0;
  [[nodiscard]] bool input_ended() const { return input_ended_; }
  /// Returns true while the handler has the request, but not all of its body.
  [[nodiscard]] bool body_is_open() const { return is<Handling>() && !reader_.is_done(); }
  void read_body(std::function<void(std::string, bool)> took);
  [[nodiscard]] std::size_t unsent() const { return out_.size(); }
  void on_drained(std::function<void()> callback);
  void abort() {
    if (writer_.ends_with_connection()) reset_on_close();
    close();
  }
  void fail(ConnectionFault how, std::chrono::microseconds longest);
  void after(std::chrono::microseconds delay, std::function<void()> task);
  void expect(std::size_t bytes);
  void allow_page(std::string origin) { writer_.allow_page(std::move(origin)); }
  /// Calls `write` with the writer and the queue, and sends the result.
  void write_response(bool last, const std::function<void(ResponseWriter&, OutQueue&)>& write);

 protected:
  [[nodiscard]] const Limits& limits() const { return group_->shared().limits; }
  /// Returns true if the next bytes belong to a body.
  [[nodiscard]] bool takes_body() const { return reads(Part::body) || body_is_open(); }
  void begin_handshake();
  void become_idle();
  void take(std::string_view bytes);
  void end_of_input();
  void wrote(std::size_t count);
  void timer_fired();
  OutQueue& out() { return out_; }

  /// Starts a read, which ends with take(), end_of_input(), or close(), unless one is pending.
  virtual void want_input() = 0;
  /// Frees the read buffer of an idle connection.
  virtual void release_buffer() = 0;
  /// Sends out() until it is empty, in several steps if the client reads slowly.
  virtual void flush() = 0;
  virtual void close_stream() = 0;
  /// Returns the number of sent bytes that the client has not acknowledged (base::unacknowledged_bytes()).
  [[nodiscard]] virtual std::size_t untaken() = 0;
  /// Starts a timer that calls timer_fired() once, after `delay`, unless stop_timer() is called first.
  virtual void start_timer(std::chrono::microseconds delay) = 0;
  virtual void stop_timer() = 0;
  virtual void reset_on_close() = 0;
  /// Sends FIN or close_notify. Returns true if sending continues in the background and calls close() at its end.
  [[nodiscard]] virtual bool end_output() = 0;

  std::shared_ptr<ConnectionGroup> group_;

 private:
  // The states. A connection begins with Handshake or Idle, and goes around from Idle to Handling once per request.
  // consume() gives a state its input. end_of_input(), deadline_passed(), close_when_idle(), and close() end it.
  struct Handshake {};
  struct Idle {
    std::optional<Clock::time_point> buffers_until;  ///< its buffers are freed then; empty if they are
  };
  enum class Part { head, body };
  struct Reading {
    Part part = Part::head;
    std::unique_ptr<UploadQueue::Upload> upload{};  ///< for a long request
  };
  /// The handler will get the request when there is room in the buffers.
  struct WaitingForRoom {};
  /// The handler has the request.
  struct Handling {
    /// What was written. `nothing_more`: nothing will be, and the connection closes when the client does.
    enum class Answer { none, begun, whole, nothing_more } answer = Answer::none;
    bool has_returned = false;  ///< Handler::handle() has returned; until then, nothing is sent
    std::function<void()> drained{};
    std::function<void(std::string, bool)> body_taker{};
    std::function<void()> later{};  ///< callback for timer_fired()
  };
  /// The last bytes are being sent. Then a client that was refused or may send more has some time to read them.
  struct Closing {
    enum class Step { sends, sends_and_lingers, lingers } step = Step::sends;
  };
  struct Closed {};
  using State = std::variant<Handshake, Idle, Reading, WaitingForRoom, Handling, Closing, Closed>;

  template <class One>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<One>(state_);
  }
  template <class One>
  [[nodiscard]] One* in() {
    return std::get_if<One>(&state_);
  }
  [[nodiscard]] bool reads(Part part) const { return is<Reading>() && std::get<Reading>(state_).part == part; }
  /// Returns the last state, whose callbacks are destroyed only after the change.
  State enter(State next) { return std::exchange(state_, std::move(next)); }

  std::size_t consume(std::string_view bytes);
  bool take_head(std::string_view bytes, std::size_t& used);
  bool take_body(std::string_view bytes, std::size_t& used);
  bool take_open_body(std::string_view bytes, std::size_t& used);
  [[nodiscard]] bool is_streamed(std::uint64_t body_bytes) const;
  void deadline_passed();
  void charge_buffers();
  [[nodiscard]] bool is_held_back() const {
    const Reading* const reading = std::get_if<Reading>(&state_);
    return reading && reading->upload && reading->upload->waits;
  }
  [[nodiscard]] bool client_took();
  void end_if_nothing_comes();
  [[nodiscard]] bool has_room() const;
  void dispatch();
  void handle();
  /// Runs a function of the handler. An exception fails only this request.
  void call_handler(const std::function<void()>& function);
  void handler_failed(std::string_view what);
  void response_written();
  void refuse(const Refusal& refusal);
  void send();
  void sent_all();
  void set_deadline(std::chrono::milliseconds from_now) { deadline_ = group_->loop().now() + from_now; }
  void clear_deadline() { deadline_ = Clock::time_point::max(); }
  void run_drained();
  void measure_pace(Clock::time_point now);

  State state_;
  bool input_ended_ = false;  ///< the client has closed its side, which is possible in most states
  Clock::time_point deadline_ = Clock::time_point::max();
  std::string in_;  ///< bytes that are read but not parsed
  HeadScanner scanner_{HeadScanner::Kind::request};
  BodyReader reader_;
  Request request_;
  ResponseWriter writer_;
  OutQueue out_;
  BufferCharge charge_;
  std::size_t untaken_ = 0;  ///< result of untaken() at the last check
  std::uint64_t sent_ = 0;   ///< number of bytes since the connection was opened
  /// The speed at which a client receives its response.
  struct Pace {
    Clock::time_point since;  ///< start of the measurement
    std::uint64_t taken = 0;  ///< bytes that the client had received by then
    bool is_slow = false;     ///< result of the last measurement
  };
  std::optional<Pace> pace_;
};

/// Takes over a connected socket, with TLS if the listener has it.
[[nodiscard]] std::shared_ptr<Connection> make_connection(ConnectionGroup& group, int socket);

/// Returns the handler's side of a connection. There is one per request, so a late or lost exchange does not affect the
/// next one.
[[nodiscard]] std::shared_ptr<Exchange> make_exchange(std::weak_ptr<Connection> connection, EventLoop& loop);

}  // namespace tapedeck::http
