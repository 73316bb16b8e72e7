#include "cli/reports/cassette_text.h"

#include <iostream>

#include <fmt/format.h>

#include "api/scope_name.h"
#include "base/shell_word.h"
#include "cassettes/file/files.h"
#include "cassettes/finish/finish.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::cli {

std::string status_text(const cassettes::ListedInteraction& line) {
  if (line.status == 0) return "-";
  const bool failed = line.error_code && *line.error_code != 0;
  return failed ? fmt::format("{}/{}", line.status, *line.error_code) : std::to_string(line.status);
}

std::string note_of(const cassettes::ListedInteraction& line) {
  if (line.completeness == api::Completeness::complete) return line.ended_by_client ? "ended by the client: " : "";
  return std::string(api::to_string(line.completeness)) + ": ";
}

std::string describe(const cassettes::CassetteInfo& info, const std::string& path) {
  return fmt::format("{}: {} in {}", printable(path), counted(info.interactions, "interaction"),
                     counted(info.takes.size(), "take"));
}

cassettes::CassetteReader open_cassette(const std::string& path) {
  cassettes::CassetteReader reader(path);
  const cassettes::CassetteInfo& info = reader.info();
  const std::string name = printable(path);
  const auto warn = [&name](const std::string& what) { std::cerr << "tapedeck: warning: " << name << what << '\n'; };
  if (!info.finished) warn(" is an unfinished recording");
  if (!info.verified)
    warn(" is unverified and may still contain secrets; run `tapedeck scrub " + printable(base::shell_word(path)) +
         "`");
  if (!info.takes.empty() && info.scrub_policy != scrubbers::RuleSet::defaults().fingerprint()) {
    warn(" was scrubbed by other rules than the current defaults");
  }
  return reader;
}

cassettes::FullInteraction interaction_named(const cassettes::CassetteReader& cassette, const std::string& path,
                                             const std::string& id) {
  auto found = cassette.get(id);
  if (found) return *std::move(found);
  if (id.size() < 4) throw UsageError("ID `" + id + "` is too short: give at least 4 digits");
  throw UsageError("no such interaction: " + id + " in " + path, "`tapedeck ls` lists the IDs");
}

void finish_leftover(const std::string& cassette) {
  const auto report = cassettes::finish_leftover(cassette);
  if (!report) return;
  const std::string& aside = report->failed.empty() ? report->quarantined : report->failed;
  if (!aside.empty()) {
    log::warn("an earlier run was killed; its recording is now in {}", printable(aside));
  } else {
    log::warn(
        "an earlier recorder was killed; its recording is now in {}, unverified: it may still contain secrets, which "
        "`tapedeck scrub --values FILE` removes",
        printable(cassette));
  }
}

void mention_side_files(const std::string& cassette) {
  std::vector<std::string> files;
  try {
    files = cassettes::side_files(cassettes::full_path(cassette));
  } catch (const cassettes::CassetteError&) {
    return;  // the warning is printed when the cassette is opened
  }
  for (const std::string& file : files) std::cerr << "tapedeck: note: " << printable(file) << " also exists\n";
}

nlohmann::ordered_json json_of(const cassettes::ListedInteraction& line) {
  nlohmann::ordered_json out;
  out["id"] = line.id;
  out["take"] = line.take;
  out["ord"] = line.ord;
  if (!line.scope.empty()) out["scope"] = api::shown_scope(line.scope);
  out["session"] = line.session;
  out["lane"] = line.lane;
  out["position"] = line.position;
  out["key"] = line.key;
  out["verb"] = line.verb;
  out["status"] = line.status;
  if (line.error_code) out["code"] = *line.error_code;
  out["bytes"] = line.body_bytes;
  out["redactions"] = line.redactions;
  out["completeness"] = api::to_string(line.completeness);
  if (!line.reason.empty()) out["reason"] = line.reason;
  out["writes"] = line.effect == api::Effect::write;
  if (line.ended_by_client) out["ended_by_client"] = true;
  out["started_us"] = line.started_us;
  if (line.first_byte_us != 0) out["first_byte_us"] = line.first_byte_us;
  out["ended_us"] = line.ended_us;
  return out;
}

}  // namespace tapedeck::cli
