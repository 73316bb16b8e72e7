#include "bench/tape_maker.h"

#include <fmt/format.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <stdexcept>

#include "cassettes/finish/finish.h"
#include "cassettes/write/cassette_writer.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::bench {
namespace {

/// Limits the length of the writer's queue.
class Window {
 public:
  void enter() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return open_ < most; });
    ++open_;
  }
  void leave(bool committed) {
    const std::scoped_lock lock(mutex_);
    --open_;
    if (!committed) ++lost_;
    room_.notify_one();
  }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  static constexpr int most = 4096;
  std::mutex mutex_;
  std::condition_variable room_;
  int open_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace

struct TapeMaker::Impl {
  explicit Impl(std::string cassette) : path(std::move(cassette)) {}

  void begin(std::int64_t started_us) {
    cassettes::Take take;
    take.tool_version = TAPEDECK_VERSION;
    take.scrub_policy = scrubber.rules().fingerprint();
    take.started_us = started_us;
    writer = std::make_unique<cassettes::CassetteWriter>(path, take);
  }

  const std::string path;
  scrubbers::Scrubber scrubber{scrubbers::ScrubberOptions{}};
  Window window;
  std::unique_ptr<cassettes::CassetteWriter> writer;
};

TapeMaker::TapeMaker(const std::string& path) : impl_(std::make_unique<Impl>(path)) {
  for (const char* side : {"", ".recording", ".recording-wal", ".recording-shm"}) std::filesystem::remove(path + side);
}

TapeMaker::~TapeMaker() = default;

void TapeMaker::add(const api::Interaction& interaction) {
  if (!impl_->writer) impl_->begin(interaction.started_us);
  impl_->window.enter();
  const std::uint64_t knowledge = impl_->scrubber.generation();
  impl_->writer->append(
      impl_->scrubber.scrub(interaction), [this](bool committed) { impl_->window.leave(committed); }, knowledge);
}

void TapeMaker::finish() {
  impl_->writer->flush();
  if (impl_->window.lost() > 0)
    throw std::runtime_error(fmt::format("{} interactions were not committed", impl_->window.lost()));
  cassettes::FinishOptions options;
  options.scrubber = &impl_->scrubber;
  const cassettes::FinishReport report = cassettes::finish(std::move(impl_->writer), options);
  if (!report.finished) throw std::runtime_error("not finished: " + report.failure);
}

}  // namespace tapedeck::bench
