#include "cli/reports/doctor_report.h"

#include <fmt/format.h>

#include "api/json_spans.h"
#include "cli/terminal.h"

namespace tapedeck::cli {
namespace {

std::string record_command(const proxy::Examination& examination) {
  const std::string pin = examination.pin.empty() ? "" : " --pin-sha256 " + examination.pin;
  return "tapedeck record --device " + examination.device + pin + " my.cassette";
}

}  // namespace

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

std::string doctor_json(const proxy::Examination& examination) {
  using api::json_quoted;
  std::string findings;
  for (const proxy::Finding& one : examination.findings) {
    findings += fmt::format("{}{{\"grade\":{},\"check\":{},\"what\":{},\"do\":{}}}", findings.empty() ? "" : ",",
                            json_quoted(proxy::to_string(one.grade)), json_quoted(one.check), json_quoted(one.what),
                            json_quoted(one.remedy));
  }
  return base::printable_json(fmt::format("{{\"device\":{},\"works\":{},\"findings\":[{}],\"command\":{}}}\n",
                                          json_quoted(examination.device), examination.would_work(), findings,
                                          json_quoted(record_command(examination))));
}

}  // namespace tapedeck::cli
