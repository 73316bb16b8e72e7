// tapedeck verify: does the device still answer as it was recorded?

#include <iostream>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "api/scope_name.h"
#include "cassettes/finish/rewrite.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/app.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/options/device_options.h"
#include "cli/options/diff_options.h"
#include "cli/options/private_options.h"
#include "cli/options/rule_options.h"
#include "cli/paint.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/progress_bar.h"
#include "cli/running/cassette_rewrite.h"
#include "cli/running/verify_run.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"
#include "tools/diff/cassette_diff.h"
#include "tools/merge.h"
#include "tools/rewrite.h"

namespace tapedeck::cli {
namespace {

constexpr unsigned usual_rate = 10;

struct VerifyOptions {
  std::string cassette;
  VerifyRunOptions run;
  DiffViewOptions view;
  bool update = false;
};

/// The drift of scopes stays out of an update, for a scope is recorded whole.
struct Drift {
  std::set<std::string> keys, scopes;
};

Drift drift_in(const tools::DiffResult& result) {
  Drift drift;
  for (const tools::CallDiff& call : result.calls) {
    if (!call.differs()) continue;
    if (call.scope.empty()) {
      drift.keys.insert(call.key);
    } else {
      drift.scopes.insert(api::shown_scope(call.scope));
    }
  }
  return drift;
}

/// Adds the new answers to those calls as a take of their own.
void add_take(const std::string& cassette, const std::string& asked, const std::set<std::string>& keys) {
  cassettes::Rewriting rewriting(cassette);
  const cassettes::CassetteReader fresh(asked);
  const auto material = cassettes::open_material(asked);
  std::uint64_t added = 0;
  tools::KeptMaterial part(*material, tools::kept_of(fresh, [&](const cassettes::ListedInteraction& line) {
    const bool keeps =
        line.scope.empty() && keys.contains(line.key) && line.completeness == api::Completeness::complete;
    added += keeps ? 1 : 0;
    return keeps;
  }));
  if (added == 0) return;
  tools::Merged merged({&rewriting.content(), &part}, nullptr, {});
  const cassettes::FinishReport report = rewrite(rewriting, merged);
  if (!report.finished) throw std::runtime_error(cassette + " was not updated: " + report.failure);
  std::cerr << fmt::format("tapedeck: added {} to {} as a new take\n", counted(added, "response"), printable(cassette));
}

void update(const VerifyOptions& options, const std::string& asked, const tools::DiffResult& result) {
  const Drift drift = drift_in(result);
  for (const std::string& scope : drift.scopes) {
    std::cerr << fmt::format(
        "tapedeck: scope {} was not updated, because a scope can only be recorded as a whole\nhint: record its test "
        "again\n",
        printable(scope));
  }
  if (!drift.keys.empty()) add_take(options.cassette, asked, drift.keys);
}

int verify(const VerifyOptions& options) {
  check(options.view);
  const cassettes::CassetteReader recorded(options.cassette);
  warn_about(recorded.info(), options.cassette);
  if (options.run.device.insecure) {
    std::cerr << "tapedeck: warning: --insecure accepts any certificate, so another machine could pose as the device\n";
  }
  VerifyRun run(options.run, recorded);
  const tools::VerifyPlan plan = tools::plan_verify(recorded, !options.run.device.account.empty());
  if (plan.questions.empty()) {
    throw UsageError(options.cassette + " contains no request that can be repeated" +
                     (plan.of(tools::NotAsked::no_account) > 0
                          ? "\nhint: its requests need a login; add --device-account NAME"
                          : ""));
  }
  ProgressBar bar;
  run.ask(plan.questions, bar.until_stopped("asking", "calls"));
  bar.end();
  if (run.failed() == plan.questions.size()) {
    throw std::runtime_error("the device did not answer any request completely\nhint: run `tapedeck doctor " +
                             options.run.device.device + "` to find out why");
  }
  const std::string asked = run.finished_cassette();
  tools::DiffOptions how;
  how.ignored = options.view.ignored;
  how.only = plan.compared;
  const tools::DiffResult result = compared(recorded, cassettes::CassetteReader(asked), std::move(how));
  const Questions questions{plan, run.failed()};
  print_diff(result, form_of(options.view), options.view.noise, &questions);
  if (options.update && result.differs()) {
    run.keep_pseudonyms();
    update(options, asked, result);
  }
  if (questions.failed > 0) return run_failed;
  return result.differs() ? incomplete : fine;
}

}  // namespace

void add_verify(Command& program) {
  auto options = std::make_shared<VerifyOptions>();
  options->run.rate = usual_rate;
  Command& command = program.command("verify", "Compare a cassette with the device (exit status 3 if they differ)");
  command.argument("CASSETTE", into(options->cassette), "Cassette to read").required();
  DeviceOptions& device = options->run.device;
  command.option("--device", "URL", into(device.device), "Base URL of the device, as given to `tapedeck record`")
      .required();
  command.option("--device-account", "NAME", into(device.account),
                 "Log in with this account to repeat requests that need a login");
  add_password_options(command, device);
  add_certificate_options(command, device);
  command.option("--rate", "N", whole_number(options->run.rate), "Maximum requests per second; 0 for no limit")
      .show_default();
  add_rule_options(command, options->run.rules);
  add_private_key_option(command, options->run.private_values);
  add_diff_view_options(command, options->view);
  command.flag("--update", options->update, "Add the changed responses to the cassette as a new take");
  command.details =
      "Repeats only requests that read, and only those recorded before the first write of their lane. Never sends a "
      "write, not even in a compound request. The exit status is 0 if nothing differs, 3 if something differs, and 1 "
      "if requests failed.";
  command.common = {"--device",     "--device-account", "--device-password-file",
                    "--pin-sha256", "--insecure",       "--ca-file",
                    "--rate",       "--ignore",         "--noise",
                    "--update",     "--markdown",       "--json"};
  command.examples = {{"Check whether the device still responds as recorded",
                       "tapedeck verify --device https://nas.example:5001 nas.cassette"},
                      {"Also repeat requests that need a login",
                       "tapedeck verify --device https://nas:5001 --device-account test a.cassette"}};
  command.action = [options] { return verify(*options); };
}

}  // namespace tapedeck::cli
