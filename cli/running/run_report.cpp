#include "cli/running/run_report.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "base/escapes.h"
#include "base/output_file.h"
#include "base/utf8.h"
#include "cli/console/exit_status.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "inspector/shown.h"
#include "replay/replay_handler.h"

namespace tapedeck::cli {
namespace {

using Json = nlohmann::json;  // sorts the members, so that reports can be compared
using NoticeKind = replay::Notice::Kind;

/// How the report shows notices of one kind.
struct NoticeForm {
  NoticeKind kind;
  const char* member;                 ///< of the report
  std::string_view strict_word = {};  ///< word of --strict that makes it a failure; empty: it is always one
  const char* title = nullptr;        ///< of its lines in the summary, which has other lines for the first two
  const char* group = nullptr;        ///< of its own test case outside of scopes, if any
  const char* failure = nullptr;
};
constexpr NoticeForm forms[] = {
    {NoticeKind::miss, "misses"},
    {NoticeKind::fallback, "fallbacks", "fallback"},
    {NoticeKind::order, "out_of_order", "order", "responses out of order", "tapedeck.order",
     "responses were replayed out of their recorded order"},
    {NoticeKind::scope, "out_of_scope", "scope", "responses from another scope or none"},
    {NoticeKind::past_end, "past_end", "past-end", "responses past the end of a sequence", "tapedeck.past-end",
     "a response was repeated after the end of its sequence"},
    {NoticeKind::account, "other_accounts", "account", "responses that may belong to another account",
     "tapedeck.account", "the response may belong to another account"},
    {NoticeKind::messages, "other_messages", "messages", "messages of clients that differ", "tapedeck.messages",
     "messages of the client's WebSocket differ from the recording"},
    {NoticeKind::builtin_effect, "derived_builtin", "derived", "responses that built-in effects changed",
     "tapedeck.derived", "built-in effects made or changed the response"},
    {NoticeKind::derived, "derived", "derived", "responses that declared effects changed", "tapedeck.derived",
     "effects made or changed the response"},
    {NoticeKind::builtin_error, "builtin_errors", "builtin-error", "built-in errors"}};

Json counters_json(const replay::ReplayStats& stats, std::uint64_t refused) {
  return {{"recorded", stats.recorded},
          {"overlay", stats.overlay},
          {"derived", stats.derived},
          {"derived_builtin", stats.builtin_effects},
          {"past_end", stats.past_end},
          {"other_accounts", stats.account_guesses},
          {"other_messages", stats.other_messages},
          {"builtin", stats.builtin},
          {"fallback", stats.fallback},
          {"miss", stats.misses},
          {"out_of_order", stats.out_of_order},
          {"out_of_scope", stats.out_of_scope},
          {"builtin_errors", stats.builtin_errors},
          {"distinct_misses", stats.distinct_misses},
          {"refused", refused}};
}

/// Adds the notices to `outside` and `scopes`, and says how each scope ran.
void add_scopes(ReplayRun& run, const ReplayRun::Unplayed& unplayed, Json& report) {
  Json& scopes = report["scopes"] = Json::object();
  report["outside"] = Json::object();
  const auto entry = [&scopes](const std::string& name) -> Json& {
    Json& one = scopes[name];
    if (one.is_null()) one = {{"ran", false}, {"unused", Json::array()}, {"unfinished", Json::array()}};
    return one;
  };
  for (const std::string& name : run.handler().scopes_that_ran()) entry(name)["ran"] = true;
  for (const replay::Notice& notice : run.notices()) {
    const auto* const form = std::find_if(std::begin(forms), std::end(forms),
                                          [&](const NoticeForm& one) { return one.kind == notice.kind; });
    const std::string name = notice.scope.substr(0, notice.scope.rfind('#'));  // all runs of a scope are shown together
    const std::string hint = notice.hint.empty() ? "" : "; " + notice.hint;
    (notice.scope.empty() ? report["outside"] : entry(name))[form->member].push_back(notice.text + hint);
    if (notice.kind == NoticeKind::miss) report["misses"].push_back(notice_line(notice) + hint);
  }
  for (const auto& [uses, member] : {std::pair(&unplayed.unused, "unused"), {&unplayed.unfinished, "unfinished"}}) {
    for (const replay::SequenceUse& use : *uses) {
      report[member].push_back(inspector::shown_use(use));
      if (!use.scope.empty()) entry(api::shown_scope(use.scope))[member].push_back(use.key);
    }
  }
}

}  // namespace

Json gather_report(ReplayRun& run, int command_status, const Strict& strict) {
  const ReplayRun::Unplayed unplayed = run.is_damaged() ? ReplayRun::Unplayed() : run.unplayed();
  Json report = {{"command_status", command_status},
                 {"damaged", run.is_damaged()},
                 {"recording_status", 0},
                 {"counters", counters_json(run.handler().stats(), run.server().refused())},
                 {"refused", run.refusals()},
                 {"unused_overlays", unused_overlays(run.handler().overlays())},
                 {"unused_recordings", unplayed.unused_recordings},
                 {"unused_sequences", unplayed.unused_sequences},
                 {"unfinished_sequences", unplayed.unfinished_sequences}};
  for (const char* const list : {"misses", "unused", "unfinished", "fallbacks", "strict"}) report[list] = Json::array();
  add_scopes(run, unplayed, report);
  for (const journal::JournalTotal& one : run.control().journal()->totals()) {
    if (one.outcome != "fallback") continue;
    report["fallbacks"].push_back({{"api", one.api}, {"method", one.method}, {"count", one.count}});
  }
  report["happened"] = Json::object();
  for (const auto& [word, count] : run.event_counts(unplayed)) {
    if (!strict.has(word)) continue;
    report["strict"].push_back(word);
    if (count > 0) report["happened"][std::string(word)] = count;
  }
  const bool is_broken = !report["happened"].empty();
  report["exit_status"] = command_status != 0 ? command_status
                          : run.is_damaged()  ? static_cast<int>(run_failed)
                          : is_broken         ? static_cast<int>(incomplete)
                                              : static_cast<int>(fine);
  return report;
}

void hide(Json& report, const std::function<std::string(std::string_view text)>& shown) {
  if (report.is_string()) report = shown(report.get_ref<const std::string&>());
  if (report.is_structured()) {
    for (Json& one : report) hide(one, shown);
  }
  const auto scopes = report.is_object() ? report.find("scopes") : report.end();
  if (scopes == report.end() || !scopes->is_object()) return;
  Json renamed = Json::object();
  for (auto& [name, scope] : scopes->items()) renamed[shown(name)] = std::move(scope);
  *scopes = std::move(renamed);
}

namespace {

using Texts = std::vector<std::string>;

/// Returns a list of texts, which is empty if the object lacks it.
Texts texts(const Json& object, const char* member) { return object.value(member, Texts()); }

bool has(const Json& report, std::string_view word) {
  const Json& words = report["strict"];
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool fails(const Json& report, const NoticeForm& form) {
  return form.strict_word.empty() || has(report, form.strict_word) ||
         (form.kind == NoticeKind::builtin_effect && has(report, Strict::builtin_effect));
}

void print_lines(const Texts& lines, std::uint64_t all) {
  constexpr std::size_t most_printed = 10;
  for (std::size_t i = 0; i < lines.size() && i < most_printed; ++i) std::cerr << "  " << printable(lines[i]) << '\n';
  if (all > most_printed) std::cerr << "  … and " << all - most_printed << " more\n";
}

/// Prints a heading and then the lines.
void print_group(const std::string& heading, const Texts& lines) {
  std::cerr << heading << '\n';
  print_lines(lines, lines.size());
}

Texts lines_of(const Json& report, const char* member) {
  Texts lines = texts(report["outside"], member);
  for (const auto& [name, scope] : report["scopes"].items()) {
    for (const std::string& text : texts(scope, member)) {
      lines.push_back("in scope " + name + ": " + text);
    }
  }
  return lines;
}

Texts use_lines(const Json& uses, bool with_played) {
  Texts lines;
  for (const Json& use : uses) {
    const std::string played = with_played ? use["played"].dump() + " of " : "";
    const std::string where = use.contains("scope") ? " in scope " + use["scope"].get<std::string>() : "";
    lines.push_back(fmt::format("{} ({}{}){}", use["key"].get<std::string>(), played, use["recordings"].dump(), where));
  }
  return lines;
}

}  // namespace

std::string first_miss(const Json& report) {
  const Texts misses = texts(report, "misses");
  return misses.empty() ? "-" : misses.front().substr(0, misses.front().find("; "));
}

void print_report(const Json& report) {
  if (log::is_quiet() && report["exit_status"] == fine) return;
  const Json& counters = report["counters"];
  const auto count = [&counters](const char* name) { return counters[name].get<std::uint64_t>(); };
  std::string overlays = count("overlay") > 0 ? fmt::format(", overlays {}", count("overlay")) : "";
  if (count("derived") > 0) overlays += fmt::format(", derived {}", count("derived"));
  std::cerr << fmt::format(
      "tapedeck exec: command status {}; replayed {}{}, built in {}, fallbacks {}, misses {} ({} distinct)\n",
      report["command_status"].get<int>(), count("recorded"), overlays, count("builtin"), count("fallback"),
      count("miss"), count("distinct_misses"));
  print_lines(texts(report, "misses"), count("distinct_misses"));
  if (count("refused") > 0)
    print_group(fmt::format("refused requests: {}", count("refused")), texts(report, "refused"));
  for (const NoticeForm& form : forms) {
    if (form.title == nullptr) continue;
    const std::uint64_t others = form.kind == NoticeKind::derived ? count("derived_builtin") : 0;
    const std::uint64_t happened = count(form.member) - others;
    const bool is_shown = form.kind != NoticeKind::builtin_error || has(report, form.strict_word);
    if (happened > 0 && is_shown)
      print_group(fmt::format("{}: {}", form.title, happened), lines_of(report, form.member));
  }
  for (const Json& one : report["fallbacks"]) {
    std::cerr << "  "
              << printable(fmt::format("fallback: {} {}, {} times", one["api"].get<std::string>(),
                                       one["method"].get<std::string>(), one["count"].dump()))
              << '\n';
  }
  if (const Texts unused = texts(report, "unused_overlays"); !unused.empty())
    print_group(fmt::format("unused overlays: {}", unused.size()), unused);
  std::cerr << fmt::format("unused sequences: {} ({})\n", report["unused_sequences"].dump(),
                           counted(report["unused_recordings"].get<std::uint64_t>(), "recording"));
  if (has(report, "unused"))
    print_lines(use_lines(report["unused"], false), report["unused_sequences"].get<std::uint64_t>());
  std::cerr << "unfinished sequences: " << report["unfinished_sequences"] << '\n';
  if (has(report, "unfinished"))
    print_lines(use_lines(report["unfinished"], true), report["unfinished_sequences"].get<std::uint64_t>());
  std::cerr << std::flush;
}

namespace {

/// Returns the length of the first character in bytes, and whether XML 1.0 can represent it ("Char" in section 2.2 of
/// XML 1.0).
std::pair<std::size_t, bool> xml_character(std::string_view text) {
  const auto [point, length] = base::utf8_front(text);
  if (length == 0) return {1, false};
  const bool is_control = point < 0x20 && point != '\t' && point != '\n' && point != '\r';
  return {length, !is_control && point != 0xfffe && point != 0xffff};
}

/// Escapes text for XML 1.0. Characters that XML cannot represent become U+FFFD.
std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [length, fits] = xml_character(text);
    const char c = fits ? text.front() : '\0';
    const std::string_view escape = c == '\0' ? "\xef\xbf\xbd" : c == '\'' ? "&apos;" : base::markup_escape(c);
    if (!escape.empty()) {
      out += escape;
    } else if (const char32_t point = base::utf8_front(text).code_point;
               c != '\n' && c != '\t' && base::turns_or_breaks(point)) {
      out += fmt::format("&#x{:x};", static_cast<std::uint32_t>(point));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

/// A suite of test cases as XML.
class Suite {
 public:
  /// An empty `failure` means that the case passed.
  void add(const std::string& group, const std::string& title, const std::string& failure) {
    ++cases_;
    const std::string head = fmt::format("  <testcase classname=\"{}\" name=\"{}\"", xml_text(group), xml_text(title));
    if (failure.empty()) {
      body_ += head + "/>\n";
      return;
    }
    ++failures_;
    body_ += fmt::format("{0}>\n    <failure message=\"{1}\">{1}</failure>\n  </testcase>\n", head, xml_text(failure));
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    return fmt::format(
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n{}</testsuite>\n",
        xml_text(name), cases_, failures_, body_);
  }

 private:
  std::size_t cases_ = 0, failures_ = 0;
  std::string body_;
};

/// Returns the failures in a scope, one a line.
std::string failure_of(const Json& report, const Json& scope) {
  std::string failure;
  const auto add = [&failure](const std::string& line) { failure.append(failure.empty() ? "" : "\n").append(line); };
  for (const NoticeForm& form : forms) {
    if (!fails(report, form)) continue;
    for (const std::string& text : texts(scope, form.member)) {
      add(form.failure == nullptr ? text : text + ": " + form.failure);
    }
  }
  if (!has(report, "unfinished")) return failure;
  for (const std::string& key : texts(scope, "unfinished")) add(key + ": not replayed to its end");
  return failure;
}

/// Words of --strict that have no other test case, or none outside of scopes.
constexpr std::string_view counted_words[] = {"unused", "unfinished", "scope", "unverified", "builtin-error"};

Suite suite_of(const Json& report) {
  Suite suite;
  const auto ended = [](const Json& status) {
    return status == 0 ? std::string() : "ended with status " + status.dump();
  };
  suite.add("tapedeck.command", "the command exits with status 0", ended(report["command_status"]));
  if (report["damaged"] == true) suite.add("tapedeck.cassette", "the cassettes are intact", "a cassette is damaged");
  if (report["recording_status"] != 0)
    suite.add("tapedeck.recording", "the recording is complete", ended(report["recording_status"]));
  for (const std::string& miss : texts(report["outside"], "misses")) {
    suite.add("tapedeck.miss", miss.substr(0, miss.find("; ")), miss);
  }
  if (report["misses"].empty()) suite.add("tapedeck.miss", "every request has a response", "");
  for (const Json& one : report["fallbacks"]) {
    const std::string count =
        one["count"].dump() + " responses were generated from the specification; none is recorded";
    suite.add("tapedeck.fallback", one["api"].get<std::string>() + " " + one["method"].get<std::string>(),
              has(report, "fallback") ? count : "");
  }
  for (const NoticeForm& form : forms) {
    if (form.group == nullptr) continue;
    for (const std::string& text : texts(report["outside"], form.member)) {
      suite.add(form.group, text, fails(report, form) ? form.failure : "");
    }
  }
  for (const auto& [word, count] : report["happened"].items()) {
    if (std::find(std::begin(counted_words), std::end(counted_words), word) == std::end(counted_words)) continue;
    std::string lines = "happened: " + count.dump();
    const bool is_unused = word == "unused";
    for (const std::string& line : is_unused || word == "unfinished" ? use_lines(report[word], !is_unused) : Texts()) {
      lines += "\n" + line;
    }
    suite.add("tapedeck.strict", word, lines);
  }
  for (const std::string& line : texts(report, "refused")) {
    suite.add("tapedeck.refused", "a request was refused", has(report, "refused") ? line : "");
  }
  for (const std::string& name : texts(report, "unused_overlays")) {
    suite.add("tapedeck.overlay", name, has(report, "overlay-unused") ? "the overlay was never used" : "");
  }
  for (const auto& [name, scope] : report["scopes"].items()) {
    if (scope["ran"] == true) suite.add("tapedeck.scope", name, failure_of(report, scope));
  }
  return suite;
}

bool is_report(std::string_view head) {
  const bool is_xml = head.starts_with("<?xml") && head.find("<testsuites name=\"tapedeck\"") != std::string_view::npos;
  const bool is_json = head.starts_with("{\n  \"command_status\"") || head.starts_with("{\n  \"cassettes\"");
  return is_xml || is_json;
}

}  // namespace

std::string junit_document(const std::vector<std::pair<std::string, Json>>& reports) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tapedeck\">\n";
  for (const auto& [name, report] : reports) text += suite_of(report).text(name);
  return text + "</testsuites>\n";
}

ReportFile::ReportFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  if (const auto why = base::OutputFile::why_not(path_, is_report)) {
    throw std::runtime_error("cannot write the report: " + *why);
  }
  std::error_code ignored;
  if (std::filesystem::symlink_status(path_, ignored).type() == std::filesystem::file_type::regular) {
    std::filesystem::remove(path_, ignored);
  }
}

void ReportFile::write(std::string_view text) const {
  if (path_.empty()) return;
  base::OutputFile file(path_, is_report);
  file.stream() << text;
  file.commit();
}

}  // namespace tapedeck::cli
