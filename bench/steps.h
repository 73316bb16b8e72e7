#pragma once
// Represents requests and their expected responses: the list that wrk sends, the checks before and after, and the
// static files that nginx serves.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::bench {

/// The placeholder of the session ID in targets and expected responses.
inline constexpr char id_mark = '\x01';
[[nodiscard]] std::string with_id(std::string_view text, std::string_view id);

struct Step {
  std::string target;
  std::string form = {};                ///< body of a POST; empty for a GET
  std::string outcome = "recorded";     ///< X-Tapedeck-Outcome
  std::string body = {};                ///< the whole response; if it is empty, any that contains all of `holds`
  std::vector<std::string> holds = {};  ///< pieces of the response
  std::uint64_t file = 0;               ///< the number of the static file with its response
};
using Steps = std::vector<Step>;

/// Returns the session ID for a request, given its number among all requests.
using IdOf = std::function<std::string(std::uint64_t place)>;

/// Writes the whole requests in the form that bench/load.lua reads: those of the calls, or (`files`) those of the
/// static files with their responses. The latter have the same method and form, and the ID in a query, so that wrk does
/// the same work.
void write_list(const Steps& steps, std::uint16_t port, bool files, const std::filesystem::path& list);

/// Sends the request of each step and throws if a response is not the expected one. Returns the bodies.
std::vector<std::string> check_steps(const Steps& steps, std::uint16_t port, const IdOf& id_of);
/// Writes these bodies to files that are named after the steps' numbers.
void write_step_files(const Steps& steps, const std::vector<std::string>& bodies, const std::filesystem::path& folder);
/// Requests each file from a static server and throws if the body differs.
void check_step_files(const Steps& steps, const std::vector<std::string>& bodies, std::uint16_t port);

}  // namespace tapedeck::bench
