// Writes the run report as JUnit XML, which CI systems display.

#include <fmt/format.h>
#include <algorithm>
#include <iterator>

#include "api/scope_name.h"
#include "base/utf8.h"
#include "cli/reports/run_report.h"

namespace tapedeck::cli {
namespace {

struct Case {
  std::string group, name, failure;  ///< an empty failure means that it passed
};

using Kind = replay::Notice::Kind;

/// The --strict word that makes a notice a failure, and the title of its own test case, if any.
struct KindOfCase {
  Kind kind;
  std::string_view strict_word;
  const char *group = nullptr, *failure = nullptr;
};
constexpr KindOfCase kinds[] = {
    {Kind::order, "order", "tapedeck.order", "responses were replayed out of their recorded order"},
    {Kind::past_end, "past-end", "tapedeck.past-end", "a response was repeated after the end of its sequence"},
    {Kind::derived, "derived", "tapedeck.derived", "effects made or changed the response"},
    {Kind::builtin_effect, "derived", "tapedeck.derived", "built-in effects made or changed the response"},
    {Kind::scope, "scope"},
    {Kind::builtin_error, "builtin-error"}};

/// Returns null for a miss.
const KindOfCase* kind_of(Kind kind) {
  const auto* const found =
      std::find_if(std::begin(kinds), std::end(kinds), [kind](const KindOfCase& one) { return one.kind == kind; });
  return found == std::end(kinds) ? nullptr : found;
}

bool fails(const Strict& strict, Kind kind) {
  const KindOfCase* const found = kind_of(kind);
  return found == nullptr || strict.has(found->strict_word) ||
         (kind == Kind::builtin_effect && strict.has(Strict::builtin_effect));
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

std::vector<Case> cases_of(const RunReport& report) {
  std::vector<Case> cases;
  const bool ended_well = report.command_status == 0;
  cases.push_back({"tapedeck.command", "the command exits with status 0",
                   ended_well ? "" : "exited with status " + std::to_string(report.command_status)});
  if (report.damaged) cases.push_back({"tapedeck.cassette", "the cassettes are intact", "a cassette is damaged"});
  if (report.recording_status != 0) {
    cases.push_back({"tapedeck.recording", "the recording is complete",
                     "ended with status " + std::to_string(report.recording_status)});
  }
  bool missed = false;
  for (const replay::Notice& notice : report.notices) {
    if (notice.kind != replay::Notice::Kind::miss) continue;
    missed = true;
    if (!notice.scope.empty()) continue;
    cases.push_back({"tapedeck.miss", notice.text.substr(0, notice.text.find("; ")), notice.text});
  }
  if (!missed) cases.push_back({"tapedeck.miss", "every request has a response", ""});
  for (const auto& one : report.fallbacks) {
    const std::string count =
        std::to_string(one.count) + " responses were generated from the specification; none is recorded";
    cases.push_back({"tapedeck.fallback", one.api + " " + one.method, report.strict.has("fallback") ? count : ""});
  }
  for (const replay::Notice& notice : report.notices) {
    const KindOfCase* const kind = kind_of(notice.kind);
    if (kind == nullptr || kind->group == nullptr || !notice.scope.empty()) continue;
    cases.push_back({kind->group, notice.text, fails(report.strict, notice.kind) ? kind->failure : ""});
  }
  for (const auto& [word, count] : report.broken) {
    if (std::find(std::begin(counted_words), std::end(counted_words), word) == std::end(counted_words)) continue;
    cases.push_back({"tapedeck.strict", std::string(word), "happened: " + std::to_string(count)});
  }
  for (const std::string& line : report.refusals) {
    cases.push_back({"tapedeck.refused", "a request was refused", report.strict.has("refused") ? line : ""});
  }
  const bool wants_all = report.strict.has("overlay-unused");
  for (const std::string& name : report.unused_overlays) {
    cases.push_back({"tapedeck.overlay", name, wants_all ? "the overlay was never used" : ""});
  }
  for (const std::string& scope : report.scopes) cases.push_back({"tapedeck.scope", scope, failure_of(report, scope)});
  return cases;
}

std::string case_xml(const Case& one) {
  const std::string head =
      fmt::format("  <testcase classname=\"{}\" name=\"{}\"", xml_text(one.group), xml_text(one.name));
  if (one.failure.empty()) return head + "/>\n";
  return head + fmt::format(">\n    <failure message=\"{0}\">{0}</failure>\n  </testcase>\n", xml_text(one.failure));
}

/// Returns the length of the first character in bytes, and whether XML 1.0 can represent it ("Char" in section 2.2 of
/// XML 1.0).
std::pair<std::size_t, bool> xml_character(std::string_view text) {
  const auto [point, length] = base::utf8_front(text);
  if (length == 0) return {1, false};
  const bool is_control = point < 0x20 && point != '\t' && point != '\n' && point != '\r';
  return {length, !is_control && point != 0xfffe && point != 0xffff};
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [length, fits] = xml_character(text);
    switch (fits ? text.front() : '\0') {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      case '\0':
        out += "\xef\xbf\xbd";
        break;
      case '\n':
      case '\t':
        out += text.front();
        break;
      default:
        const char32_t point = base::utf8_front(text).code_point;
        out += base::turns_or_breaks(point) ? fmt::format("&#x{:x};", static_cast<std::uint32_t>(point))
                                            : std::string(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out;
}

Suite report_suite(const RunReport& report, std::string name) {
  Suite suite;
  suite.name = std::move(name);
  for (const Case& one : cases_of(report)) suite.add(one.group, one.name, one.failure);
  const replay::ReplayStats& stats = report.stats;
  suite.output =
      fmt::format("recorded {}, built in {}, fallbacks {}, misses {}; unused recordings {}, unfinished sequences {}",
                  stats.recorded, stats.builtin, stats.fallback, stats.misses, report.unplayed.unused_recordings,
                  report.unplayed.unfinished_sequences);
  return suite;
}

void Suite::add(const std::string& group, const std::string& title, const std::string& failure) {
  ++cases;
  failures += failure.empty() ? 0 : 1;
  body += case_xml({group, title, failure});
}

std::string junit_document(const std::vector<Suite>& suites) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tapedeck\">\n";
  for (const Suite& suite : suites) {
    text += fmt::format("<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n{}",
                        xml_text(suite.name), suite.cases, suite.failures, suite.body);
    if (!suite.output.empty()) text += fmt::format("  <system-out>{}</system-out>\n", xml_text(suite.output));
    text += "</testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace tapedeck::cli
