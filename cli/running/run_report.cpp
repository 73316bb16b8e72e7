#include "cli/running/run_report.h"

#include <fmt/format.h>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "inspector/shown.h"
#include "replay/replay_handler.h"

namespace tapedeck::cli {
namespace {

using Json = nlohmann::json;  // sorts the members, so that reports can be compared

constexpr std::size_t most_printed = 10;

using NoticeKind = replay::Notice::Kind;

/// How the report shows notices of one kind.
struct NoticeForm {
  NoticeKind kind;
  const char* member;                 ///< of a scope in the JSON report
  std::string_view strict_word = {};  ///< word of --strict that makes it a failure; empty: it is always one
  const char* title = nullptr;        ///< of its lines in the summary, which has other lines for the first two
  const char* group = nullptr;        ///< of its own test case outside of scopes, if any
  const char* failure = nullptr;
  std::uint64_t replay::ReplayStats::*count = nullptr;  ///< of its title
};
constexpr NoticeForm forms[] = {
    {NoticeKind::miss, "misses"},
    {NoticeKind::fallback, "fallbacks", "fallback"},
    {NoticeKind::order, "out_of_order", "order", "responses out of order", "tapedeck.order",
     "responses were replayed out of their recorded order", &replay::ReplayStats::out_of_order},
    {NoticeKind::scope, "out_of_scope", "scope", "responses from another scope or none", nullptr, nullptr,
     &replay::ReplayStats::out_of_scope},
    {NoticeKind::past_end, "past_end", "past-end", "responses past the end of a sequence", "tapedeck.past-end",
     "a response was repeated after the end of its sequence", &replay::ReplayStats::past_end},
    {NoticeKind::builtin_effect, "derived_builtin", "derived", "responses that built-in effects changed",
     "tapedeck.derived", "built-in effects made or changed the response", &replay::ReplayStats::builtin_effects},
    {NoticeKind::derived, "derived", "derived", "responses that declared effects changed", "tapedeck.derived",
     "effects made or changed the response", &replay::ReplayStats::derived},
    {NoticeKind::builtin_error, "builtin_errors", "builtin-error", "built-in errors", nullptr, nullptr,
     &replay::ReplayStats::builtin_errors}};

const NoticeForm& form_of(NoticeKind kind) {
  return *std::find_if(std::begin(forms), std::end(forms), [kind](const NoticeForm& one) { return one.kind == kind; });
}

/// Returns the scope name without the run.
std::string scope_of(const std::string& text) { return text.substr(0, text.rfind('#')); }

std::string where(const replay::SequenceUse& use) {
  return use.scope.empty() ? std::string() : " in scope " + api::shown_scope(use.scope);
}

void print_lines(const std::vector<std::string>& lines, std::uint64_t all) {
  for (std::size_t i = 0; i < lines.size() && i < most_printed; ++i) std::cerr << "  " << printable(lines[i]) << '\n';
  if (all > most_printed) std::cerr << "  … and " << all - most_printed << " more\n";
}

Json uses_json(const std::vector<replay::SequenceUse>& uses) {
  Json list = Json::array();
  for (const replay::SequenceUse& use : uses) list.push_back(inspector::shown_use(use));
  return list;
}

/// Returns for each scope how it ran, its misses, and its unplayed recordings.
Json scopes_json(const RunReport& report) {
  Json scopes = Json::object();
  const auto entry = [&scopes](const std::string& name) -> Json& {
    Json& one = scopes[name];
    if (one.is_null()) one = {{"ran", false}, {"unused", Json::array()}, {"unfinished", Json::array()}};
    return one;
  };
  for (const std::string& name : report.scopes) entry(name)["ran"] = true;
  for (const replay::Notice& notice : report.notices) {
    if (notice.scope.empty()) continue;
    entry(scope_of(notice.scope))[form_of(notice.kind).member].push_back(notice.text);
  }
  for (const auto& use : report.unplayed.unused) {
    if (!use.scope.empty()) entry(api::shown_scope(use.scope))["unused"].push_back(use.key);
  }
  for (const auto& use : report.unplayed.unfinished) {
    if (!use.scope.empty()) entry(api::shown_scope(use.scope))["unfinished"].push_back(use.key);
  }
  return scopes;
}

}  // namespace

std::vector<std::string> RunReport::lines(NoticeKind kind) const {
  std::vector<std::string> lines;
  for (const replay::Notice& notice : notices) {
    if (notice.kind != kind) continue;
    lines.push_back(notice_line(notice));
  }
  return lines;
}

RunReport gather_report(ReplayRun& run, int command_status, const Strict& strict) {
  RunReport report;
  report.command_status = command_status;
  report.strict = strict;
  report.damaged = run.is_damaged();
  report.stats = run.handler().stats();
  report.notices = run.notices();
  report.scopes = run.handler().scopes_that_ran();
  for (journal::JournalTotal& total : run.control().journal()->totals()) {
    if (total.outcome == "fallback") report.fallbacks.push_back(std::move(total));
  }
  report.refused = run.server().refused();
  report.refusals = run.refusals();
  report.unused_overlays = unused_overlays(run.handler().overlays());
  if (!report.damaged) report.unplayed = run.unplayed();
  const EventCounts happened = run.event_counts(report.unplayed);
  const bool is_broken = strict.is_broken(happened);
  std::copy_if(happened.begin(), happened.end(), std::back_inserter(report.broken),
               [&](const auto& one) { return one.second > 0 && strict.has(one.first); });
  report.exit_status = command_status != 0 ? command_status
                       : report.damaged    ? static_cast<int>(run_failed)
                       : is_broken         ? static_cast<int>(incomplete)
                                           : static_cast<int>(fine);
  return report;
}

void hide(RunReport& report, const std::function<std::string(std::string_view text)>& shown) {
  for (replay::Notice& notice : report.notices) {
    notice.text = shown(notice.text);
    notice.scope = shown(notice.scope);
  }
  for (journal::JournalTotal& total : report.fallbacks) {
    total.api = shown(total.api);
    total.method = shown(total.method);
  }
  for (std::string& name : report.unused_overlays) name = shown(name);
  for (std::string& name : report.scopes) name = shown(name);
  for (std::string& line : report.refusals) line = shown(line);
  for (auto* const uses : {&report.unplayed.unused, &report.unplayed.unfinished}) {
    for (replay::SequenceUse& use : *uses) {
      use.key = shown(use.key);
      use.scope = shown(use.scope);
    }
  }
}

void print_report(const RunReport& report) {
  const replay::ReplayStats& stats = report.stats;
  std::cerr << fmt::format("tapedeck exec: command status {}; {}\n", report.command_status, counts_line(stats));
  print_lines(report.lines(NoticeKind::miss), stats.distinct_misses);
  if (report.refused > 0) std::cerr << fmt::format("refused requests: {}\n", report.refused);
  print_lines(report.refusals, report.refusals.size());
  for (const NoticeForm& form : forms) {
    if (form.title == nullptr) continue;
    const std::uint64_t others = form.kind == NoticeKind::derived ? stats.builtin_effects : 0;
    const std::uint64_t count = stats.*form.count - others;
    const bool is_shown = form.kind != NoticeKind::builtin_error || report.strict.has(form.strict_word);
    if (count == 0 || !is_shown) continue;
    const std::vector<std::string> lines = report.lines(form.kind);
    std::cerr << fmt::format("{}: {}\n", form.title, count);
    print_lines(lines, lines.size());
  }
  std::vector<std::string> lines;
  for (const auto& one : report.fallbacks) {
    lines.push_back(fmt::format("fallback: {} {}, {} times", one.api, one.method, one.count));
  }
  print_lines(lines, lines.size());
  lines.clear();
  if (!report.unused_overlays.empty()) {
    std::cerr << fmt::format("unused overlays: {}\n", report.unused_overlays.size());
    print_lines(report.unused_overlays, report.unused_overlays.size());
  }
  std::cerr << fmt::format("unused recordings: {}\n", report.unplayed.unused_recordings);
  if (report.strict.has("unused")) {
    for (const auto& use : report.unplayed.unused)
      lines.push_back(fmt::format("{} ({}){}", use.key, use.recordings, where(use)));
    print_lines(lines, report.unplayed.unused_sequences);
    lines.clear();
  }
  std::cerr << fmt::format("unfinished sequences: {}\n", report.unplayed.unfinished_sequences);
  if (report.strict.has("unfinished")) {
    for (const auto& use : report.unplayed.unfinished) {
      lines.push_back(fmt::format("{} ({} of {}){}", use.key, use.played, use.recordings, where(use)));
    }
    print_lines(lines, report.unplayed.unfinished_sequences);
  }
  std::cerr << std::flush;
}

std::string report_json(const RunReport& report) {
  const replay::ReplayStats& stats = report.stats;
  Json fallbacks = Json::array();
  for (const auto& one : report.fallbacks) {
    fallbacks.push_back({{"api", one.api}, {"method", one.method}, {"count", one.count}});
  }
  const Json object = {{"command_status", report.command_status},
                       {"exit_status", report.exit_status},
                       {"strict", report.strict.any()},
                       {"damaged", report.damaged},
                       {"counters",
                        {{"recorded", stats.recorded},
                         {"overlay", stats.overlay},
                         {"derived", stats.derived},
                         {"derived_builtin", stats.builtin_effects},
                         {"past_end", stats.past_end},
                         {"builtin", stats.builtin},
                         {"fallback", stats.fallback},
                         {"miss", stats.misses},
                         {"out_of_order", stats.out_of_order},
                         {"out_of_scope", stats.out_of_scope},
                         {"builtin_errors", stats.builtin_errors},
                         {"distinct_misses", stats.distinct_misses},
                         {"refused", report.refused}}},
                       {"misses", report.lines(NoticeKind::miss)},
                       {"refused", report.refusals},
                       {"fallbacks", std::move(fallbacks)},
                       {"unused_overlays", report.unused_overlays},
                       {"out_of_order", report.lines(NoticeKind::order)},
                       {"out_of_scope", report.lines(NoticeKind::scope)},
                       {"past_end", report.lines(NoticeKind::past_end)},
                       {"derived", report.lines(NoticeKind::derived)},
                       {"derived_builtin", report.lines(NoticeKind::builtin_effect)},
                       {"unused_recordings", report.unplayed.unused_recordings},
                       {"unused", uses_json(report.unplayed.unused)},
                       {"unfinished_sequences", report.unplayed.unfinished_sequences},
                       {"unfinished", uses_json(report.unplayed.unfinished)},
                       {"scopes", scopes_json(report)}};
  return readable_json(object, 2) + "\n";
}

namespace {

bool fails(const Strict& strict, const NoticeForm& form) {
  return form.strict_word.empty() || strict.has(form.strict_word) ||
         (form.kind == NoticeKind::builtin_effect && strict.has(Strict::builtin_effect));
}

/// Words of --strict that have no other test case, or none outside of scopes.
constexpr std::string_view counted_words[] = {"unused", "unfinished", "scope", "unverified", "builtin-error"};

/// Returns the failures in all runs of that scope, one a line.
std::string failure_of(const RunReport& report, const std::string& scope) {
  std::string failure;
  for (const replay::Notice& notice : report.notices) {
    if (notice.scope != scope && !notice.scope.starts_with(scope + "#")) continue;
    const NoticeForm& form = form_of(notice.kind);
    if (!fails(report.strict, form)) continue;
    failure.append(failure.empty() ? "" : "\n").append(notice.text);
    if (form.failure != nullptr) failure.append(": ").append(form.failure);
  }
  for (const replay::SequenceUse& use : report.unplayed.unfinished) {
    if (!report.strict.has("unfinished") || api::shown_scope(use.scope) != scope) continue;
    failure.append(failure.empty() ? "" : "\n").append(use.key).append(": not replayed to its end");
  }
  return failure;
}

void add_cases(const RunReport& report, Suite& suite) {
  const bool ended_well = report.command_status == 0;
  suite.add("tapedeck.command", "the command exits with status 0",
            ended_well ? "" : "exited with status " + std::to_string(report.command_status));
  if (report.damaged) suite.add("tapedeck.cassette", "the cassettes are intact", "a cassette is damaged");
  if (report.recording_status != 0) {
    suite.add("tapedeck.recording", "the recording is complete",
              "ended with status " + std::to_string(report.recording_status));
  }
  bool missed = false;
  for (const replay::Notice& notice : report.notices) {
    if (notice.kind != NoticeKind::miss) continue;
    missed = true;
    if (!notice.scope.empty()) continue;
    suite.add("tapedeck.miss", notice.text.substr(0, notice.text.find("; ")), notice.text);
  }
  if (!missed) suite.add("tapedeck.miss", "every request has a response", "");
  for (const auto& one : report.fallbacks) {
    const std::string count =
        std::to_string(one.count) + " responses were generated from the specification; none is recorded";
    suite.add("tapedeck.fallback", one.api + " " + one.method, report.strict.has("fallback") ? count : "");
  }
  for (const replay::Notice& notice : report.notices) {
    const NoticeForm& form = form_of(notice.kind);
    if (form.group == nullptr || !notice.scope.empty()) continue;
    suite.add(form.group, notice.text, fails(report.strict, form) ? form.failure : "");
  }
  for (const auto& [word, count] : report.broken) {
    if (std::find(std::begin(counted_words), std::end(counted_words), word) == std::end(counted_words)) continue;
    suite.add("tapedeck.strict", std::string(word), "happened: " + std::to_string(count));
  }
  for (const std::string& line : report.refusals) {
    suite.add("tapedeck.refused", "a request was refused", report.strict.has("refused") ? line : "");
  }
  const bool wants_all = report.strict.has("overlay-unused");
  for (const std::string& name : report.unused_overlays) {
    suite.add("tapedeck.overlay", name, wants_all ? "the overlay was never used" : "");
  }
  for (const std::string& scope : report.scopes) suite.add("tapedeck.scope", scope, failure_of(report, scope));
}

}  // namespace

Suite report_suite(const RunReport& report, std::string name) {
  Suite suite;
  suite.name = std::move(name);
  add_cases(report, suite);
  const replay::ReplayStats& stats = report.stats;
  suite.output =
      fmt::format("recorded {}, built in {}, fallbacks {}, misses {}; unused recordings {}, unfinished sequences {}",
                  stats.recorded, stats.builtin, stats.fallback, stats.misses, report.unplayed.unused_recordings,
                  report.unplayed.unfinished_sequences);
  return suite;
}

}  // namespace tapedeck::cli
