#include "cli/reports/record_report.h"
#include "cassettes/read/request_identity.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "api/scope_name.h"
#include "base/shell_word.h"
#include "cli/console/exit_status.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "cli/reports/finish_report.h"
#include "scrubbers/own_text.h"
#include "scrubbers/search/learned_secrets.h"

namespace tapedeck::cli {
namespace {

/// Returns the width of the terminal on standard error in columns, or 0.
std::size_t stderr_width() {
  constexpr std::size_t usual = 80;
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

/// Reports which secrets were not searched for everywhere, and why.
void report_learned(const scrubbers::ScrubStats& scrubbed) {
  using scrubbers::LearnedSecrets;
  const auto say = [](std::uint64_t count, const std::string& why, std::string_view one, std::string_view many) {
    if (count == 0) return;
    std::cout << fmt::format("{} {} {}; {}\n", counted(count, "secret"), count == 1 ? "is" : "are", why,
                             count == 1 ? one : many);
  };
  const std::string_view under_its = "it was replaced only where its parameter name identifies it";
  const std::string_view under_their = "they were replaced only where their parameter names identify them";
  say(scrubbed.whole_only, "too short or too plain to search for inside longer text",
      "it was replaced only where it is a complete value", "they were replaced only where they are complete values");
  say(scrubbed.structural, "also a part of names, paths, or usual texts in messages",
      "it was replaced only where it is a complete value", "they were replaced only where they are complete values");
  say(scrubbed.by_name_only, "too short or too plain to search for, or not confirmed by the device", under_its,
      under_their);
  say(scrubbed.beyond_limits,
      fmt::format("above the limit of searched secrets ({} per request, {} per response, {} per run; {} simple ones)",
                  LearnedSecrets::most_of_a_request, LearnedSecrets::most_of_an_answer, LearnedSecrets::most_searched,
                  LearnedSecrets::most_bounded),
      under_its, under_their);
  if (scrubbed.only_for_login == 0) return;
  std::cout << fmt::format(
      "{} {} a secret in a place that no rule names; replay responds only to the same secret as in "
      "the client's own login\n",
      counted(scrubbed.only_for_login, "request"), scrubbed.only_for_login == 1 ? "has" : "have");
}

}  // namespace

RecordProgress::RecordProgress() : terminal_(stderr_is_terminal() && !log::is_quiet()) {}

/// Erases the shown lines. The cursor is then where the live line began.
void RecordProgress::erase() {
  if (live_.empty()) return;
  if (below_ > 0) std::cerr << "\x1b[" << below_ << 'A';
  std::cerr << "\r\x1b[J";
}

void RecordProgress::draw(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (line == live_ && !is_stale_) return;
  erase();
  const std::size_t width = stderr_width();
  std::cerr << cut_to(line, width);
  for (const std::string& call : calls_)
    std::cerr << '\n' << painted(cut_to(call, width), Paint::faint, stderr_takes_color());
  std::cerr << std::flush;
  live_ = line;
  below_ = calls_.size();
  is_stale_ = false;
}

void RecordProgress::end_line() {
  const std::lock_guard lock(mutex_);
  if (live_.empty()) return;
  erase();
  std::cerr << live_ << '\n';
  live_.clear();
  below_ = 0;
}

std::string RecordProgress::guarded(std::string key) {
  constexpr std::size_t most = 1'000, longest = 500;
  // The key of a form names each part, so that thousands of parts would make a line of megabytes.
  if (key.size() > longest) return cut_to(printable(scrubbers::guarded_key(key)), longest);
  const std::lock_guard lock(mutex_);
  if (guarded_.size() == most) guarded_.clear();
  const auto [entry, is_new] = guarded_.try_emplace(std::move(key));
  if (is_new) entry->second = printable(scrubbers::guarded_key(entry->first));
  return entry->second;
}

void RecordProgress::log(const proxy::RecordedLine& line, const scrubbers::Scrubber& scrubber, bool is_disk_full) {
  const bool good = line.committed && !line.overdue && line.completeness == api::Completeness::complete;
  const std::string key = guarded(scrubber.scrub_text(line.key));
  if (terminal_ && good) {
    constexpr std::size_t most_calls = 5;
    const std::lock_guard lock(mutex_);
    calls_.push_back(fmt::format("  {}  {:>8}  {:>8} ms  {}", line.status, human_bytes(line.body_bytes),
                                 one_decimal(line.microseconds), key));
    if (calls_.size() > most_calls) calls_.pop_front();
    is_stale_ = true;
    return;
  }
  end_line();
  if (!line.committed) {
    log::error("NOT RECORDED {}: {}", key, is_disk_full ? "the disk is full" : "cannot write to the cassette");
  } else if (line.overdue) {
    log::warn("stored late {}: the client received the response before it was stored", key);
  } else if (!good) {
    log::warn("{} {}: {}", api::to_string(line.completeness), key, printable(scrubber.scrub_text(line.reason)));
  } else {
    log::write(log::Level::info,
               fmt::format(FMT_COMPILE("{} {} {} in {} ms, {}{}"), line.status, key, human_bytes(line.body_bytes),
                           one_decimal(line.microseconds), counted(line.redactions, "redaction"),
                           line.ended_by_client ? ", ended by the client" : ""));
  }
}

void RecordProgress::show(const proxy::RecorderStats& stats) {
  if (!terminal_) return;
  draw(fmt::format("requests {}  recorded {}  scrubbed {}  withheld {}  broken {}{}   Ctrl-C stops", stats.requests,
                   stats.recorded, stats.scrubbed, stats.withheld, stats.broken,
                   stats.not_recorded > 0 ? fmt::format("  NOT RECORDED {}", stats.not_recorded) : ""));
}

namespace {

/// Returns the counts with API names scrubbed again, because secrets were learned since they were counted.
std::map<std::string, proxy::ApiCount> without_secrets(const std::map<std::string, proxy::ApiCount>& by_api,
                                                       const scrubbers::Scrubber& scrubber) {
  std::map<std::string, proxy::ApiCount> known;
  for (const auto& [name, count] : by_api) {
    proxy::ApiCount& sum = known[scrubber.scrub_text(name)];
    sum.recorded += count.recorded;
    sum.withheld += count.withheld;
    sum.broken += count.broken;
    sum.bytes += count.bytes;
  }
  return known;
}

void print_by_api(const std::map<std::string, proxy::ApiCount>& by_api) {
  if (by_api.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, count] : by_api) {
    rows.push_back({printable(name), std::to_string(count.recorded), std::to_string(count.withheld),
                    std::to_string(count.broken), human_bytes(count.bytes)});
  }
  print_table({"API", "recorded", "withheld", "broken", "bytes"}, rows);
}

}  // namespace

int report_recording(const RecordingEnd& end, const std::string& cassette, const Strict& strict) {
  const proxy::RecorderStats& stats = end.stats;
  print_by_api(without_secrets(end.by_api, end.scrubber));
  std::cout << fmt::format("requests {}, recorded {}, scrubbed {}, withheld {}, broken {}", stats.requests,
                           stats.recorded, stats.scrubbed, stats.withheld, stats.broken);
  if (stats.blocked > 0) std::cout << fmt::format(", blocked {}", stats.blocked);
  std::cout << '\n';
  report_learned(end.scrubber.stats());
  if (stats.stopped > 0) {
    std::cout << fmt::format("{} still waiting for the device when the recording ended and recorded as broken\n",
                             counted(stats.stopped, "request") + (stats.stopped == 1 ? " was" : " were"));
  }
  if (stats.not_recorded > 0) {
    std::cout << fmt::format("NOT RECORDED: {} responses reached a client but are not in the cassette\n",
                             stats.not_recorded);
  }
  for (const std::string& name : end.clashes) {
    std::cout << fmt::format(
        "scopes that differ only in a secret were stored under one name, \"{}\"\nhint: rename the scopes in your "
        "tests\n",
        printable(api::shown_scope(end.scrubber.scrub_scope(name))));
  }
  print_finish(end.report, cassette);
  if (end.report.finished && !end.report.is_unchanged && end.report.failed.empty()) {
    const cassettes::CassetteReader reader(cassette);
    print_learned_headers(cassettes::learned_identity_headers({&reader}));
    print_drawn_parameters(cassettes::drawn_parameters({&reader}));
  }
  if (end.report.finished && stdout_is_terminal()) {
    const std::string name = printable(base::shell_word(cassette));
    std::cout << painted(fmt::format("next: tapedeck ls {0}, tapedeck scan {0}, tapedeck replay {0}", name),
                         Paint::faint, stdout_takes_color())
              << '\n';
  }
  if (const int status = finish_status(end.report); status != fine) return status;
  if (stats.not_recorded > 0 || !end.clashes.empty()) return incomplete;
  return strict.is_broken({{"withheld", stats.withheld},
                           {"broken", stats.broken},
                           {"refused", end.refused},
                           {"ambiguous", end.report.conflicts.size()}})
             ? incomplete
             : fine;
}

}  // namespace tapedeck::cli
