#pragma once
// Holds replies back until somebody lets them go (overlays with `hold`, docs/mocking.md).

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "http/server/exchange.h"
#include "replay/recorded/reply.h"

namespace tapedeck::replay {

/// A reply that waits.
struct HeldReply {
  std::uint64_t number = 0;  ///< in the journal; without a journal, the replies are numbered from 1
  std::string overlay;       ///< names of the overlays that the reply uses
  std::chrono::steady_clock::time_point since;
};

/// What replaces a part of a held reply, or all of it.
struct HeldChange {
  std::optional<int> status;
  std::optional<std::string> body;
  std::optional<http::ConnectionFault> fault;  ///< breaks the connection, and nothing is sent
};

/// The replies of a server that wait. Holds no reply longer than `longest`, and no more than `most` at a time: a
/// further one is sent immediately. Forgets a reply whose client has disconnected. Thread-safe.
class HeldReplies {
 public:
  static constexpr std::size_t most = 100;
  static constexpr std::chrono::minutes longest{5};

  /// Holds the reply. Must be called on the exchange's loop thread.
  void hold(std::shared_ptr<http::Exchange> exchange, Reply reply);
  /// Returns the waiting replies in order of their numbers.
  [[nodiscard]] std::vector<HeldReply> list();
  /// Sends the reply with this number. Returns false if it does not wait.
  bool release(std::uint64_t number, HeldChange change);

 private:
  class Waiting;
  struct Place {
    HeldReply shown;
    std::weak_ptr<Waiting> waiting;  ///< expired if the client has disconnected
  };
  std::shared_ptr<Waiting> take(std::uint64_t number);

  std::mutex mutex_;  ///< guards the members below
  std::map<std::uint64_t, Place> places_;
  std::uint64_t unnumbered_ = 0;
};

}  // namespace tapedeck::replay
