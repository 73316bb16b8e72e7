#pragma once
// Defines the interfaces through which the recorder uses device, scrubber, and cassette, so that tests can replace
// them.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/interaction.h"
#include "cassettes/write/take_event.h"
#include "http/device/relay.h"
#include "http/server/exchange.h"
#include "scrubbers/analyzed_request.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::proxy {

using http::Device;

/// The functions that a recorder needs besides its clients: the device, a scrubber (as scrubbers::Scrubber), and a
/// cassette (as cassettes::CassetteWriter).
class RecorderBackend : public Device {
 public:
  [[nodiscard]] virtual std::unique_ptr<scrubbers::AnalyzedRequest> learn(const http::Request& request) = 0;
  [[nodiscard]] virtual scrubbers::ScrubbedInteraction scrub(const api::Interaction& interaction,
                                                             scrubbers::AnalyzedRequest&& seen) = 0;
  [[nodiscard]] virtual std::uint64_t generation() const = 0;
  [[nodiscard]] virtual std::string scrub_text(std::string_view text) const = 0;
  [[nodiscard]] virtual std::string scrub_scope(std::string_view name) const = 0;

  virtual void append(scrubbers::ScrubbedInteraction interaction, std::function<void(bool committed)> done,
                      std::uint64_t scrubbed_at) = 0;
  virtual void after_group(std::function<void()> told) = 0;
  virtual void tell(cassettes::TakeEvent event) = 0;
  /// Waits until everything that was appended is stored, and its callbacks have returned.
  virtual void flush() = 0;
};

}  // namespace tapedeck::proxy
