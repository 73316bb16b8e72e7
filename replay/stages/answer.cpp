#include "replay/stages/answer.h"

#include <array>
#include <utility>

#include "http/server/forwarded_exchange.h"
#include "replay/chain/thread_state.h"
#include "scrubbers/text/decode.h"

namespace tapedeck::replay {
namespace {

constexpr std::array all_steps = {Step::session,   Step::overlay, Step::device,   Step::login,
                                  Step::recording, Step::info,    Step::compound, Step::effect,
                                  Step::fallback,  Step::blocked, Step::miss};

/// Returns true if the request takes this step.
bool takes(Step step, const ReplayOptions& options, const RequestContext& context) {
  const bool has_end = options.end != nullptr, is_whole = !context.parsed().part();
  switch (step) {
    case Step::session:
    case Step::login:
    case Step::compound:
      return is_whole;
    case Step::device:
      return has_end && is_whole;
    case Step::blocked:
      return has_end;
    case Step::fallback:
      return !has_end && options.fallback;
    case Step::effect:
    case Step::miss:
      return !has_end;
    case Step::overlay:
    case Step::recording:
    case Step::info:
      return true;
  }
  return false;
}

std::optional<Reply> respond(Step step, const Services& services, RequestContext& context, ThreadState& thread) {
  switch (step) {
    case Step::session:
      return check_session(services, context, thread);
    case Step::overlay:
      // While recording, all effects are the device's own.
      if (services.options.end == nullptr) look_for_effects(services, context, thread);
      return answer_by_overlay(services, context, thread);
    case Step::login:
      return answer_login(services, context, thread);
    case Step::recording:
      return play_recording(services, context, thread);
    case Step::info:
      return answer_info(services, context, thread);
    case Step::compound:
      return answer_parts(services, context, thread);
    case Step::effect:
      return answer_effect(services, context, thread);
    case Step::fallback:
      return answer_fallback(services, context, thread);
    case Step::blocked:
      return answer_blocked(services, context);
    case Step::miss:
      return answer_miss(services, context, thread);
    case Step::device:
      break;
  }
  return std::nullopt;
}

/// Lets the steps before `step` change its reply, the nearest one first.
void change(Step step, const Services& services, RequestContext& context, ThreadState& thread, Reply& reply) {
  const bool has_end = services.options.end != nullptr, is_whole = !context.parsed().part();
  if (step > Step::overlay && !has_end) change_by_effects(services, context, reply);
  if (step > Step::overlay) change_by_overlay(services, context, thread, reply);
  if (step > Step::session && !has_end) follow_write(services, context, reply);
  if (step > Step::session && has_end && is_whole) mark_session_ahead(context, reply);
  if (step > Step::session && is_whole) keep_under_scope(services, context, reply);
  if (is_whole) delay_reply(services, context, thread, reply);
}

std::optional<Reply> finish(Step step, const Services& services, RequestContext& context, ThreadState& thread,
                            std::optional<Reply> reply) {
  change(step, services, context, thread, *reply);
  services.ledger.observe(context, *reply, thread);
  return reply;
}

std::optional<Reply> answer_after(std::optional<Step> last, const Services& services, RequestContext& context,
                                  ThreadState& thread) {
  for (const Step step : all_steps) {
    if ((last && step <= *last) || !takes(step, services.options, context)) continue;
    if (step == Step::device && is_for_device(context)) return std::nullopt;
    if (auto reply = respond(step, services, context, thread)) {
      return finish(step, services, context, thread, std::move(reply));
    }
  }
  return std::nullopt;
}

/// Decodes the body, so that it can be changed. A body that cannot be decoded stays unchanged.
void unpack(http::Response& response) {
  constexpr std::size_t most_unpacked = 256u << 20;
  if (!response.headers.contains("Content-Encoding")) return;
  scrubbers::DecodedBody decoded = scrubbers::decode_body(response.headers, response.body, most_unpacked);
  if (!decoded.ok) return;
  response.body = std::move(decoded.body);
  response.headers.erase("Content-Encoding");
}

/// The exchange that is passed to the end.
class ChangedExchange : public http::ForwardedExchange {
 public:
  ChangedExchange(std::shared_ptr<http::Exchange> exchange, RequestContext context, ThreadState& thread,
                  const Services& services)
      : ForwardedExchange(std::move(exchange)), context_(std::move(context)), thread_(thread), services_(services) {
    context_.keep();
    context_.is_at_end = true;
  }

  [[nodiscard]] const RequestContext& context() const { return context_; }
  void respond(http::Response response) override {
    Reply reply;
    reply.outcome = Outcome::recorded;
    reply.response = std::move(response);
    if (is_read_here()) unpack(reply.response);
    pass_back(std::move(reply));
  }
  void respond(const http::PreparedReply& prepared) override {
    Reply reply;
    reply.outcome = Outcome::recorded;
    reply.prepared = prepared;
    pass_back(std::move(reply));
  }
  void respond(http::Response head, http::SharedBytes body) override {
    if (is_read_here()) {
      head.body = body.bytes;
      return respond(std::move(head));
    }
    Reply reply;
    reply.outcome = Outcome::recorded;
    reply.response = std::move(head);
    reply.shared_body = std::move(body);
    pass_back(std::move(reply));
  }

 private:
  /// Returns true if overlays change the body, or if session IDs in it belong to a scope.
  [[nodiscard]] bool is_read_here() const {
    const bool gives_ids = context_.scope_is_recorded && context_.parsed().kind() == CallKind::login;
    return context_.overlays || context_.parts || gives_ids;
  }
  void pass_back(Reply reply) {
    change(Step::miss, services_, context_, thread_, reply);
    deliver(inner_, std::move(reply));
  }

  RequestContext context_;
  ThreadState& thread_;
  const Services& services_;
};

}  // namespace

std::optional<Reply> answer(const Services& services, RequestContext& context, ThreadState& thread) {
  return answer_after(std::nullopt, services, context, thread);
}

std::optional<Reply> answer_part(const Services& services, PartRequest& part, bool is_seen, ThreadState& thread) {
  if (!is_seen) return answer(services, part.context, thread);
  if (!part.reply) return answer_after(Step::overlay, services, part.context, thread);
  return finish(Step::overlay, services, part.context, thread, std::move(part.reply));
}

void hand_over(const Services& services, std::shared_ptr<http::Exchange> exchange, RequestContext&& context,
               ThreadState& thread) {
  const auto changed = std::make_shared<ChangedExchange>(std::move(exchange), std::move(context), thread, services);
  services.options.end->handle(changed, changed->context());
}

}  // namespace tapedeck::replay
