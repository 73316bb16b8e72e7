#pragma once
// Computes lanes, segments, and skipped responses of one take (docs/matching.md, "Sequences, lanes, and positions").
// Has no side effects.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "api/interaction.h"
#include "api/write_guard.h"

namespace tapedeck::cassettes {

/// One interaction of a take, with the input for its lane and the result.
struct Step {
  std::uint32_t session = 0;     ///< 0 without a session
  std::uint32_t account = 0;     ///< account of the session, or of a login; 0: unknown
  std::uint32_t key = 0;         ///< equal for equal keys
  std::uint32_t connection = 0;  ///< one more than the number of the ID of a connection of socket.io; 0: none
  std::uint32_t part = 0;        ///< one more than Aside::key of the parts of compounds that are the same call; 0: none
  std::int64_t started_us = 0, ended_us = 0;
  api::Effect effect = api::Effect::read;
  api::Completeness completeness = api::Completeness::complete;
  std::optional<int> error_code;              ///< error code of the response (docs/cassette-format.md); 0: success
  bool has_handshake = false;                 ///< a login that the device answered with a handshake
  bool ends_session = false;                  ///< a logout, or a response that reports the end of the session
  std::uint32_t first_aside = 0, asides = 0;  ///< range of its asides

  std::uint32_t lane = 0;  ///< 0 for calls without a session
  /// Writes of the lane before it. In a connection of socket.io: messages of the client that were sent before it or,
  /// for a poll, before its response. They divide only this connection's sequences.
  std::uint32_t segment = 0;
  std::uint32_t divides = 0;  ///< number of writes in it: 0 or 1, or the writing parts of a compound
  bool passed_over = false;

  [[nodiscard]] bool complete() const { return completeness == api::Completeness::complete; }
  [[nodiscard]] bool played() const { return complete() && !passed_over; }
};

/// A part of a compound, whose response is looked up by the part's own key. As in Step, the first members are input and
/// the others are the result.
struct Aside {
  std::uint32_t key = 0;      ///< equal for equal keys, among asides
  std::uint32_t place = 0;    ///< its place in the compound, from 1
  std::uint32_t secrets = 0;  ///< result of RequestSecrets::add
  api::Effect effect = api::Effect::read;
  std::optional<int> error_code;

  std::uint32_t segment = 0;
  bool passed_over = false;

  [[nodiscard]] bool divides() const { return effect == api::Effect::write && !passed_over; }
};

struct SessionSpan {
  std::int64_t first_us = 0, last_us = 0;
  std::uint32_t lane = 0;
};

struct Lanes {
  std::uint32_t count = 0;  ///< number of lanes without lane 0
  std::map<std::uint32_t, SessionSpan> sessions;
};

struct LaneRules {
  /// Replays every response in order and skips none, as in a scope.
  bool as_recorded = false;
  /// For a take that is already finished: its sessions keep their lanes.
  const std::map<std::uint32_t, SessionSpan>* stored = nullptr;
};

/// Fills in the results. `steps` are the interactions of one take in one scope, in recorded order. Sessions are
/// assigned in the order of their first request. Each goes into a lane whose last session has already ended, if
/// possible one of the same account. Sessions of one account with and without a handshake are in different lanes,
/// because the device gives them different rights. A login may overlap the last calls of a session of its account that
/// has ended.
[[nodiscard]] Lanes assign_lanes(std::vector<Step>& steps, std::vector<Aside>& asides, const LaneRules& rules = {});

}  // namespace tapedeck::cassettes
