#include "http/device/device_stream.h"

#include <utility>

namespace tapedeck::http {
namespace {

/// Sends one piece after another. Pending operations keep it alive.
class Sender : public std::enable_shared_from_this<Sender> {
 public:
  explicit Sender(std::shared_ptr<DeviceConnection> connection) : connection_(std::move(connection)) {}
  ~Sender() { connection_->close(); }

  void read(std::function<void(std::optional<std::string>)> done) {
    connection_->read([self = shared_from_this(), done = std::move(done)](std::string_view bytes, auto ended) {
      done(ended == DeviceConnection::Ended::no ? std::optional<std::string>(bytes) : std::nullopt);
    });
  }
  void write(std::string bytes) {
    waiting_ += bytes;
    send();
  }
  [[nodiscard]] std::size_t unsent() const { return waiting_.size() + sending_.size(); }
  void on_drained(std::function<void()> callback) { drained_ = std::move(callback); }
  void finish() {
    is_finishing_ = true;
    if (unsent() == 0) close();
  }
  void close() {
    drained_ = nullptr;
    waiting_.clear();
    connection_->close();
  }

 private:
  void send() {
    if (!sending_.empty() || waiting_.empty()) return;
    sending_ = std::exchange(waiting_, {});
    connection_->send({sending_}, [self = shared_from_this()](bool sent) { self->on_sent(sent); });
  }
  void on_sent(bool sent) {
    sending_.clear();
    if (!sent) return close();  // the pending read reports the end
    send();
    if (unsent() > 0) return;
    if (is_finishing_) return close();
    if (const auto callback = drained_) callback();
  }

  std::shared_ptr<DeviceConnection> connection_;
  std::string waiting_, sending_;
  std::function<void()> drained_;
  bool is_finishing_ = false;
};

class DeviceStream final : public ByteStream {
 public:
  explicit DeviceStream(std::shared_ptr<DeviceConnection> connection)
      : sender_(std::make_shared<Sender>(std::move(connection))) {}
  ~DeviceStream() override { sender_->finish(); }

  void read(std::function<void(std::optional<std::string>)> done) override { sender_->read(std::move(done)); }
  void write(std::string bytes) override { sender_->write(std::move(bytes)); }
  [[nodiscard]] std::size_t unsent() const override { return sender_->unsent(); }
  void on_drained(std::function<void()> callback) override { sender_->on_drained(std::move(callback)); }
  void finish() override { sender_->finish(); }
  void abort() override { sender_->close(); }

 private:
  std::shared_ptr<Sender> sender_;
};

}  // namespace

std::unique_ptr<ByteStream> make_stream(std::shared_ptr<DeviceConnection> connection) {
  return std::make_unique<DeviceStream>(std::move(connection));
}

}  // namespace tapedeck::http
