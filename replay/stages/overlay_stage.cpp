#include <algorithm>
#include <limits>

#include "api/json_spans.h"
#include "http/message/urlencoded.h"
#include "replay/chain/request_context.h"
#include "replay/chain/thread_state.h"
#include "replay/overlays/delay.h"
#include "replay/overlays/overlay_owner.h"
#include "replay/overlays/spec_check.h"
#include "replay/recorded/playable.h"
#include "replay/stages/stages.h"

namespace tapedeck::replay {
namespace {

using std::chrono::microseconds;

using ParamOf = std::function<std::optional<std::string>(std::string_view name)>;

/// Returns a function that finds the request's parameters for marks, of which there may be many.
ParamOf param_of(const RequestContext& context) {
  if (const api::Call* const call = context.parsed().call()) {
    return [call](std::string_view name) {
      const auto value = call->value(name);
      return value ? std::optional<std::string>(*value) : std::nullopt;
    };
  }
  return [pairs = http::parse_urlencoded(http::split_target(context.parsed().request().target).query)](
             std::string_view name) {
    const auto found = std::find_if(pairs.begin(), pairs.end(), [name](const auto& pair) { return pair.name == name; });
    return found == pairs.end() ? std::nullopt : std::optional<std::string>(found->value);
  };
}

TemplateValues values_of(const RequestContext& context, std::uint64_t count) {
  return {mark_values(context.session(), count), param_of(context)};
}

void set_head(const Overlay& overlay, http::Response& response) {
  if (overlay.status) {
    response.status = *overlay.status;
    response.reason = http::reason_phrase(*overlay.status);
  }
  for (const http::Header& line : overlay.headers) {
    response.headers.erase(line.name);
    if (!line.value.empty()) response.headers.add(line.name, line.value);
  }
}

std::optional<http::ConnectionFault> connection_fault_of(Fault fault) {
  switch (fault) {
    case Fault::reset:
      return http::ConnectionFault::reset;
    case Fault::close:
      return http::ConnectionFault::close;
    case Fault::hang:
      return http::ConnectionFault::hang;
    case Fault::garbage:
      return http::ConnectionFault::garbage;
    case Fault::cut:
    case Fault::empty:
      break;
  }
  return std::nullopt;
}

/// Delays the response as long as the recorded one took to its first byte and to each piece of its body.
void set_recorded_delay(const RequestContext& context, Reply& reply, const ThreadState& thread) {
  if (!reply.played) return;
  const Playable& playable = *reply.played->playable;
  std::optional<cassettes::FullInteraction> found;
  for (const auto& lookup : thread.cassettes) {
    if (!found) found = lookup->reader().get(playable.id());
  }
  if (!found) return;
  const auto& line = found->line;
  const auto since = [](std::int64_t from, std::int64_t to) {
    return microseconds(std::max<std::int64_t>(0, to - from));
  };
  std::int64_t last = line.first_byte_us > 0 ? line.first_byte_us : line.ended_us;
  DeliveryPlan& delivery = reply.plan();
  delivery.delay = since(line.started_us, last);
  delivery.in_recorded_time = true;
  if (reply.is_socket()) return;
  // The recorded times of pieces do not apply to a range or to a body from an overlay.
  const bool is_whole = reply.prepared && reply.outcome == Outcome::recorded &&
                        context.parsed().request().headers.first("Range") == std::nullopt;
  for (const api::StreamEvent& event : is_whole ? found->record.events : std::vector<api::StreamEvent>{}) {
    delivery.pace.push_back({since(last, event.at_us), playable.sent_place(context.session(), event.end)});
    last = std::max(last, event.at_us);
  }
  if (const auto rest = since(last, line.ended_us); rest.count() > 0 || !delivery.pace.empty()) {
    delivery.pace.push_back({rest, std::numeric_limits<std::size_t>::max()});
  }
}

void set_delay(const Delay& delay, const RequestContext& context, Reply& reply, const ThreadState& thread) {
  DeliveryPlan& delivery = reply.plan();
  delivery.pace.clear();
  delivery.delay.reset();
  if (const auto* const fixed = std::get_if<microseconds>(&delay)) {
    delivery.delay = *fixed;
  } else {
    set_recorded_delay(context, reply, thread);
  }
}

/// Replaces the recorded pace of a changed body by one delay until its end.
void forget_pace(Reply& reply) {
  if (!reply.delivery || reply.delivery->pace.empty()) return;
  std::vector<PacedPiece>& pace = reply.delivery->pace;
  microseconds all{};
  for (const PacedPiece& piece : pace) all += piece.wait;
  pace.assign(1, {all, std::numeric_limits<std::size_t>::max()});
}

/// Returns true if the part at `place` of a compound's response is a success.
bool part_succeeded(std::string_view body, std::size_t place) {
  const auto parts = api::compound_answers(body);
  return parts && place < parts->size() && api::json_member((*parts)[place], "success") == "true";
}

/// Returns the account for `account = "…"`. For a login, this is the account that the request names. Empty without an
/// account.
std::string overlay_account(const RequestContext& context) {
  const api::Call* const call = context.parsed().call();
  if (context.parsed().kind() == CallKind::login && call != nullptr) {
    return overlay_account_of(call->value("account").value_or(""));
  }
  const bool has_logged_in = context.session().kind() == Session::Kind::minted;
  return has_logged_in ? overlay_account_of(context.session().account().name) : std::string();
}

}  // namespace

MarkValues mark_values(const Session& session, std::uint64_t count) {
  return {session.id(), session.csrf_token(), session.device_id(), count};
}

void look_at_store(const RequestContext& context, const OverlayStore& store, ThreadState& thread) {
  if (context.parsed().part() || thread.overlay_version == store.version()) return;
  thread.overlay_version = store.version();
  thread.overlays = store.current();
}

std::string overlay_owner(const RequestContext& context) {
  if (context.run().text) return overlay_owner_of_run(*context.run().text);
  const std::string account = overlay_account(context);
  if (!account.empty()) return "account " + account;
  return context.session().kind() == Session::Kind::adopted ? "id " + context.session().id() : "nobody";
}

namespace {

/// Returns what rules examine of a request or of a part of a compound.
RuleSubject subject_of(const Services& services, const ParsedRequest& asked) {
  const scrubbers::PrivateProfile* const profile = services.options.private_values.get();
  if (asked.part()) return {asked.call(), {}, {}, profile};
  return {asked.call(), asked.request().method, asked.request().target, profile};
}

/// Returns the overlays that concern the request, or null if there are none.
std::shared_ptr<RequestOverlays> turn_of(const Services& services, RequestContext& context, ThreadState& thread) {
  look_at_store(context, services.overlays, thread);
  const OverlaySet& set = *thread.overlays;
  const ParsedRequest& asked = context.parsed();
  if (set.rules().empty()) return nullptr;
  const Remembered* const remembered = asked.remembered();
  if (remembered != nullptr && remembered->untouched_by == thread.overlay_version) return nullptr;
  auto turn = std::make_shared<RequestOverlays>();
  turn->candidates = set.candidates(subject_of(services, asked));
  bool has_parts = false;
  if (asked.kind() == CallKind::compound && !asked.part()) {
    if (const auto calls = asked.call()->parts()) {
      for (std::size_t place = 0; place < calls->size(); ++place) {
        auto candidates = set.candidates({&(*calls)[place], {}, {}, services.options.private_values.get()});
        has_parts = has_parts || !candidates.rules.empty();
        if (!candidates.noted.empty()) turn->parts.push_back({place, std::move(candidates)});
      }
    }
  }
  context.take_apart = context.take_apart || has_parts;
  if (turn->candidates.empty() && turn->parts.empty()) {
    if (remembered != nullptr && !has_parts && set.is_plain()) remembered->untouched_by = thread.overlay_version;
    return nullptr;
  }
  turn->set = thread.overlays;
  turn->owner = overlay_owner(context);
  return turn;
}

void set_fault(const Overlay& overlay, Reply& reply) {
  if (overlay.hold) reply.plan().is_held = true;
  if (overlay.cut_after) reply.plan().cut_after = overlay.cut_after;
  if (!overlay.fault) return;
  DeliveryPlan& delivery = reply.plan();
  delivery.connection_fault = connection_fault_of(*overlay.fault);
  delivery.is_cut = overlay.fault == Fault::cut;
  delivery.cut = overlay.cut;
}

/// Returns the reply for an overlay that cannot be applied.
Reply missed_overlay(const Services& services, const RequestContext& context, const Overlay& overlay,
                     const api::PatchError& error) {
  MissReport report;
  const api::Call* const call = context.parsed().call();
  report.key = call != nullptr ? shown_name(call->api() + "/" + call->version() + "/" + call->folded_method())
                               : std::string("a path that is not an API call");
  report.reason = "overlay \"" + shown_name(overlay.name) +
                  "\" cannot be applied: " + (error.path.empty() ? "" : shown_name(error.path) + ": ") +
                  shown_name(error.reason);
  report.hint =
      "correct " + overlay.file + ":" + std::to_string(overlay.line) + ", or put a \"test\" before its operations";
  return missed(services, context, report, 200);
}

Reply answer_of_overlay(const Services& services, const RequestContext& context, const RequestOverlays& turn) {
  const OverlayPlay& play = *turn.composition.answering;
  const Overlay& overlay = *play.overlay;
  Reply reply;
  reply.outcome = Outcome::overlay;
  reply.response.reason = http::reason_phrase(reply.response.status);
  reply.response.headers.add("Content-Type", overlay.body ? overlay.content_type : std::string(api::json_content_type));
  if (overlay.body && overlay.body->is_plain()) {
    reply.shared_body = http::SharedBytes{overlay.body->text(), overlay.body};
  } else if (overlay.body) {
    try {
      reply.response.body = overlay.body->render(values_of(context, play.count), turn.longest_body);
    } catch (const api::TooLong& error) {
      return missed_overlay(services, context, overlay, {"", error.what()});
    }
  }
  reply.response.headers.add("X-Tapedeck-Outcome", to_string(Outcome::overlay));
  set_head(overlay, reply.response);
  set_fault(overlay, reply);
  return reply;
}

/// The result of applying a patch.
enum class Change { made, passed_over, failed };

Change change_body(const Services& services, const RequestContext& context, const RequestOverlays& turn,
                   const OverlayPlay& play, Reply& reply) {
  const Overlay& overlay = *play.overlay;
  if (!overlay.patch && !overlay.merge) return Change::made;
  std::string room;
  const std::string_view before = reply.body_in(room);
  const TemplateText& text = overlay.patch ? *overlay.patch : *overlay.merge;
  const std::size_t most = turn.longest_body;
  api::Patched patched = api::PatchError{"", "the result of the overlay's marks is not JSON"};
  try {
    const std::string filled_in = text.is_plain() ? text.text() : text.render(values_of(context, play.count), most);
    if (overlay.merge) {
      if (api::is_json(filled_in)) patched = api::merge_patch(before, filled_in, {}, most);
    } else {
      patched = overlay.ready_patch ? overlay.ready_patch->apply(before, most)
                                    : api::JsonPatch::parse(filled_in).apply(before, most);
    }
  } catch (const std::logic_error& error) {  // invalid or too long
    patched = api::PatchError{"", error.what()};
  }
  const bool is_test_failed = std::holds_alternative<api::PatchTestFailed>(patched);
  finish_play(play, turn.owner, !is_test_failed, services.overlays.counts());
  if (is_test_failed) return Change::passed_over;
  if (auto* const body = std::get_if<std::string>(&patched)) {
    reply.set_body(std::move(*body));
    forget_pace(reply);
    return Change::made;
  }
  reply = missed_overlay(services, context, overlay, std::get<api::PatchError>(patched));
  return Change::failed;
}

/// Applies overlays from the bottom to the top, each one to the result of those below it.
void adjust(const Services& services, const RequestContext& context, const ThreadState& thread,
            const RequestOverlays& turn, Reply& reply) {
  const auto& adjusting = turn.composition.adjusting;
  std::vector<const Overlay*> names;
  if (turn.composition.answering) names.push_back(turn.composition.answering->overlay.get());
  for (auto play = adjusting.rbegin(); play != adjusting.rend(); ++play) {
    const Overlay& overlay = *play->overlay;
    const Change change = change_body(services, context, turn, *play, reply);
    if (change == Change::passed_over) continue;
    names.push_back(&overlay);
    if (change == Change::failed) break;
    if (overlay.status || !overlay.headers.empty()) {
      reply.to_head();
      set_head(overlay, reply.response);
    }
    if (overlay.patch || overlay.merge || overlay.status || !overlay.headers.empty()) {
      if (reply.outcome != Outcome::miss) reply.set_outcome(Outcome::overlay);
    }
    if (play->overlay->delay) set_delay(*play->overlay->delay, context, reply, thread);
    set_fault(overlay, reply);
  }
  if (names.empty()) return;
  constexpr std::size_t longest_names = 1'000;  // limit for a header that clients accept
  std::string text;
  for (auto overlay = names.rbegin(); overlay != names.rend(); ++overlay) {
    if (text.size() > longest_names) {
      text += ", ...";
      break;
    }
    text.append(text.empty() ? "" : ", ").append(shown_name((*overlay)->name));
  }
  reply.plan().names = text;
  reply.add_header("X-Tapedeck-Overlay", text);
}

/// Notes successful calls for `after`.
void note_calls(const Services& services, const RequestOverlays& turn, std::string_view body, bool with_parts) {
  const auto verdict = api::verdict(body);
  if (verdict && verdict->success) note_success(turn.candidates, turn.owner, services.overlays.counts());
  for (const NotedPart& part : with_parts ? turn.parts : std::vector<NotedPart>()) {
    if (part_succeeded(body, part.place)) note_success(part.candidates, turn.owner, services.overlays.counts());
  }
}

/// Warns once for each overlay whose response to a specified operation violates the specification.
void compare_with_spec(const Services& services, const RequestContext& context, const RequestOverlays& turn,
                       const Reply& reply) {
  if (!services.options.on_warning || reply.outcome != Outcome::overlay ||
      (reply.delivery && reply.delivery->connection_fault))
    return;
  const auto is_first = [](const OverlayPlay& play) { return play.is_first; };
  const auto& adjusting = turn.composition.adjusting;
  const auto& answering = turn.composition.answering;
  const bool is_news = (answering && answering->is_first) || std::any_of(adjusting.begin(), adjusting.end(), is_first);
  const api::OperationSpec* const spec = is_news ? spec_of(context.parsed().call()) : nullptr;
  if (spec == nullptr) return;
  std::string room;
  for (const std::string& difference : spec_differences(*spec, reply.body_in(room))) {
    services.options.on_warning("overlay " + reply.delivery->names + " differs from the specification, section " +
                                std::string(spec->section) + ": " + difference);
  }
}

void apply_overlays(const Services& services, const RequestContext& context, const ThreadState& thread,
                    const RequestOverlays& turn, Reply& reply) {
  adjust(services, context, thread, turn, reply);
  const bool is_sent = !reply.delivery || !reply.delivery->connection_fault;
  if (is_sent && !(turn.candidates.noted.empty() && turn.parts.empty())) {
    std::string room;
    note_calls(services, turn, reply.body_in(room), !context.take_apart);  // parts that were taken apart are noted
  }
  compare_with_spec(services, context, turn, reply);
}

}  // namespace

std::optional<Reply> answer_by_overlay(const Services& services, RequestContext& context, ThreadState& thread) {
  auto turn = turn_of(services, context, thread);
  if (!turn) return std::nullopt;
  turn->longest_body = services.options.longest_body;
  const std::string account = overlay_account(context);
  turn->composition =
      turn->set->compose(turn->candidates, {account, context.run().name, turn->owner}, services.overlays.counts());
  if (!turn->composition.answering) {
    context.overlays = std::move(turn);
    return std::nullopt;
  }
  Reply reply = answer_of_overlay(services, context, *turn);
  if (const auto& delay = turn->composition.answering->overlay->delay) set_delay(*delay, context, reply, thread);
  apply_overlays(services, context, thread, *turn, reply);
  return reply;
}

std::optional<Reply> answer_simulated(const Services& services, RequestContext& context) {
  const auto& set = services.overlays.simulated();
  if (!set) return std::nullopt;
  RequestOverlays turn;
  turn.set = set;
  turn.owner = overlay_owner(context);
  turn.candidates = set->candidates(subject_of(services, context.parsed()));
  turn.longest_body = services.options.longest_body;
  turn.composition = set->compose(turn.candidates, {overlay_account(context), context.run().name, turn.owner},
                                  services.overlays.counts());
  if (!turn.composition.answering) return std::nullopt;
  Reply reply = answer_of_overlay(services, context, turn);
  reply.is_simulated = true;
  return reply;
}

ResponseNote note_of_overlays(const Services& services, const RequestContext& context) {
  const std::shared_ptr<RequestOverlays>& turn = context.overlays;
  if (!turn || (turn->candidates.noted.empty() && turn->parts.empty())) return nullptr;
  return [&services, turn](const http::Response& response) { note_calls(services, *turn, response.body, true); };
}

void change_by_overlay(const Services& services, RequestContext& context, const ThreadState& thread, Reply& reply) {
  if (context.overlays) apply_overlays(services, context, thread, *context.overlays, reply);
}

void delay_reply(const Services& services, const RequestContext& context, const ThreadState& thread, Reply& reply) {
  if (reply.delivery && reply.delivery->delay) return;
  if (services.options.delay) set_delay(*services.options.delay, context, reply, thread);
  const microseconds wait = reply.played ? reply.played->wait : microseconds(0);
  if (wait.count() > 0) reply.plan().delay = std::max(reply.plan().delay.value_or(wait), wait);
}

}  // namespace tapedeck::replay
