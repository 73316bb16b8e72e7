#pragma once
// Computes lanes, segments, and skipped responses of one take (docs/replay.md, "Sequences, lanes, and positions"),
// without side effects.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "api/interaction.h"
#include "api/write_guard.h"

namespace tapedeck::cassettes {

/// One interaction of a take: the input for its lane, and the result.
struct Step {
  std::uint32_t session = 0;  ///< 0: no session
  std::uint32_t key = 0;      ///< equal for equal keys
  std::uint32_t part =
      0;  ///< from 1: one more than Aside::key of the parts of compounds that are the same call; 0: none
  std::int64_t started_us = 0, ended_us = 0;
  api::Effect effect = api::Effect::read;
  api::Completeness completeness = api::Completeness::complete;
  std::optional<int> error_code;              ///< from the response (docs/cassette-format.md); 0: success
  bool conditional = false;                   ///< responds to a condition or range, so it is in no sequence of its key
  std::uint32_t first_aside = 0, asides = 0;  ///< its own asides

  std::uint32_t lane = 0;     ///< 0 for calls without a session
  std::uint32_t segment = 0;  ///< writes of the lane before it
  std::uint32_t divides = 0;  ///< the number of writes that it is: the writing parts of a compound
  bool passed_over = false;

  [[nodiscard]] bool complete() const { return completeness == api::Completeness::complete; }
  [[nodiscard]] bool played() const { return complete() && !passed_over && !conditional; }
};

/// A response that is looked up by another key than its interaction's: a part of a compound, or the response to a
/// condition or range. As in Step, first the input and then the result.
struct Aside {
  std::uint32_t key = 0;    ///< equal for equal keys, among asides
  std::uint32_t place = 0;  ///< the place of a part in its compound, from 1; 0: the whole response
  std::uint32_t secrets = 0;  ///< RequestSecrets::add
  api::Effect effect = api::Effect::read;
  std::optional<int> error_code;

  std::uint32_t segment = 0;
  bool passed_over = false;

  [[nodiscard]] bool divides() const { return place > 0 && effect == api::Effect::write && !passed_over; }
};

struct SessionSpan {
  std::int64_t first_us = 0, last_us = 0;
  std::uint32_t lane = 0;
};

struct Lanes {
  std::uint32_t count = 0;  ///< without lane 0
  std::map<std::uint32_t, SessionSpan> sessions;
};

struct LaneRules {
  /// In a scope, every response is replayed in order, and none is skipped.
  bool as_recorded = false;
  /// For a take that was finished before: its sessions keep their lanes.
  const std::map<std::uint32_t, SessionSpan>* stored = nullptr;
};

/// Fills in the results. `steps` are what one take has of one scope, in recorded order. Sessions, in the order of their
/// first request, go into the first lane whose last session has ended by then.
[[nodiscard]] Lanes assign_lanes(std::vector<Step>& steps, std::vector<Aside>& asides, const LaneRules& rules = {});

}  // namespace tapedeck::cassettes
