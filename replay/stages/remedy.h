#pragma once
// Finds the remedy for a miss: one that makes this request match, tried on the cassettes before it is shown.

#include "replay/chain/thread_state.h"
#include "replay/stages/stages.h"

namespace tapedeck::replay {

/// Sets hint and remedy to recording the request: the whole scope again, or else what is missing.
void suggest_recording(const ReplayOptions& options, const RequestContext& context, ThreadState& thread,
                       MissReport& report);
/// Sets hint and remedy to options that would replay the nearest recording, if they are safe. Otherwise suggests
/// recording, and says why ignoring the difference would be a guess.
void suggest_options(const ReplayOptions& options, RequestContext& context, ThreadState& thread, MissReport& report);
/// Sets `renames` if the request's scope is unknown and looks like renamed ones: scopes that contain the call, did not
/// run, and have a similar name. The hint has the first one. `scopes` are the stored names that contain the call.
void suggest_rename(const Services& services, const RequestContext& context, const std::vector<std::string>& scopes,
                    ThreadState& thread, MissReport& report);
/// Returns the options that would make the recording match. Empty if there are none or too many.
[[nodiscard]] std::vector<std::string> matching_options(const Comparison& comparison);

}  // namespace tapedeck::replay
