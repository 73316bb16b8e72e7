#include "cli/running/cassette_rewrite.h"

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/finish_report.h"
#include "cli/reports/progress_bar.h"
#include "tools/content/rewrite.h"

namespace tapedeck::cli {
namespace {

template <class Write>
cassettes::FinishReport with_progress(scrubbers::Scrubber* scrubber, const Write& write) {
  ProgressBar progress;
  cassettes::RewriteOptions options;
  options.scrubber = scrubber;
  options.progress = progress.steps_until_stopped();
  return write(options);
}

void list_gone(const cassettes::CassetteReader& reader, const std::unordered_set<std::uint64_t>& gone, bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  reader.list([&](const cassettes::ListedInteraction& line) {
    if (!gone.contains(tools::id_number(line.id))) return true;
    if (json) {
      list.push_back(
          {{"id", line.id}, {"take", line.take}, {"scope", api::shown_scope(line.scope)}, {"key", line.key}});
    } else {
      const std::string scope = line.scope.empty() ? "" : "  in " + printable(api::shown_scope(line.scope));
      std::cout << fmt::format("{}  {:>4}  {:>6}  {}{}{}\n", line.id, line.take, status_text(line), note_of(line),
                               printable(line.key), scope);
    }
    return true;
  });
  if (json) {
    cli::print_json(list);
  } else {
    std::cout << fmt::format("Would remove {} of {} interactions\n", gone.size(), reader.info().interactions);
  }
}

}  // namespace

std::unique_ptr<scrubbers::Scrubber> scrubber_for(const RuleOptions& options, const cassettes::CassetteInfo& info,
                                                  std::shared_ptr<scrubbers::PrivateProfile> profile) {
  scrubbers::ScrubberOptions scrubbing;
  scrubbing.profile = std::move(profile);
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
  for (const std::string& id : ids) whole.push_back(interaction_named(cassette, path, id).line.id);
  return whole;
}

int remove(cassettes::Rewriting& rewriting, const std::unordered_set<std::uint64_t>& gone, bool only_list, bool json) {
  const cassettes::CassetteReader& reader = rewriting.reader();
  if (only_list) {
    list_gone(reader, gone, json);
    return fine;
  }
  if (gone.empty() && !json) {
    std::cout << "Nothing to remove\n";
    return fine;
  }
  tools::KeptMaterial part(rewriting.content(), reader, [&](const cassettes::ListedInteraction& line) {
    return !gone.contains(tools::id_number(line.id));
  });
  const cassettes::FinishReport report = rewrite(rewriting, part);
  if (report.finished && !json) std::cout << fmt::format("Removed {} interactions\n", gone.size());
  return report_rewrite(report, rewriting.path(), json);
}

}  // namespace tapedeck::cli
