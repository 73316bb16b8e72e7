#pragma once
// Requests one by one, with what must come back: what wrk sends as a list, what is checked before and after, and the
// static files that nginx has beside it.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::bench {

/// Stands for the session's id, in a target and in the answer that is expected.
inline constexpr char id_mark = '\x01';
[[nodiscard]] std::string with_id(std::string_view text, std::string_view id);

struct Step {
  std::string target;
  std::string form = {};                ///< not empty: a POST with this body
  std::string outcome = "recorded";     ///< X-Tapedeck-Outcome
  std::string body = {};                ///< the whole answer; empty: any one that holds all of `holds`
  std::vector<std::string> holds = {};  ///< pieces of the answer
  std::uint64_t file = 0;               ///< its answer among the static files, by number
};
using Steps = std::vector<Step>;

/// The id of the step with that place, counted over all that are asked.
using IdOf = std::function<std::string(std::uint64_t place)>;

/// The whole requests, as bench/load.lua reads them: of the calls, or of the static files of their answers. Those have
/// the same method and form, and the id in a query, so that wrk has the same to do.
void write_list(const Steps& steps, std::uint16_t port, bool files, const std::filesystem::path& list);

/// Asks for each step in turn and throws when an answer is not the expected one. Returns the bodies that came.
std::vector<std::string> check_steps(const Steps& steps, std::uint16_t port, const IdOf& id_of);
/// Writes those bodies under the steps' numbers.
void write_step_files(const Steps& steps, const std::vector<std::string>& bodies, const std::filesystem::path& folder);
/// Asks a static server for each and throws when it sends another body.
void check_step_files(const Steps& steps, const std::vector<std::string>& bodies, std::uint16_t port);

}  // namespace tapedeck::bench
