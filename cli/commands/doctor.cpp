// tapedeck doctor: checks whether a device can be recorded.

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/shell_word.h"
#include "base/utf8.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/options/device_options.h"
#include "proxy/examination.h"

namespace tapedeck::cli {
namespace {

std::string record_command(const proxy::Examination& examination) {
  const std::string pin = examination.pin.empty() ? "" : " --pin-sha256 " + examination.pin;
  return "tapedeck record --device " + base::shell_word(examination.device) + pin + " my.cassette";
}

/// Returns a line with advice for each finding, and at the end the command that records the device.
std::string doctor_text(const proxy::Examination& examination) {
  std::string text;
  for (const proxy::Finding& one : examination.findings) {
    text += fmt::format("{:4}  {:<11}  {} → {}\n", proxy::to_string(one.grade), one.check, printable(one.what),
                        printable(one.remedy));
  }
  text += examination.would_work() ? "Recording will work:\n"
                                   : "Recording will not work until these problems are fixed. Then run:\n";
  return text + "    " + printable(record_command(examination)) + "\n";
}

nlohmann::ordered_json doctor_json(const proxy::Examination& examination) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const proxy::Finding& one : examination.findings) {
    findings.push_back(
        {{"grade", proxy::to_string(one.grade)}, {"check", one.check}, {"what", one.what}, {"do", one.remedy}});
  }
  return {{"device", examination.device},
          {"works", examination.would_work()},
          {"findings", std::move(findings)},
          {"command", record_command(examination)}};
}

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
  examination.environment = variable;
  examination.now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  const proxy::Examination found = proxy::examine(examination);
  if (options.json) {
    std::cout << readable_json(doctor_json(found)) << '\n';
  } else {
    std::cout << doctor_text(found);
  }
  return found.would_work() ? fine : run_failed;
}

}  // namespace

void add_doctor(Command& program) {
  auto [command, options] = program.command("doctor", "Check whether a device can be recorded", doctor);
  command.argument("URL", into(options.device), "Base URL of the device").required();
  add_certificate_options(command, options);
  command.flag("--json", options.json, "Print JSON");
  command.details =
      "Checks the address, certificate, base path, clock, and firmware generation of the device and names common "
      "client problems. Changes nothing on the device. The exit status is 1 if a recording would not work.";
  command.examples = {{"Check a device", "tapedeck doctor https://nas.example:5001"}};
}

}  // namespace tapedeck::cli
