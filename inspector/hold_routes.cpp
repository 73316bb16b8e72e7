// The routes of the control API for responses that overlays with `hold` keep back (docs/mocking.md).

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/envelope.h"
#include "api/json_spans.h"
#include "inspector/input.h"
#include "inspector/routes.h"
#include "replay/replay_handler.h"

namespace tapedeck::inspector {
namespace {

using nlohmann::json;
using replay::HeldChange;
using replay::HeldReply;

http::ConnectionFault fault_in(const json& object) {
  const std::string name = text_in(object, "fault");
  if (name == "close") return http::ConnectionFault::close;
  if (name == "reset") return http::ConnectionFault::reset;
  throw BadInput("fault must be close or reset");
}

HeldChange change_in(const json& object) {
  constexpr std::uint64_t largest_code = 1'000'000;
  HeldChange change;
  const int kinds = (object.contains("error") ? 1 : 0) + (object.contains("body") ? 1 : 0);
  if (kinds > 1) throw BadInput("error and body cannot be used together");
  if (object.contains("fault")) {
    if (kinds > 0 || object.contains("status")) throw BadInput("with a fault, nothing is sent");
    change.fault = fault_in(object);
  }
  if (const auto status = number_in(object, "status", 599)) {
    if (*status < 200) throw BadInput("status must be from 200 to 599");
    change.status = static_cast<int>(*status);
  }
  if (const auto code = number_in(object, "error", largest_code)) {
    change.body = api::error_envelope(static_cast<api::ErrorCode>(*code), "");
  }
  if (object.contains("body")) {
    change.body = text_in(object, "body");
    if (!api::is_json(*change.body)) throw BadInput("body must be JSON");
  }
  return change;
}

/// Returns the responses that the call names by "request", "overlay", or "all".
std::vector<HeldReply> meant(const json& object, std::vector<HeldReply> held) {
  const auto number = number_in(object, "request", largest_number);
  const bool by_overlay = object.contains("overlay"), all = object.contains("all");
  if ((number ? 1 : 0) + (by_overlay ? 1 : 0) + (all ? 1 : 0) != 1) {
    throw BadInput("one of \"request\", \"overlay\", and \"all\":true is required");
  }
  if (all && object["all"] != json(true)) throw BadInput("all must be true");
  const std::string overlay = by_overlay ? text_in(object, "overlay") : std::string();
  std::erase_if(held, [&](const HeldReply& one) {
    if (by_overlay) return (", " + one.overlay + ", ").find(", " + overlay + ", ") == std::string::npos;
    return number && one.number != *number;
  });
  return held;
}

}  // namespace

ControlResponse Control::held(const ControlCall& /*call*/) {
  using std::chrono::duration_cast, std::chrono::milliseconds, std::chrono::steady_clock;
  json list = json::array();
  for (const HeldReply& one : subject_.replay->held().list()) {
    const auto waited = duration_cast<milliseconds>(steady_clock::now() - one.since);
    list.push_back({{"request", one.number}, {"overlay", one.overlay}, {"waiting_ms", waited.count()}});
  }
  const auto longest = duration_cast<milliseconds>(replay::HeldReplies::longest);
  return good({{"held", std::move(list)}, {"longest_ms", longest.count()}, {"most", replay::HeldReplies::most}});
}

ControlResponse Control::release_held(const ControlCall& call) {
  const HeldChange change = change_in(call.object);
  replay::HeldReplies& held = subject_.replay->held();
  json released = json::array();
  for (const HeldReply& one : meant(call.object, held.list())) {
    if (held.release(one.number, change)) released.push_back(one.number);
  }
  return good({{"released", std::move(released)}});
}

}  // namespace tapedeck::inspector
