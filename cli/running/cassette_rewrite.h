#pragma once
// Rewrites a cassette for a command: shows progress, stops at a signal, and prints the result.

#include <string>
#include <unordered_set>
#include <vector>

#include "cassettes/finish/rewrite.h"
#include "cli/options/rule_options.h"

namespace tapedeck::cli {

/// Returns the scrubber for a cassette that a user changes, with the rules of the options and of the last take, and
/// with the pseudonyms of `profile` unless it is null.
[[nodiscard]] std::unique_ptr<scrubbers::Scrubber> scrubber_for(
    const RuleOptions& options, const cassettes::CassetteInfo& info,
    std::shared_ptr<scrubbers::PrivateProfile> profile = nullptr);

/// Replaces the content of the cassette by `content`. `scrubber` may be null if nothing is edited.
[[nodiscard]] cassettes::FinishReport rewrite(cassettes::Rewriting& rewriting, cassettes::Material& content,
                                              scrubbers::Scrubber* scrubber = nullptr);
/// Writes a new cassette. Throws UsageError if a file with that name exists.
[[nodiscard]] cassettes::FinishReport write_new(const std::string& path, cassettes::Material& content,
                                                scrubbers::Scrubber* scrubber = nullptr);

/// Prints the result on standard output and returns the exit status.
[[nodiscard]] int report_rewrite(const cassettes::FinishReport& report, const std::string& cassette, bool json);

/// Expands abbreviated IDs, which have at least four digits. Throws UsageError for an ID that the cassette does not
/// have.
[[nodiscard]] std::vector<std::string> whole_ids(const cassettes::CassetteReader& cassette, const std::string& path,
                                                 const std::vector<std::string>& ids);

/// Rewrites the cassette without these interactions, whose IDs are results of tools::id_number(). With `only_list`,
/// only lists them. Returns the exit status.
[[nodiscard]] int remove(cassettes::Rewriting& rewriting, const std::unordered_set<std::uint64_t>& gone, bool only_list,
                         bool json);

}  // namespace tapedeck::cli
