#include "http/device/relay.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "http/device/transfer.h"
#include "http/io/buffer_charge.h"
#include "http/io/tls_context.h"

namespace tapedeck::http {

std::string_view to_string(Ending ending) {
  switch (ending) {
    case Ending::whole:
      return "whole";
    case Ending::ended_by_client:
      return "ended by the client";
    case Ending::too_long:
      return "too long";
    case Ending::cut:
      return "cut";
    case Ending::bad_framing:
      return "bad framing";
    case Ending::timed_out:
      return "timed out";
    case Ending::unreachable:
      return "unreachable";
    case Ending::stopped:
      return "stopped";
  }
  return "unknown";
}

/// Passes committed responses from the writer's thread to the loop that sends them.
class Relay::Releases {
 public:
  explicit Releases(EventLoop& loop) : loop_(&loop) {}

  /// Thread-safe. Ignores transfers that no longer exist.
  void add(std::weak_ptr<Transfer> transfer) {
    const std::lock_guard lock(mutex_);
    if (loop_ == nullptr) return;
    loop_->post([waiting = std::move(transfer)] {
      if (const auto committed = waiting.lock()) committed->release();
    });
  }
  /// Ignores everything added from now on, because the loop ends.
  void close() {
    const std::lock_guard lock(mutex_);
    loop_ = nullptr;
  }

 private:
  std::mutex mutex_;
  EventLoop* loop_;  ///< null after close(); guarded by mutex_
};

struct Relay::Impl : TransferHost, std::enable_shared_from_this<Relay::Impl> {
  Impl(EventLoop& event_loop, RelayOptions relay_options)
      : loop_(event_loop), options_(std::move(relay_options)), releases_(std::make_shared<Releases>(event_loop)) {
    if (options_.device.tls) tls_ = std::make_shared<TlsContext>(options_.tls);
  }

  [[nodiscard]] const RelayOptions& options() const override { return options_; }
  [[nodiscard]] Receipt receipt_for(std::weak_ptr<Transfer> transfer) override {
    return Receipt([releases = releases_, waiting = std::move(transfer)] { releases->add(waiting); });
  }

  [[nodiscard]] std::shared_ptr<DeviceConnection> kept_connection() override {
    // Starts with the newest one, which the device is least likely to have closed.
    while (!idle_.empty()) {
      std::shared_ptr<DeviceConnection> connection = std::move(idle_.back());
      idle_.pop_back();
      if (!connection->is_stale()) {
        connection->reused = true;
        return connection;
      }
      connection->close();
    }
    return nullptr;
  }

  [[nodiscard]] std::shared_ptr<DeviceConnection> new_connection() override {
    return DeviceConnection::make(loop_, tls_);
  }

  void keep(std::shared_ptr<DeviceConnection> connection) override {
    constexpr std::size_t most_idle = 256;
    if (closing_ || idle_.size() >= most_idle) return connection->close();
    connection->idle_since = DeviceConnection::Clock::now();
    idle_.push_back(std::move(connection));
  }

  [[nodiscard]] bool may_read(const Transfer& transfer) const override {
    const std::size_t total = BufferCharge::total(), limit = options_.limits.buffer_bytes;
    // All transfers may use the first half. Only the oldest may use the rest, so that at least one completes.
    if (total <= limit / 2) return true;
    const auto oldest =
        std::find_if(transfers_.begin(), transfers_.end(), [](const auto& one) { return one->wants_more(); });
    if (oldest != transfers_.end() && oldest->get() != &transfer) return false;
    if (total <= limit) return true;
    // Responses that wait for the store or the client free their memory in time. The memory of transfers is not freed,
    // and incoming requests wait for transfers.
    std::size_t received = BufferCharge::of_requests();
    for (const auto& one : transfers_) received += one->held();
    return total <= received + limit / 8;
  }

  [[nodiscard]] bool is_closing() const override { return closing_; }

  void remove(Transfer& transfer) override {
    std::erase_if(transfers_, [&transfer](const auto& one) { return one.get() == &transfer; });
  }

  void start_sweeping() {
    const Limits& limits = options_.limits;
    const auto period = sweep_period({limits.connect_time, limits.first_byte_time, limits.stall_time,
                                      limits.answer_time, options_.hold_time, options_.commit_time});
    loop_.every(period, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self) self->sweep();
      return self != nullptr;
    });
  }

  void sweep() {
    const auto now = Transfer::Clock::now();
    const std::vector<std::shared_ptr<Transfer>> all = transfers_;  // a copy, because sweep() may remove transfers
    for (const auto& transfer : all) transfer->sweep(now);
    std::erase_if(idle_, [&](const auto& connection) {
      const bool old = now - connection->idle_since >= options_.limits.idle_time;
      if (old) connection->close();
      return old;
    });
  }

  void shut_down() {
    closing_ = true;
    close_idle();
    const std::vector<std::shared_ptr<Transfer>> all = transfers_;  // a copy, because stop() may remove transfers
    for (const auto& transfer : all) transfer->stop();
  }

  void close_idle() {
    for (const auto& connection : idle_) connection->close();
    idle_.clear();
  }

  EventLoop& loop_;
  RelayOptions options_;
  std::shared_ptr<Releases> releases_;
  std::shared_ptr<TlsContext> tls_;
  std::vector<std::shared_ptr<DeviceConnection>> idle_;
  std::vector<std::shared_ptr<Transfer>> transfers_;  // oldest first
  bool closing_ = false;
};

Relay::Relay(EventLoop& loop, RelayOptions options) : impl_(std::make_shared<Impl>(loop, std::move(options))) {
  impl_->start_sweeping();
}

Relay::~Relay() {
  impl_->releases_->close();
  impl_->close_idle();
  for (const auto& transfer : impl_->transfers_) transfer->drop();
  impl_->transfers_.clear();
}

void Relay::forward(std::shared_ptr<Exchange> exchange, Request head, std::string_view body, bool is_read,
                    std::shared_ptr<RelayClient> client) {
  const auto transfer =
      std::make_shared<Transfer>(*impl_, std::move(exchange), std::move(head), body, is_read, std::move(client));
  impl_->transfers_.push_back(transfer);
  transfer->begin();
}

void Relay::shut_down() { impl_->shut_down(); }

}  // namespace tapedeck::http
