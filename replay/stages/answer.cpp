#include "replay/stages/answer.h"

#include <array>
#include <utility>

#include "http/server/forwarded_exchange.h"
#include "replay/chain/thread_state.h"
#include "scrubbers/text/decode.h"

namespace tapedeck::replay {
namespace {

constexpr std::array all_steps = {Step::session,  Step::overlay, Step::device,   Step::login,  Step::recording,
                                  Step::info,     Step::keys,    Step::compound, Step::effect, Step::simulated,
                                  Step::fallback, Step::blocked, Step::miss};

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
    case Step::keys:
    case Step::effect:
    case Step::simulated:
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
    case Step::keys:
      return answer_with_keys(services, context, thread);
    case Step::compound:
      return answer_parts(services, context, thread);
    case Step::effect:
      return answer_effect(services, context, thread);
    case Step::simulated:
      return answer_simulated(services, context);
    case Step::fallback:
      return answer_fallback(services, context, thread);
    case Step::blocked:
      return answer_blocked(services, context, thread);
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
  name_server(services, context, reply);
  if (step > Step::session && !has_end) follow_write(services, context, reply);
  if (step > Step::session && has_end && is_whole) mark_session_ahead(context, reply);
  if (step > Step::session && is_whole) keep_under_scope(context, reply);
  if (is_whole) delay_reply(services, context, thread, reply);
}

std::optional<Reply> finish(Step step, const Services& services, RequestContext& context, ThreadState& thread,
                            std::optional<Reply> reply) {
  change(step, services, context, thread, *reply);
  services.ledger.observe(context, *reply, thread);
  return reply;
}

/// Decodes the body, so that it can be read. A body that cannot be decoded stays unchanged.
void unpack(http::Response& response) {
  constexpr std::size_t most_unpacked = 256u << 20;
  if (!response.headers.contains("Content-Encoding")) return;
  scrubbers::DecodedBody decoded = scrubbers::decode_body(response.headers, response.body, most_unpacked);
  if (!decoded.ok) return;
  response.body = std::move(decoded.body);
  response.headers.erase("Content-Encoding");
}

/// Shows complete responses of the end to `notes` before they are sent. Owns everything that it uses, because the
/// request may be gone by then.
class NotedExchange : public http::ForwardedExchange {
 public:
  NotedExchange(std::shared_ptr<http::Exchange> exchange, std::vector<ResponseNote> notes)
      : ForwardedExchange(std::move(exchange)), notes_(std::move(notes)) {}

  using ForwardedExchange::respond;
  void respond(http::Response response) override {
    note(response);
    inner_->respond(std::move(response));
  }
  void respond(http::Response head, http::SharedBytes body) override {
    http::Response whole = head;
    whole.body = body.bytes;
    note(std::move(whole));
    inner_->respond(std::move(head), std::move(body));
  }

 private:
  void note(http::Response response) const {
    unpack(response);
    for (const ResponseNote& one : notes_) one(response);
  }

  std::vector<ResponseNote> notes_;
};

}  // namespace

std::optional<Reply> answer(const Services& services, RequestContext& context, ThreadState& thread) {
  for (const Step step : all_steps) {
    if (!takes(step, services.options, context)) continue;
    if (step == Step::device && is_for_device(context)) return std::nullopt;
    if (auto reply = respond(step, services, context, thread)) {
      return finish(step, services, context, thread, std::move(reply));
    }
  }
  return std::nullopt;
}

void hand_over(const Services& services, std::shared_ptr<http::Exchange> exchange, const RequestContext& context) {
  std::vector<ResponseNote> notes = {note_of_login(services, context), note_of_overlays(services, context)};
  std::erase(notes, nullptr);
  if (!notes.empty()) exchange = std::make_shared<NotedExchange>(std::move(exchange), std::move(notes));
  services.options.end->handle(std::move(exchange), context);
}

}  // namespace tapedeck::replay
