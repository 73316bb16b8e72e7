#include "cassettes/finish/lanes.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace tapedeck::cassettes {

namespace {

/// Errors after which a client logs in, or waits, and asks again (semantics §2).
bool is_asked_again(const Step& step) {
  return step.complete() && step.error_code &&
         (*step.error_code == 105 || *step.error_code == 106 || *step.error_code == 107 || *step.error_code == 119);
}

Lanes lanes_of_sessions(const std::vector<Step>& steps) {
  Lanes lanes;
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
  std::vector<std::int64_t> busy_until;
  for (const auto& [number, span] : by_start) {
    const std::int64_t start = span->first_us;
    const auto free = std::find_if(busy_until.begin(), busy_until.end(), [&](auto end) { return end <= start; });
    span->lane = static_cast<std::uint32_t>(free - busy_until.begin()) + 1;
    if (free == busy_until.end()) {
      busy_until.push_back(span->last_us);
    } else {
      *free = span->last_us;
    }
  }
  lanes.count = static_cast<std::uint32_t>(busy_until.size());
  return lanes;
}

void mark_passed_over(std::vector<Step>& steps) {
  std::unordered_set<std::uint64_t> succeed_later;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const std::uint64_t place = std::uint64_t{step->lane} << 32 | step->key;
    if (step->complete() && step->error_code == 0) succeed_later.insert(place);
    step->passed_over = is_asked_again(*step) && succeed_later.contains(place);
  }
}

}  // namespace

Lanes assign_lanes(std::vector<Step>& steps) {
  Lanes lanes = lanes_of_sessions(steps);
  for (Step& step : steps) step.lane = step.session == 0 ? 0 : lanes.sessions.at(step.session).lane;
  mark_passed_over(steps);
  std::vector<std::uint32_t> writes(lanes.count + 1, 0);
  for (Step& step : steps) {
    step.segment = writes[step.lane];
    // A write that was refused and is asked again later divides only once, where it succeeds.
    if (step.effect == api::Effect::write && step.played()) ++writes[step.lane];
  }
  return lanes;
}

}  // namespace tapedeck::cassettes
