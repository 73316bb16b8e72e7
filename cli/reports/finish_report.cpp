#include "cli/reports/finish_report.h"

#include <algorithm>
#include <iostream>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "base/shell_word.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"

namespace tapedeck::cli {
namespace {

/// Git hosting services warn about files of this size.
constexpr std::uint64_t large_cassette = std::uint64_t{50} << 20;

/// Returns text such as "response body 2 by json-password, request target 1 by param-sid".
std::string changes_of(const cassettes::ScrubbedAgain& change) {
  std::string text;
  for (const cassettes::Added& added : change.added) {
    text += fmt::format("{}{} {} by {}", text.empty() ? "" : ", ", scrubbers::to_string(added.part), added.count,
                        printable(added.rule));
  }
  if (!change.withheld.empty()) text += (text.empty() ? "" : ", ") + ("withheld: " + printable(change.withheld));
  return text.empty() ? "existing redactions were extended" : text;
}

void print_scrubbed_again(const cassettes::FinishReport& report, const std::string& cassette, ScrubbedAgain how) {
  if (report.scrubbed_late == 0) return;
  std::cout << "scrubbed again: " << counted(report.scrubbed_late, "interaction");
  if (how == ScrubbedAgain::counted) {
    const std::string& file = report.finished ? cassette : report.quarantined;
    if (!file.empty())
      std::cout << fmt::format("; `tapedeck show {} ID` shows the rules", printable(base::shell_word(file)));
    std::cout << '\n';
    return;
  }
  std::cout << '\n';
  for (const cassettes::ScrubbedAgain& change : report.scrubbed_again) {
    std::cout << fmt::format("  {}  {}: {}\n", change.id, printable(change.key), changes_of(change));
  }
  const std::uint64_t more = report.scrubbed_late - report.scrubbed_again.size();
  if (more > 0) std::cout << fmt::format("  and {} more\n", more);
}

/// Prints where the new take is if it could not be added to the cassette.
void print_left(const cassettes::FinishReport& report, const std::string& cassette) {
  const std::string file = printable(report.left);
  if (report.left.ends_with(".recording")) {
    std::cout << fmt::format(
        "LEFT: the new recording is still in {}\nhint: `tapedeck scrub {}` tries again to finish it\n", file,
        printable(base::shell_word(cassette)));
  } else {
    std::cout << fmt::format("LEFT: the new take is in {} (scrubbed)\nhint: `tapedeck merge` adds it to a cassette\n",
                             file);
  }
}

nlohmann::ordered_json json_of(const cassettes::ScrubbedAgain& change) {
  nlohmann::ordered_json added = nlohmann::ordered_json::array();
  for (const cassettes::Added& row : change.added) {
    added.push_back({{"part", scrubbers::to_string(row.part)}, {"rule", row.rule}, {"count", row.count}});
  }
  nlohmann::ordered_json out = {{"id", change.id}, {"key", change.key}, {"added", std::move(added)}};
  if (!change.withheld.empty()) out["withheld"] = change.withheld;
  return out;
}

}  // namespace

void print_conflicts(const std::vector<cassettes::Conflict>& conflicts, const std::string& cassette) {
  constexpr std::size_t most = 10;
  if (conflicts.empty()) return;
  std::cout << fmt::format(
      "AMBIGUOUS: replay cannot tell the recordings of {} apart, because they differ only in secrets "
      "that no response contains\n",
      counted(conflicts.size(), "request"));
  for (const cassettes::Conflict& one : std::span(conflicts).first(std::min(most, conflicts.size()))) {
    const std::string scope = one.scope.empty() ? "" : " (scope " + printable(api::shown_scope(one.scope)) + ")";
    std::cout << "  " << printable(one.key) << scope << '\n';
  }
  std::cout << fmt::format("hint: record each of them in a scope of its own; `tapedeck ls --conflicts {}` lists them\n",
                           printable(base::shell_word(cassette)));
}

void print_learned_headers(const std::vector<std::string>& headers) {
  for (const std::string& name : headers) {
    std::cout << fmt::format(
        "HEADER: {} tells requests apart: recordings that differ in it have different responses, so replay matches "
        "it\n",
        printable(name));
  }
}

void print_drawn_parameters(const std::vector<cassettes::DrawnParameter>& parameters) {
  constexpr std::size_t most = 10;
  if (parameters.empty()) return;
  std::cout << "DRAWN: clients draw these values anew, and no response depends on them\n";
  for (const cassettes::DrawnParameter& one : std::span(parameters).first(std::min(most, parameters.size()))) {
    std::cout << fmt::format("  {}:{} in {}\n", printable(one.api), printable(one.name),
                             counted(one.requests, "request"));
  }
  if (parameters.size() > most) std::cout << fmt::format("  and {} more\n", parameters.size() - most);
  std::cout << "hint: replay with --ignore auto, so that other values match, too\n";
}

void print_finish(const cassettes::FinishReport& report, const std::string& cassette, ScrubbedAgain scrubbed_again) {
  if (report.finished) {
    std::cout << printable(cassette) << " contains " << counted(report.interactions, "interaction") << '\n';
  } else {
    // The failure text also names the cassette.
    std::string why = report.failure;
    if (why.starts_with(cassette + ": ")) why.erase(0, cassette.size() + 2);
    if (why.starts_with(cassette + " ")) why.replace(0, cassette.size(), "it");
    std::cout << fmt::format("{} is not finished: {}\n", printable(cassette), printable(why));
  }
  print_scrubbed_again(report, cassette, scrubbed_again);
  if (report.finished && report.unverified > 0) {
    std::cout << fmt::format(
        "UNVERIFIED: {} {} killed or quarantined; the secrets that {} had learned are unknown and may still be in "
        "{}\nhint: give them to `tapedeck scrub --values FILE`\n",
        counted(report.unverified, "take"), report.unverified == 1 ? "was" : "were",
        report.unverified == 1 ? "it" : "they", printable(cassette));
  }
  if (!report.left.empty()) print_left(report, cassette);
  if (report.finished && report.bytes > large_cassette) {
    std::cout << fmt::format(
        "{} is large ({})\nhint: `tapedeck rm` removes unused recordings; `tapedeck export` copies a part\n",
        printable(cassette), human_bytes(report.bytes));
  }
  if (report.finished) print_conflicts(report.conflicts, cassette);
  for (const std::string& one : report.withheld) std::cout << "WITHHELD: " << printable(one) << '\n';
  if (!report.quarantined.empty()) {
    std::cout << fmt::format("LEAK: {} and {} found; the file is now {}\n",
                             counted(report.learned_values_found, "learned value"), counted(report.suspects, "suspect"),
                             printable(report.quarantined));
  }
  for (const std::string& finding : report.findings) std::cout << "  " << printable(finding) << '\n';
  if (report.allowed > 0) std::cout << fmt::format("reviewed: {} allowed\n", counted(report.allowed, "suspect"));
  for (const std::string& fingerprint : report.unmatched) {
    std::cout << fmt::format("--allow {}: no suspect has this fingerprint\n", fingerprint);
  }
  std::cout << std::flush;
}

void print_finish_json(const cassettes::FinishReport& report, const std::string& cassette) {
  nlohmann::ordered_json out;
  out["cassette"] = cassette;
  out["finished"] = report.finished;
  if (!report.failure.empty()) out["failure"] = report.failure;
  if (!report.quarantined.empty()) out["quarantined"] = report.quarantined;
  if (!report.left.empty()) out["left"] = report.left;
  out["interactions"] = report.interactions;
  out["unverified"] = report.unverified;
  out["scrubbed_again"] = report.scrubbed_late;
  out["changes"] = nlohmann::ordered_json::array();
  for (const cassettes::ScrubbedAgain& change : report.scrubbed_again) out["changes"].push_back(json_of(change));
  out["learned_found"] = report.learned_values_found;
  out["suspects"] = report.suspects;
  out["allowed"] = report.allowed;
  out["findings"] = report.findings;
  out["withheld"] = report.withheld;
  out["unmatched"] = report.unmatched;
  print_json(out);
}

int finish_status(const cassettes::FinishReport& report) {
  if (report.learned_values_found > 0 || !report.quarantined.empty()) return incomplete;
  if (report.finished && (!report.withheld.empty() || report.unverified > 0)) return incomplete;
  if (report.finished) return fine;
  using Kind = cassettes::CassetteError::Kind;
  const bool is_unusable =
      report.fault == Kind::damaged || report.fault == Kind::not_a_cassette || report.fault == Kind::too_new;
  return is_unusable ? usage : run_failed;
}

}  // namespace tapedeck::cli
