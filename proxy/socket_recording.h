#pragma once
// Passes the messages of a WebSocket between client and device, and stores them (docs/recording.md, "WebSocket").
//
// A message from the device reaches the client after its commit (invariant 1 of recorder.h). What the client sends is
// passed on at once, and a message that is too long to be stored is passed on in pieces.

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "api/transcript.h"
#include "http/io/websocket_end.h"

namespace tapedeck::proxy {

struct SocketOptions {
  std::size_t max_message = 16u << 20;  ///< longer messages end the recording of the connection
  bool has_heartbeats = false;          ///< heartbeats of Engine.IO are passed on and not stored
};

/// Call it on the loop's thread.
class SocketRecording : public std::enable_shared_from_this<SocketRecording> {
 public:
  /// Stores a message under its number, from 1. Calls `done` on the loop's thread once it is committed or lost.
  using Store =
      std::function<void(const api::SocketMessage& message, std::uint32_t number, std::function<void()> done)>;

  SocketRecording(SocketOptions options, std::unique_ptr<http::ByteStream> client,
                  std::unique_ptr<http::ByteStream> device, Store store);
  /// Passes messages until both sides have ended. `first` are bytes of the device that were read already.
  void begin(std::string_view first);

 private:
  using Frame = http::Frame;

  /// A frame for the client, in the order in which the device sent them.
  struct Held {
    Frame frame;
    bool is_stored = false;
  };

  void from_client(Frame frame);
  void from_device(Frame frame);
  void device_gone();
  void close_from(bool device, const Frame& frame);
  /// Collects a message. Returns true once it is complete, with its whole payload in `message`.
  [[nodiscard]] bool collect(std::string& message, const Frame& piece);
  void store(api::SocketMessage message, std::function<void()> done);
  /// Stores that the connection ended without a close frame, or is not recorded further. After an end by the client,
  /// replay waits for its client.
  void stop_storing(bool device, const std::string& why);
  void hold(Frame frame, bool is_stored);
  void deliver();
  void limit_device();
  [[nodiscard]] bool is_stored(const Frame& frame, const std::string& text) const;

  const SocketOptions options_;
  const std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
  std::shared_ptr<http::WebSocketEnd> client_, device_;
  Store store_;
  std::string client_message_, device_message_;  ///< the pieces of messages that are not complete
  std::deque<Held> held_;
  std::size_t held_bytes_ = 0;
  std::size_t bytes_ = 0;  ///< all stored payloads
  std::uint32_t messages_ = 0;
  bool stores_ = true;          ///< false after a limit, or once a side has closed
  bool passes_pieces_ = false;  ///< a message of the device is too long to be collected
  std::function<void()> last_;  ///< ends the client's side after the last held frame
};

}  // namespace tapedeck::proxy
