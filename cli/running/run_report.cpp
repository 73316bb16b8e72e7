#include "cli/running/run_report.h"

#include <fmt/format.h>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "inspector/shown.h"

namespace tapedeck::cli {
namespace {

using nlohmann::json;

constexpr std::size_t most_printed = 10;

using NoticeKind = replay::Notice::Kind;

constexpr std::pair<NoticeKind, const char*> kind_names[] = {{NoticeKind::miss, "misses"},
                                                             {NoticeKind::order, "out_of_order"},
                                                             {NoticeKind::scope, "out_of_scope"},
                                                             {NoticeKind::builtin_error, "builtin_errors"},
                                                             {NoticeKind::past_end, "past_end"},
                                                             {NoticeKind::derived, "derived"},
                                                             {NoticeKind::builtin_effect, "derived_builtin"}};

/// Returns the scope name without the run.
std::string scope_of(const std::string& text) { return text.substr(0, text.rfind('#')); }

std::string where(const replay::SequenceUse& use) {
  return use.scope.empty() ? std::string() : " in scope " + api::shown_scope(use.scope);
}

void print_lines(const std::vector<std::string>& lines, std::uint64_t all) {
  for (std::size_t i = 0; i < lines.size() && i < most_printed; ++i) std::cerr << "  " << printable(lines[i]) << '\n';
  if (all > most_printed) std::cerr << "  … and " << all - most_printed << " more\n";
}

json uses_json(const std::vector<replay::SequenceUse>& uses) {
  json list = json::array();
  for (const replay::SequenceUse& use : uses) list.push_back(inspector::shown_use(use));
  return list;
}

/// Returns for each scope how it ran, its misses, and its unplayed recordings.
json scopes_json(const RunReport& report) {
  json scopes = json::object();
  const auto entry = [&scopes](const std::string& name) -> json& {
    json& one = scopes[name];
    if (one.is_null()) one = {{"ran", false}, {"unused", json::array()}, {"unfinished", json::array()}};
    return one;
  };
  for (const std::string& name : report.scopes) entry(name)["ran"] = true;
  for (const replay::Notice& notice : report.notices) {
    if (notice.scope.empty()) continue;
    const auto* const kind = std::find_if(std::begin(kind_names), std::end(kind_names),
                                          [&](const auto& k) { return k.first == notice.kind; });
    entry(scope_of(notice.scope))[kind->second].push_back(notice.text);
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
  for (journal::JournalTotal& total : run.journal()->totals()) {
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
  const auto print_kind = [&](NoticeKind kind, const char* title, std::uint64_t count) {
    if (count == 0) return;
    const std::vector<std::string> lines = report.lines(kind);
    std::cerr << fmt::format("{}: {}\n", title, count);
    print_lines(lines, lines.size());
  };
  print_kind(NoticeKind::order, "responses out of order", stats.out_of_order);
  print_kind(NoticeKind::scope, "responses from another scope or none", stats.out_of_scope);
  print_kind(NoticeKind::past_end, "responses past the end of a sequence", stats.past_end);
  print_kind(NoticeKind::builtin_effect, "responses that built-in effects changed", stats.builtin_effects);
  print_kind(NoticeKind::derived, "responses that declared effects changed", stats.derived - stats.builtin_effects);
  if (report.strict.has("builtin-error"))
    print_kind(NoticeKind::builtin_error, "built-in errors", stats.builtin_errors);
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
  json fallbacks = json::array();
  for (const auto& one : report.fallbacks) {
    fallbacks.push_back({{"api", one.api}, {"method", one.method}, {"count", one.count}});
  }
  const json object = {{"command_status", report.command_status},
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
  return base::printable_json(object.dump(2, ' ', false, json::error_handler_t::replace)) + "\n";
}

namespace {

/// The --strict word that makes a notice a failure, and the title of its own test case, if any.
struct KindOfCase {
  NoticeKind kind;
  std::string_view strict_word;
  const char *group = nullptr, *failure = nullptr;
};
constexpr KindOfCase kinds[] = {
    {NoticeKind::order, "order", "tapedeck.order", "responses were replayed out of their recorded order"},
    {NoticeKind::past_end, "past-end", "tapedeck.past-end", "a response was repeated after the end of its sequence"},
    {NoticeKind::derived, "derived", "tapedeck.derived", "effects made or changed the response"},
    {NoticeKind::builtin_effect, "derived", "tapedeck.derived", "built-in effects made or changed the response"},
    {NoticeKind::scope, "scope"},
    {NoticeKind::builtin_error, "builtin-error"}};

/// Returns null for a miss.
const KindOfCase* kind_of(NoticeKind kind) {
  const auto* const found =
      std::find_if(std::begin(kinds), std::end(kinds), [kind](const KindOfCase& one) { return one.kind == kind; });
  return found == std::end(kinds) ? nullptr : found;
}

bool fails(const Strict& strict, NoticeKind kind) {
  const KindOfCase* const found = kind_of(kind);
  return found == nullptr || strict.has(found->strict_word) ||
         (kind == NoticeKind::builtin_effect && strict.has(Strict::builtin_effect));
}

/// Words of --strict that have no other test case, or none outside of scopes.
constexpr std::string_view counted_words[] = {"unused", "unfinished", "scope", "unverified", "builtin-error"};

/// Returns the failures in all runs of that scope, one a line.
std::string failure_of(const RunReport& report, const std::string& scope) {
  std::string failure;
  for (const replay::Notice& notice : report.notices) {
    if (notice.scope != scope && !notice.scope.starts_with(scope + "#")) continue;
    if (!fails(report.strict, notice.kind)) continue;
    failure.append(failure.empty() ? "" : "\n").append(notice.text);
    const KindOfCase* const kind = kind_of(notice.kind);
    if (kind != nullptr && kind->failure != nullptr) failure.append(": ").append(kind->failure);
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
    const KindOfCase* const kind = kind_of(notice.kind);
    if (kind == nullptr || kind->group == nullptr || !notice.scope.empty()) continue;
    suite.add(kind->group, notice.text, fails(report.strict, notice.kind) ? kind->failure : "");
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
