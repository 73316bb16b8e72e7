#include "cassettes/finish/lanes.h"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>

#include "api/envelope.h"

namespace tapedeck::cassettes {

namespace {

/// The end of a session for lanes.
struct SessionEnd {
  std::uint32_t account = 0;
  std::int64_t last_us = INT64_MIN;     ///< end of its last call
  std::int64_t last_start = INT64_MIN;  ///< start of its last call that was not refused because the session had ended
  bool has_ended = false;
  bool has_handshake = false;

  /// Returns true if another session that begins at that time can continue after it.
  [[nodiscard]] bool is_before(std::int64_t start, const SessionEnd& next) const {
    return last_us <= start || (has_ended && account == next.account && last_start <= start);
  }
};

/// The end of a lane so far.
struct LaneEnd {
  SessionEnd session;                           ///< its last session
  std::map<std::uint32_t, bool> has_handshake;  ///< by account: whether its sessions in this lane have a handshake

  [[nodiscard]] bool may_continue_with(const SessionEnd& next, std::int64_t start) const {
    const auto known = has_handshake.find(next.account);
    const bool is_of_kind = next.account == 0 || known == has_handshake.end() || known->second == next.has_handshake;
    return is_of_kind && session.is_before(start, next);
  }
};

std::map<std::uint32_t, SessionEnd> ends_of_sessions(const std::vector<Step>& steps) {
  std::map<std::uint32_t, SessionEnd> ends;
  for (const Step& step : steps) {
    if (step.session == 0) continue;
    SessionEnd& end = ends[step.session];
    end.account = std::max(end.account, step.account);
    end.last_us = std::max(end.last_us, step.ended_us);
    if (!api::ends_session(step.error_code)) end.last_start = std::max(end.last_start, step.started_us);
    end.has_ended = end.has_ended || step.ends_session;
    end.has_handshake = end.has_handshake || step.has_handshake;
  }
  return ends;
}

Lanes lanes_of_sessions(const std::vector<Step>& steps) {
  Lanes lanes;
  const std::map<std::uint32_t, SessionEnd> ends = ends_of_sessions(steps);
  for (const Step& step : steps) {
    if (step.session == 0) continue;
    const auto [found, is_new] = lanes.sessions.try_emplace(step.session, SessionSpan{step.started_us, step.ended_us});
    found->second.first_us = std::min(found->second.first_us, step.started_us);
    found->second.last_us = std::max(found->second.last_us, step.ended_us);
  }
  std::vector<std::pair<std::uint32_t, SessionSpan*>> by_start;
  for (auto& [number, span] : lanes.sessions) by_start.emplace_back(number, &span);
  std::sort(by_start.begin(), by_start.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.second->first_us, a.second->last_us, a.first) <
           std::tuple(b.second->first_us, b.second->last_us, b.first);
  });
  std::vector<LaneEnd> last;
  for (const auto& [number, span] : by_start) {
    const SessionEnd& own = ends.at(number);
    const auto is_free = [&own, begin = span->first_us](const LaneEnd& end) {
      return end.may_continue_with(own, begin);
    };
    auto lane = std::find_if(last.begin(), last.end(),
                             [&](const LaneEnd& end) { return end.session.account == own.account && is_free(end); });
    if (lane == last.end()) lane = std::find_if(last.begin(), last.end(), is_free);
    span->lane = static_cast<std::uint32_t>(lane - last.begin()) + 1;
    if (lane == last.end()) lane = last.emplace(last.end());
    lane->session = own;
    lane->has_handshake.emplace(own.account, own.has_handshake);
  }
  lanes.count = static_cast<std::uint32_t>(last.size());
  return lanes;
}

/// Returns the lanes that are stored. A session that was only found by scrubbing again gets a separate lane.
Lanes stored_lanes(const std::vector<Step>& steps, const std::map<std::uint32_t, SessionSpan>& stored) {
  Lanes lanes;
  std::map<std::uint32_t, SessionSpan> found_now;
  for (const Step& step : steps) {
    if (step.session == 0 || lanes.sessions.contains(step.session)) continue;
    if (const auto known = stored.find(step.session); known != stored.end()) {
      lanes.sessions.insert(*known);
      lanes.count = std::max(lanes.count, known->second.lane);
    } else {
      found_now.try_emplace(step.session, SessionSpan{step.started_us, step.ended_us});
    }
  }
  for (auto& [number, span] : found_now) {
    span.lane = ++lanes.count;
    lanes.sessions.emplace(number, span);
  }
  return lanes;
}

/// The responses of one account in one lane.
struct Place {
  std::uint32_t lane = 0, account = 0, key = 0;
  auto operator<=>(const Place&) const = default;
};

