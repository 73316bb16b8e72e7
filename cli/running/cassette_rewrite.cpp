#include "cli/running/cassette_rewrite.h"

#include <filesystem>
#include <iostream>

#include "cli/reports/finish_report.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"

namespace tapedeck::cli {
namespace {

template <class Write>
cassettes::FinishReport with_progress(scrubbers::Scrubber* scrubber, const Write& write) {
  FinishProgress progress;
  cassettes::RewriteOptions options;
  options.scrubber = scrubber;
  options.progress = progress.shown();
  return write(options);
}

}  // namespace

std::unique_ptr<scrubbers::Scrubber> scrubber_for(const RuleOptions& options, const cassettes::CassetteInfo& info) {
  scrubbers::ScrubberOptions scrubbing;
  scrubbing.rules = rule_set(options);
  scrubbing.base_path = info.base_path;
  scrubbing.key_policy = info.key_policy;
  return std::make_unique<scrubbers::Scrubber>(std::move(scrubbing));
}

cassettes::FinishReport rewrite(cassettes::Rewriting& rewriting, cassettes::Material& content,
                                scrubbers::Scrubber* scrubber) {
  if (rewriting.leftover()) {
    std::cerr << "tapedeck: note: the recording of a killed recorder is now in " << printable(rewriting.path())
              << ", unverified\n";
  }
  return with_progress(scrubber, [&](const auto& options) { return rewriting.write(content, options); });
}

cassettes::FinishReport write_new(const std::string& path, cassettes::Material& content,
                                  scrubbers::Scrubber* scrubber) {
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    if (std::filesystem::is_directory(path, ignored)) throw UsageError(path + " is a folder; name a file");
    throw UsageError(path + " already exists\nhint: choose another name");
  }
  return with_progress(scrubber, [&](const auto& options) { return cassettes::write_new(path, content, options); });
}

int report_rewrite(const cassettes::FinishReport& report, const std::string& cassette, bool json) {
  if (json) {
    print_finish_json(report, cassette);
  } else if (report.finished) {
    print_finish(report, cassette, ScrubbedAgain::listed);
  } else {
    const bool is_named = report.failure.starts_with(cassette);
    std::cerr << "tapedeck: " << (is_named ? "" : printable(cassette) + ": ") << printable(report.failure) << '\n';
    for (const std::string& finding : report.findings) std::cerr << "  " << printable(finding) << '\n';
  }
  return finish_status(report);
}

std::vector<std::string> whole_ids(const cassettes::CassetteReader& cassette, const std::string& path,
                                   const std::vector<std::string>& ids) {
  std::vector<std::string> whole;
  for (const std::string& id : ids) {
    const auto found = cassette.get(id);
    if (!found) throw UsageError("no such interaction: " + id + " in " + path + "\nhint: `tapedeck ls` lists the IDs");
    whole.push_back(found->line.id);
  }
  return whole;
}

}  // namespace tapedeck::cli
