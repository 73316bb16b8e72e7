#pragma once
// Which interactions of a cassette are meant (toolkit §4): the filters of `ls`, for every command that takes a part.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::tools {

/// What became of a recorded call.
enum class Outcome {
  ok,        ///< complete; its envelope says success, or it has none and a status below 400
  error,     ///< complete, and anything else
  broken,    ///< cut, badly framed, timed out
  withheld,  ///< could not be scrubbed with certainty
};
[[nodiscard]] Outcome outcome_of(const cassettes::ListedInteraction& line);
[[nodiscard]] std::string_view to_string(Outcome outcome);
[[nodiscard]] std::optional<Outcome> outcome_named(std::string_view word);

/// "404", "4xx", or with the envelope's error code as `ls` shows it: "200/105", "/105" for any status.
struct StatusFilter {
  int low = 0, high = 999;  ///< HTTP statuses, both included
  std::optional<int> code;  ///< of the envelope
  [[nodiscard]] static std::optional<StatusFilter> parse(std::string_view text);
  [[nodiscard]] bool has(const cassettes::ListedInteraction& line) const;
};

/// Microseconds since the epoch: "2026-11-22", "2026-11-22T16:00", "2026-11-22 16:00:05" (UTC, a Z may end it), or back
/// from `now_us`: "90s", "30m", "2h", "3d", "1w".
[[nodiscard]] std::optional<std::int64_t> time_of(std::string_view text, std::int64_t now_us);

/// Several values of one kind are alternatives; an empty list lets all pass. The kinds all have to fit.
struct Selection {
  std::vector<std::string> apis;     ///< with or without the first label; "Core.*" for all below
  std::vector<std::string> methods;  ///< compared case-folded; of what is no call the verb
  std::vector<std::string> scopes;   ///< decoded names; empty: what was recorded without one
  std::vector<std::uint32_t> takes;
  std::vector<Outcome> outcomes;
  std::vector<StatusFilter> statuses;
  std::optional<std::int64_t> since_us, until_us;  ///< of its start; `since` included, `until` not
  std::vector<std::string> ids;                    ///< as `ls` shows them, or their first digits

  [[nodiscard]] bool has(const cassettes::ListedInteraction& line) const;
  /// Nothing was asked for: all interactions are meant.
  [[nodiscard]] bool is_all() const;
};

/// The API and method of a key's text, once for all that share it.
struct CallName {
  bool is_call = false;
  std::string label, api;  ///< first label, and what follows; of what is no call empty
  std::string version;
  std::string method;  ///< case-folded; of what is no call the verb
};
[[nodiscard]] CallName call_name(std::string_view key_text);
/// "Core.Share", "SVC.Core.Share", "Core.*", "*".
[[nodiscard]] bool fits_api(std::string_view pattern, const CallName& name);

}  // namespace tapedeck::tools
