#include "http/device/relay.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "http/device/transfer.h"
#include "http/io/event_loop_impl.h"
#include "http/io/tls_context.h"

namespace tapedeck::http {

std::string_view to_string(Ending ending) {
  switch (ending) {
    case Ending::whole:
      return "whole";
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

struct Relay::Impl : TransferHost, std::enable_shared_from_this<Relay::Impl> {
  Impl(EventLoop& event_loop, RelayOptions relay_options)
      : loop_(event_loop), options_(std::move(relay_options)), releases_(std::make_shared<Releases>(event_loop)) {
    if (options_.device.tls) tls_ = std::make_shared<TlsContext>(options_.tls);
  }

  [[nodiscard]] const RelayOptions& options() const override { return options_; }
  [[nodiscard]] std::shared_ptr<Releases> releases() override { return releases_; }

  [[nodiscard]] std::shared_ptr<DeviceConnection> kept_connection() override {
    // The youngest first: it is the least likely to have been closed by the device.
    while (!idle_.empty()) {
      std::shared_ptr<DeviceConnection> connection = std::move(idle_.back());
      idle_.pop_back();
      if (!connection->is_stale()) {
        connection->reused = true;
        reused_.fetch_add(1, std::memory_order_relaxed);
        return connection;
      }
      connection->close();
    }
    return nullptr;
  }

  [[nodiscard]] std::shared_ptr<DeviceConnection> new_connection() override {
    connections_.fetch_add(1, std::memory_order_relaxed);
    return DeviceConnection::make(loop_, tls_);
  }

  void keep(std::shared_ptr<DeviceConnection> connection) override {
    constexpr std::size_t most_idle = 256;
    if (closing_ || idle_.size() >= most_idle) return connection->close();
    connection->idle_since = DeviceConnection::Clock::now();
    idle_.push_back(std::move(connection));
  }

  void count_retry() override { retried_.fetch_add(1, std::memory_order_relaxed); }
  void count_buffered(std::size_t before, std::size_t now) override {
    buffered_.fetch_add(now - before, std::memory_order_relaxed);
  }

  [[nodiscard]] bool may_read(const Transfer& transfer) const override {
    // The oldest goes on whatever the limit says, or else all would wait for each other.
    const auto oldest =
        std::find_if(transfers_.begin(), transfers_.end(), [](const auto& one) { return one->is_receiving(); });
    return oldest == transfers_.end() || oldest->get() == &transfer;
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
    const std::vector<std::shared_ptr<Transfer>> all = transfers_;  // a sweep may end some
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
    const std::vector<std::shared_ptr<Transfer>> all = transfers_;  // a stop may end some
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
  std::vector<std::shared_ptr<Transfer>> transfers_;  // the oldest first
  bool closing_ = false;
  std::atomic<std::uint64_t> connections_{0};
  std::atomic<std::uint64_t> reused_{0};
  std::atomic<std::uint64_t> retried_{0};
  std::atomic<std::size_t> buffered_{0};
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

void Relay::forward(std::shared_ptr<Exchange> exchange, Request request, bool is_read,
                    std::shared_ptr<RelayClient> client) {
  const auto transfer =
      std::make_shared<Transfer>(*impl_, std::move(exchange), std::move(request), is_read, std::move(client));
  impl_->transfers_.push_back(transfer);
  transfer->begin();
}

RelayStats Relay::stats() const {
  RelayStats stats;
  stats.connections = impl_->connections_;
  stats.reused = impl_->reused_;
  stats.retried = impl_->retried_;
  stats.buffered = impl_->buffered_;
  return stats;
}

void Relay::shut_down() { impl_->shut_down(); }

}  // namespace tapedeck::http
