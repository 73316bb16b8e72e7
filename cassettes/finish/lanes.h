#pragma once
// Lanes, divisions and what is passed over (semantics §2), as a pure function of one take.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "api/interaction.h"
#include "api/write_guard.h"

namespace tapedeck::cassettes {

/// One interaction of a take: what decides about its lane, and what was decided.
struct Step {
  std::uint32_t session = 0;  ///< 0: without one
  std::uint32_t key = 0;      ///< equal for equal keys
  std::int64_t started_us = 0, ended_us = 0;
  api::Effect effect = api::Effect::read;
  api::Completeness completeness = api::Completeness::complete;
  std::optional<int> error_code;  ///< of the answer's envelope; 0: success

  std::uint32_t lane = 0;     ///< 0 for calls without a session
  std::uint32_t segment = 0;  ///< state-changing calls of the lane before it
  bool passed_over = false;

  [[nodiscard]] bool complete() const { return completeness == api::Completeness::complete; }
  [[nodiscard]] bool played() const { return complete() && !passed_over; }
};

struct SessionSpan {
  std::int64_t first_us = 0, last_us = 0;
  std::uint32_t lane = 0;
};

struct Lanes {
  std::uint32_t count = 0;  ///< lane 0 aside
  std::map<std::uint32_t, SessionSpan> sessions;
};

/// Fills in the decisions. `steps` is one take in its order. Sessions in the order of their first request each go into
/// the first lane whose last session has ended by then.
[[nodiscard]] Lanes assign_lanes(std::vector<Step>& steps);

}  // namespace tapedeck::cassettes
