#pragma once
// A cassette that is rewritten by a command: with a bar, until it is whole or a signal stops it.

#include <string>
#include <vector>

#include "cassettes/finish/rewrite.h"
#include "cli/options/rule_options.h"

namespace tapedeck::cli {

/// The scrubber for what people bring into a cassette, as the options and its last take have it.
[[nodiscard]] std::unique_ptr<scrubbers::Scrubber> scrubber_for(const RuleOptions& options,
                                                                const cassettes::CassetteInfo& info);

/// `content` takes the cassette's place. `scrubber` may be null where nothing is edited.
[[nodiscard]] cassettes::FinishReport rewrite(cassettes::Rewriting& rewriting, cassettes::Material& content,
                                              scrubbers::Scrubber* scrubber = nullptr);
/// A new cassette. Throws UsageError when something is at that name.
[[nodiscard]] cassettes::FinishReport write_new(const std::string& path, cassettes::Material& content,
                                                scrubbers::Scrubber* scrubber = nullptr);

/// Says what became of it, on standard output; the exit status.
[[nodiscard]] int report_rewrite(const cassettes::FinishReport& report, const std::string& cassette, bool json);

/// Ids as people give them, with four digits or more, made whole. Throws UsageError for one that is not there.
[[nodiscard]] std::vector<std::string> whole_ids(const cassettes::CassetteReader& cassette, const std::string& path,
                                                 const std::vector<std::string>& ids);

}  // namespace tapedeck::cli
