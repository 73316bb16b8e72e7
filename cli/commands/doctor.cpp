// tapedeck doctor: would a recording of this device work?

#include <chrono>
#include <cstdlib>
#include <iostream>

#include "cli/app.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/options/device_options.h"
#include "cli/reports/doctor_report.h"

namespace tapedeck::cli {
namespace {

struct DoctorOptions : DeviceOptions {
  bool json = false;
};

std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

int doctor(const DoctorOptions& options) {
  constexpr std::chrono::seconds patience{10};
  proxy::ExaminationOptions examination;
  examination.relay = device_relay(options, "URL");
  examination.relay.limits.connect_time = examination.relay.limits.first_byte_time = patience;
  if (!options.account.empty()) examination.account = options.account;
  examination.credentials = [&options] { return device_account(options); };
  examination.ask_code = [](const std::function<void(std::string)>& answer) { answer(prompt_for_code()); };
  examination.environment = variable;
  examination.now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  const proxy::Examination found = proxy::examine(examination);
  if (options.insecure)
    std::cerr << "tapedeck: --insecure: the certificate is not checked; anybody could be the device\n";
  std::cout << (options.json ? doctor_json(found) : doctor_text(found));
  return found.would_work() ? fine : run_failed;
}

}  // namespace

void add_doctor(Command& program) {
  auto options = std::make_shared<DoctorOptions>();
  Command& command = program.command("doctor", "Say whether a recording of a device would work, and what to do if not");
  command.argument("URL", into(options->device), "The device's base URL, as it would be given to record --device")
      .required();
  command.option("--account", "NAME", into(options->account), "Also try a login with this account");
  add_password_options(command, *options);
  add_certificate_options(command, *options);
  command.flag("--json", options->json, "Write a JSON object");
  command.details =
      "Looks at the address, certificate, base path, clock and firmware generation of the device, and at what clients "
      "could stumble over. Changes nothing. Exit status 1 when a recording would not work.";
  command.action = [options] { return doctor(*options); };
}

}  // namespace tapedeck::cli
