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
  std::uint32_t part = 0;  ///< from 1: one above Aside::key of the compounds' parts that are this very call; 0: none is
  std::int64_t started_us = 0, ended_us = 0;
  api::Effect effect = api::Effect::read;
  api::Completeness completeness = api::Completeness::complete;
  std::optional<int> error_code;              ///< what the answer tells (docs/cassette-format.md); 0: success
  bool conditional = false;                   ///< answers a condition or range: in no sequence of its key
  std::uint32_t first_aside = 0, asides = 0;  ///< which of the asides are its own

  std::uint32_t lane = 0;     ///< 0 for calls without a session
  std::uint32_t segment = 0;  ///< state-changing calls of the lane before it
  std::uint32_t divides = 0;  ///< state-changing calls that it is: of a compound its parts that write
  bool passed_over = false;

  [[nodiscard]] bool complete() const { return completeness == api::Completeness::complete; }
  [[nodiscard]] bool played() const { return complete() && !passed_over && !conditional; }
};

/// An answer that is looked up by another key than its interaction's: a part of a compound, or the answer to a
/// condition or range. As with steps, first what decides and then what was decided.
struct Aside {
  std::uint32_t key = 0;    ///< equal for equal keys, among asides
  std::uint32_t place = 0;  ///< of a part in its compound, from 1; 0: the whole answer
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
  std::uint32_t count = 0;  ///< lane 0 aside
  std::map<std::uint32_t, SessionSpan> sessions;
};

struct LaneRules {
  /// In a scope every answer comes in its turn (toolkit §1): nothing is passed over.
  bool as_recorded = false;
  /// Of a take that was finished before: its sessions keep their lanes.
  const std::map<std::uint32_t, SessionSpan>* stored = nullptr;
};

/// Fills in the decisions. `steps` is what one take has of one scope, in its order. Sessions in the order of their
/// first request each go into the first lane whose last session has ended by then.
[[nodiscard]] Lanes assign_lanes(std::vector<Step>& steps, std::vector<Aside>& asides, const LaneRules& rules = {});

}  // namespace tapedeck::cassettes