/// Decides which responses to one key of one account in one lane are skipped, from the last to the first. The response
/// to a part of a compound also counts as one to that call.
class PassedOver {
 public:
  /// The first pass, over all responses that can be replayed.
  void see(const Place& place, std::optional<int> error_code) {
    if (!api::ends_session(error_code)) has_other_.insert(place);
  }
  /// The second pass.
  [[nodiscard]] bool operator()(const Place& place, std::optional<int> error_code) {
    if (error_code == 0) succeeds_later_.insert(place);
    if (error_code == 105) return succeeds_later_.contains(place);
    return api::ends_session(error_code) && has_other_.contains(place);
  }

 private:
  std::set<Place> has_other_, succeeds_later_;
};

std::span<Aside> asides_of(const Step& step, std::vector<Aside>& asides) {
  return std::span(asides).subspan(step.first_aside, step.asides);
}

/// Marks skipped responses. Considers only responses that can be replayed, because incomplete ones explain nothing.
class Marking {
 public:
  Marking(std::vector<Step>& steps, std::vector<Aside>& asides) : steps_(steps), asides_(asides) {}

  void run() {
    for (const Step& step : steps_) {
      if (step.complete()) see(step);
    }
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      if (step->complete()) mark(*step);
    }
  }

 private:
  void see(const Step& step) {
    of(step).see(place(step), step.error_code);
    for (const Aside& aside : asides_of(step, asides_)) beside_.see(place(step, aside.key), aside.error_code);
  }

  void mark(Step& step) {
    const std::span<Aside> its = asides_of(step, asides_);
    for (auto aside = its.rbegin(); aside != its.rend(); ++aside) {
      aside->passed_over = beside_(place(step, aside->key), aside->error_code);
    }
    step.passed_over = of(step)(place(step), step.error_code) || is_of_ends_passed_over(step, its);
  }

  /// Returns true for a compound response in which all parts report the end of a session and all parts are skipped.
  /// Replay composes a response from the other responses to these parts.
  static bool is_of_ends_passed_over(const Step& step, std::span<const Aside> its) {
    return api::ends_session(step.error_code) && !its.empty() &&
           std::all_of(its.begin(), its.end(), [](const Aside& aside) { return aside.passed_over; });
  }

  PassedOver& of(const Step& step) { return step.part == 0 ? own_ : beside_; }
  static Place place(const Step& step, std::uint32_t key) { return {step.lane, step.account, key}; }
  static Place place(const Step& step) { return place(step, step.part == 0 ? step.key : step.part - 1); }

  std::vector<Step>& steps_;
  std::vector<Aside>& asides_;
  PassedOver own_, beside_;
};

/// Numbers the step and its parts in the lane, after `writes` writes. A write that failed and was repeated counts once,
/// where it succeeded.
void divide(Step& step, std::span<Aside> asides, std::uint32_t& writes) {
  step.segment = writes;
  for (Aside& aside : asides) {
    aside.segment = writes + step.divides;
    step.divides += aside.divides() ? 1 : 0;
  }
  // If the parts of a compound cannot be read, the compound counts as one write.
  if (asides.empty() && step.effect == api::Effect::write && step.played()) step.divides = 1;
  writes += step.divides;
}

/// Divides the steps of connections of socket.io.
void divide_connections(std::vector<Step>& steps) {
  // By connection, the times at which messages of the client began.
  std::unordered_map<std::uint32_t, std::vector<std::int64_t>> sent;
  for (Step& step : steps) {
    if (step.connection == 0 || step.effect != api::Effect::write || !step.played()) continue;
    sent[step.connection].push_back(step.started_us);
    step.divides = 1;
  }
  for (auto& [connection, times] : sent) std::sort(times.begin(), times.end());
  for (Step& step : steps) {
    const auto found = sent.find(step.connection);
    if (step.connection == 0 || found == sent.end()) continue;
    const bool is_message = step.effect == api::Effect::write;
    const std::vector<std::int64_t>& times = found->second;
    const auto before = std::lower_bound(times.begin(), times.end(), is_message ? step.started_us : step.ended_us);
    step.segment = static_cast<std::uint32_t>(before - times.begin());
  }
}

}  // namespace

Lanes assign_lanes(std::vector<Step>& steps, std::vector<Aside>& asides, const LaneRules& rules) {
  Lanes lanes = rules.stored ? stored_lanes(steps, *rules.stored) : lanes_of_sessions(steps);
  for (Step& step : steps) step.lane = step.session == 0 ? 0 : lanes.sessions.at(step.session).lane;
  if (!rules.as_recorded) Marking(steps, asides).run();
  // A file contains the numbers of lanes, so they must not size memory.
  std::unordered_map<std::uint32_t, std::uint32_t> writes;
  for (Step& step : steps) {
    if (step.connection == 0) divide(step, asides_of(step, asides), writes[step.lane]);
  }
  divide_connections(steps);
  return lanes;
}

}  // namespace tapedeck::cassettes
