#pragma once
// Connects the recorder to the real device, scrubber, and cassette.

#include <utility>

#include "cassettes/write/cassette_writer.h"
#include "proxy/recorder_backend.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::proxy {

/// The arguments must outlive it.
class LiveRecorderBackend final : public RecorderBackend {
 public:
  LiveRecorderBackend(Device& device, scrubbers::Scrubber& scrubber, cassettes::CassetteWriter& writer)
      : device_(device), scrubber_(scrubber), writer_(writer) {}

  void forward(std::shared_ptr<http::Exchange> exchange, http::Request head, std::string_view body, bool is_read,
               std::shared_ptr<http::RelayClient> client) override {
    device_.forward(std::move(exchange), std::move(head), body, is_read, std::move(client));
  }
  std::unique_ptr<scrubbers::AnalyzedRequest> learn(const http::Request& request) override {
    return scrubber_.learn(request);
  }
  scrubbers::ScrubbedInteraction scrub(const api::Interaction& interaction,
                                       scrubbers::AnalyzedRequest&& seen) override {
    return scrubber_.scrub(interaction, std::move(seen));
  }
  std::uint64_t generation() const override { return scrubber_.generation(); }
  std::string scrub_text(std::string_view text) const override { return scrubber_.scrub_text(text); }
  std::string scrub_scope(std::string_view name) const override { return scrubber_.scrub_scope(name); }
  void append(scrubbers::ScrubbedInteraction interaction, std::function<void(bool)> done,
              std::uint64_t scrubbed_at) override {
    writer_.append(std::move(interaction), std::move(done), scrubbed_at);
  }
  void after_group(std::function<void()> told) override { writer_.after_group(std::move(told)); }
  void tell(cassettes::TakeEvent event) override { writer_.tell(std::move(event)); }
  void flush() override { writer_.flush(); }

 private:
  Device& device_;
  scrubbers::Scrubber& scrubber_;
  cassettes::CassetteWriter& writer_;
};

}  // namespace tapedeck::proxy
